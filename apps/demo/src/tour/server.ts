import { createHash, randomBytes } from "node:crypto";
import type { TourRoom, TourStop } from "toolglot";

/** The name of the value that the tour asks for. */
const tourTokenName = "TOUR_TOKEN";

/** A server on this machine that wants a token. */
export interface TourServer {
  url: string;
  token: string;
  close(): Promise<void>;
}

/** Repeats the header that it was sent: a value that comes back is to be masked. */
const program = `
const { createHash } = require("node:crypto");
const server = require("node:http").createServer(({ headers: { authorization = "" } }, response) => {
  const accepted = createHash("sha256").update(authorization).digest("hex") === process.argv[1];
  response.writeHead(accepted ? 200 : 401, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ accepted, authorization }));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

/**
 * Starts it in the project's shell, since a confined shell reaches no other network than its own. It knows only a hash of its token.
 * Resolves with undefined where commands can't be run.
 */
export async function startTourServer(run: TourRoom["command"]): Promise<TourServer | undefined> {
  const token = `tour-${randomBytes(6).toString("hex")}`;
  const hash = createHash("sha256").update(`Bearer ${token}`).digest("hex");
  try {
    // Its first line comes through a pipe, and it runs on in the background.
    const started = await run(
      `exec {tour_server}< <(exec node -e '${program}' ${hash} 2>&1)\nread -r port <&$tour_server; echo "started $! on $port"`,
    );
    const [, pid, port] = /started (\d+) on (\d+)/.exec(started) ?? [];
    if (port === undefined) return undefined;
    return {
      url: `http://127.0.0.1:${port}/`,
      token,
      close: async () => void (await run(`kill ${pid}; exec {tour_server}<&-`).catch(() => undefined)),
    };
  } catch {
    return undefined;
  }
}

const notes = {
  en: (url: string, token: string | undefined) =>
    token === undefined
      ? `${url} wants a token. Nobody is at a terminal, so the tour gives it itself, for this session.`
      : `${url} wants the token ${token}. Type it when you are asked for it, then s; it is not shown.`,
  zh: (url: string, token: string | undefined) =>
    token === undefined
      ? `${url} 需要令牌。没有终端，由演示自己提供，仅限本次会话。`
      : `${url} 需要令牌 ${token}。被询问时输入它，再按 s；输入不会显示。`,
};

/** Prepares a stop whose question names the server; where nobody can be asked, the tour gives the value itself. */
export const withServer = (stop: TourStop): TourStop => ({
  ...stop,
  async prepare({ question, locale, asks, command, setValue }) {
    const server = await startTourServer(command);
    if (server === undefined) return undefined;
    const { url, token, close } = server;
    if (!asks) await setValue(tourTokenName, token);
    return { question: question.replace("{url}", url), note: notes[locale](url, asks ? token : undefined), close };
  },
});
