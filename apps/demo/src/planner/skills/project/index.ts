import type { CallPlan } from "../../plan.ts";
import { asking, unreadWords } from "../../reading/tokens.ts";
import type { Outcome, Task, Unread } from "../../task.ts";
import { escapeRegExp, parseJson, type Say } from "../../text.ts";
import { failedText } from "../../wording.ts";
import table from "../../words/project.json" with { type: "json" };
import { fixProject } from "./fix.ts";
import { attempt, changesText, readParts, runTests, searchMatches, tailText, testsText } from "./results.ts";

const name = '[`“"]?([A-Za-z_$][\\w$]{0,100})[`”"]?';

/** A server on this machine. No character of it means anything to a shell or ends a string. */
const localUrl = "(https?://(?:127\\.0\\.0\\.1|localhost)(?::\\d{1,5})?(?:/[\\w./~-]{0,200})?)";

const plans: Record<string, (say: Say, first: string, second: string) => CallPlan<string>> = {
  "project-fix": fixProject,
  "project-rename": rename,
  "project-release": release,
  "project-test": test,
  "project-overview": overview,
  "project-call": callServer,
};

/** How each kind is asked, with groups for names. */
const skills = table.map(({ asked, ...skill }) => {
  return { ...skill, pattern: new RegExp(asked.replaceAll("NAME", name).replaceAll("URL", localUrl), "iu") };
});

export function readProject(question: string, say: Say): Task | Unread | undefined {
  for (const { kind, tools, pattern, words } of skills) {
    const [whole, ...groups] = pattern.exec(question) ?? [];
    const [first = "", second = ""] = groups.filter((group) => group !== undefined);
    if (whole === undefined || (first !== "" && first === second)) continue;
    const task = { kind, tools, run: () => (plans[kind] as (typeof plans)[string])(say, first, second) };
    return unreadWords(first ? question.replace(whole, " ") : question, words, asking) ?? task;
  }
  return undefined;
}

function* test(say: Say): CallPlan<string> {
  const run = yield* runTests();
  const { failure } = run;
  return testsText(run, say) + (failure ? `\n\n  ${failure.name}\n  ${failure.file}:${failure.line}` : "");
}

function* rename(say: Say, from: string, to: string): CallPlan<string> {
  const [word, letter] = [escapeRegExp(from), "[A-Za-z0-9_$]"];
  const whole = (text: string): string => `(^|[^A-Za-z0-9_$])${escapeRegExp(text)}($|[^A-Za-z0-9_$])`;
  // Longer names that hold this one come last.
  const searches = [whole(from), whole(to), `${letter}${word}|${word}${letter}`].map((pattern) => ({ pattern }));
  const found = yield* attempt("read", { searches });
  const failed = ({ message }: Outcome): string => say`I could not rename it: ${message} ‖ 没有改成：${message}`;
  if (found.status !== "ok") return failed(found);
  const [own = [], [taken] = [], longer = []] = readParts(found).map(searchMatches);
  if (own.length === 0)
    return say`Nothing in the project is called ${from}, so I changed nothing. ‖ 项目里没有 ${from}，什么也没有改。`;
  if (taken)
    return say`${to} is taken already, in ${taken.path}:${taken.number}; I changed nothing. ‖ ${to} 这个名字在 ${taken.path}:${taken.number} 已经有了，什么也没有改。`;
  const files = [...new Set(own.map(({ path }) => path))].map((src) => {
    const lines = own.flatMap(({ path, text }) => (path === src ? [text] : []));
    const finds = longer.some(({ path }) => path === src) ? [...new Set(lines)] : [from];
    const renamed = (text: string): string => text.replace(new RegExp(`(?<![\\w$])${word}(?![\\w$])`, "g"), () => to);
    return { src, edits: finds.map((find) => ({ find, replace: renamed(find), all: true })) };
  });
  const edit = yield* attempt("edit", { files });
  if (edit.status !== "ok") return failed(edit);
  const where = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const head = say`${from} is ${to} now, in ${own.length} lines of ${where}: ‖ 已在 ${files.length} 个文件的 ${own.length} 行中把 ${from} 改名为 ${to}：`;
  return [head, changesText(edit), testsText(yield* runTests(), say)].join("\n\n");
}

/** Releases what passes its tests, and answers yes where the script asks whether to do so. */
function* release(say: Say): CallPlan<string> {
  const tests = yield* runTests();
  const state = testsText(tests, say);
  if (!tests.passes)
    return say`I did not release it, since its tests do not pass. ${state} Ask me to "fix the failing test in the project" first. ‖ 测试没有通过，所以没有发布。${state}可以先让我“修复项目里失败的测试”。`;
  const released = yield* attempt("command", { script: "npm run release", timeoutMs: 15_000 });
  if (!released.running) return endText(released, say);
  const text = released.text ?? "";
  const last = (text.match(/^(?!\[.*\]$).*\S/gm) ?? [""]).at(-1)?.trim() ?? "";
  // Only what can be meant by the request itself: yes or no to a release.
  if (/\((?:y\/n|yes\/no)\)\W*$/i.test(last)) {
    const end = yield* attempt("input", { data: "y\n" });
    // A terminal shows what was typed, too.
    const ended = endText({ ...end, text: (end.text ?? end.message ?? "").replace(/^y\n/, "") }, say);
    return say`It asked "${last}", and I answered y. ${ended} ‖ 脚本问“${last}”，我回答了 y。${ended}`;
  }
  yield* attempt("ctrl", { key: "c" });
  if (/^\[It waits for input/m.test(text) || /[?:]$/.test(last))
    return say`The script asked "${last}", which I can't decide for you, so I stopped it with Ctrl-C. ‖ 脚本问“${last}”，这不是我能替你决定的，所以用 Ctrl-C 停止了它。`;
  return `${say`The script neither ended nor asked anything, so I stopped it with Ctrl-C: ‖ 发布脚本没有结束，也没有提问，所以用 Ctrl-C 停止了它：`}\n\n${tailText(released, 6)}`;
}

function endText(end: Outcome, say: Say): string {
  const state = end.status === "ok" ? say`The release is done: ‖ 已发布：` : say`The release failed: ‖ 发布失败：`;
  return `${state}\n\n${tailText(end, 6)}`;
}

function* overview(say: Say): CallPlan<string> {
  const [file, root] = readParts(yield* attempt("read", { files: [{ src: "package.json" }, { src: "." }] }));
  const { name: called, version, description, scripts = {} } = Object(parseJson(file?.text ?? ""));
  const entriesOf = (text = ""): string[] => text.split("\n").map((line) => line.replace(/ \([^)]*\)$/, "").trim());
  // Names of folders end in a slash.
  const files = entriesOf(root?.text).flatMap((src) => (src.endsWith("/") ? [{ src }] : []));
  const inner = files.length > 0 ? readParts(yield* attempt("read", { files })) : [];
  const listings = inner.map(({ text }, index) => `${files[index]?.src} ${entriesOf(text).join(", ")}`);
  const own = entriesOf(root?.text).filter((path) => !path.endsWith("/"));
  const commands = Object.entries(scripts).map(([key, script]) => `npm run ${key}  (${script})`);
  const about = say`${called} ${version}: ${description} ‖ ${called} ${version}：${description}`;
  return [
    called ? about : say`There is no package.json. ‖ 没有 package.json。`,
    [say`Commands: ‖ 命令：`, ...commands].join("\n  "),
    [say`Files: ‖ 文件：`, own.join(", "), ...listings].join("\n  "),
  ].join("\n\n");
}

/** Calls a server on this machine with a token that the user is asked for, and that no text of this plan ever holds. */
function* callServer(say: Say, url: string, key: string): CallPlan<string> {
  const given = yield* attempt("get_value", { key, reason: say`To call ${url} ‖ 用于请求 ${url}` });
  if (given.status !== "ok") return failedText(given, say);
  // In the environment of the one process that needs it: in an argument, every process of the user could read it.
  const program = `fetch(${JSON.stringify(url)}, { headers: { authorization: "Bearer " + process.env.T } }).then(async (answer) => { console.log(answer.status, await answer.text()); process.exitCode = answer.ok ? 0 : 1; })`;
  const called = yield* attempt("command", { script: `T=$KARYI{${key}} node -e '${program}'` });
  const accepted = say`${url} accepted the token: ‖ ${url} 接受了令牌：`;
  const head = called.exit === 0 ? accepted : say`${url} did not accept the token: ‖ ${url} 没有接受令牌：`;
  const masked = say`\n\nThe answer holds the value. I was shown ‹${key}› in its place. ‖ \n\n应答里有这个值，我看到的只是 ‹${key}›。`;
  return `${head}\n\n${tailText(called, 6)}${called.text?.includes(`‹${key}›`) ? masked : ""}`;
}
