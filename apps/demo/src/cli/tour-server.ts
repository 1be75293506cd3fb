import { createHash, randomBytes } from "node:crypto";
import type { LocalTools } from "@toolglot/local-tools";

/** The name of the value that the tour asks for. */
export const tourTokenName = "TOUR_TOKEN";

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
 * Undefined where commands can't be run.
 */
export async function startTourServer(local: LocalTools): Promise<TourServer | undefined> {
  const token = `tour-${randomBytes(6).toString("hex")}`;
  const hash = createHash("sha256").update(`Bearer ${token}`).digest("hex");
  const run = async (script: string): Promise<string> =>
    (await local.command({ script }, { ask: async () => ({ approved: true }) })).output;
  try {
    // Its first line comes through a pipe, and it goes on in the background.
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
