import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { ByteLines, checkKeys, settleWithin, unsettled } from "@toolglot/internal";
import { clientError } from "../errors.ts";
import { type Link, type LinkEvents, linkTransport } from "../frame-link.ts";
import type { Transport } from "../transport-types.ts";

/** Options of {@link stdioTransport}. */
export interface StdioTransportOptions {
  /** The program that serves a router on its standard streams (`serveStdio`). No shell reads it. */
  command: string;
  args?: readonly string[];
  /** Default: this process's. */
  cwd?: string;
  /** Default: this process's. */
  env?: Readonly<Record<string, string | undefined>>;
  /**
   * What becomes of its standard error: shown with this process's own, dropped, or given to a function as text. Default
   * `inherit`.
   */
  stderr?: "inherit" | "ignore" | ((text: string) => void);
  /** How long the process may take to end by itself after `close`, before it gets a signal. Default 10,000 ms. */
  graceMs?: number;
  /** Bytes of an answer. Default 16 MiB. */
  maxAnswerBytes?: number;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** How long a process may take to end after a signal. Milliseconds. */
const killMs = 2_000;

/**
 * Frames over the standard streams of a child process, a frame per line. The process is started with the first frame,
 * and again with the next one when it has ended; `close` ends its input, and the process with it. What it writes to its
 * standard output must be frames: anything else fails what is asked at the time (`trp-client/bad-answer`), and ends the
 * process.
 *
 * @example
 * ```ts
 * const client = createClient({ transport: stdioTransport({ command: "node", args: ["router.mjs"] }), agentId: "agent-7" });
 * ```
 */
export function stdioTransport(options: StdioTransportOptions): Transport {
  checkKeys(
    "stdioTransport",
    options,
    'command:text args:string[] cwd:string env:object stderr:"inherit"|"ignore"|function graceMs:number maxAnswerBytes:number',
    ["command"],
  );
  const { command, args = [], cwd, env, stderr = "inherit" } = options;
  const { graceMs = 10_000, maxAnswerBytes = 16 * 1024 * 1024 } = options;
  if (typeof command !== "string" || command === "") throw new TypeError("stdioTransport: command must be a program");
  const stdio: StdioOptions = ["pipe", "pipe", typeof stderr === "function" ? "pipe" : stderr];
  const settings = { stdio, ...(cwd === undefined ? {} : { cwd }), ...(env === undefined ? {} : { env: { ...env } }) };
  return linkTransport((events) => {
    const child = spawn(command, args, settings) as ChildProcess & { stdin: Writable; stdout: Readable };
    if (typeof stderr === "function") child.stderr?.setEncoding("utf8").on("data", stderr);
    return whenStarted(child, events, { command, graceMs, maxAnswerBytes });
  }, "The router wrote something to its standard output that is no TRP frame");
}

function whenStarted(
  child: ChildProcess & { stdin: Writable; stdout: Readable },
  events: LinkEvents,
  { command, graceMs, maxAnswerBytes }: { command: string; graceMs: number; maxAnswerBytes: number },
): Promise<Link> {
  const { stdin, stdout } = child;
  const lines = new ByteLines(maxAnswerBytes, {
    line: (bytes) => events.message(decode(bytes)),
    tooLong: () => events.message(undefined),
  });
  let isOver = false;
  // An unfinished last line is ignored: the process was killed while it wrote the line.
  const ended = new Promise<void>((resolve) => {
    // `close` comes after the end of its streams, so everything that the process wrote was read.
    child.once("close", (code, signal) => {
      isOver = true;
      events.over(`the router's process ended (${signal ?? `exit code ${code}`})`);
      resolve();
    });
  });
  stdout.on("data", (chunk: Buffer) => lines.push(chunk));
  // The process ends: nobody else can close these.
  stdin.on("error", () => {});
  stdout.on("error", () => {});

  async function end(ms: number): Promise<void> {
    stdin.end();
    for (const [signal, patience] of [
      [undefined, ms],
      ["SIGTERM", killMs],
      ["SIGKILL", killMs],
    ] as const) {
      if (signal !== undefined) child.kill(signal);
      if ((await settleWithin(ended, { ms: patience })) !== unsettled) return;
    }
    // Somebody that it has started holds its streams.
    for (const stream of child.stdio) stream?.destroy();
  }

  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const message = `The router's program ${JSON.stringify(command)} can't be started: ${error.code ?? error.message}.`;
      reject(clientError("trp-client/unreachable", message, { cause: error, data: { permanent: true } }));
    });
    child.once("spawn", () => {
      child.on("error", () => {});
      resolve({
        send: (text) => void (isOver || stdin.write(`${text}\n`)),
        drop: () => void end(graceMs),
        close: () => end(graceMs),
      });
    });
  });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
