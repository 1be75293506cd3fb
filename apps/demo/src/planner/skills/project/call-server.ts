import type { CallPlan } from "../../task.ts";
import type { Say } from "../../text.ts";
import { failedText } from "../../wording.ts";
import { attempt, tailText } from "./results.ts";

/** Calls a server on this machine with a token that the user is asked for, and that no text of this plan ever holds. */
export function* callServer(say: Say, url: string, name: string): CallPlan<string> {
  const reason = say`To call ${url} ‖ 用于请求 ${url}`;
  const given = yield* attempt("get_value", { key: name, reason });
  if (given.status !== "ok") return failedText(given, say);
  // In the environment of the one process that needs it: in an argument, every process of the user could read it.
  const program = `fetch(${JSON.stringify(url)}, { headers: { authorization: "Bearer " + process.env.T } }).then(async (answer) => { console.log(answer.status, await answer.text()); process.exitCode = answer.ok ? 0 : 1; })`;
  const called = yield* attempt("command", { script: `T=$KARYI{${name}} node -e '${program}'` });
  const text = called.text ?? "";
  const head =
    called.exit === 0
      ? say`${url} accepted the token: ‖ ${url} 接受了令牌：`
      : say`${url} did not accept the token: ‖ ${url} 没有接受令牌：`;
  const masked = text.includes(`‹${name}›`)
    ? say`\n\nThe answer holds the value. I was shown ‹${name}› in its place. ‖ \n\n应答里有这个值，我看到的只是 ‹${name}›。`
    : "";
  return `${head}\n\n${tailText(called, 6)}${masked}`;
}
