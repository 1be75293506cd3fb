import type { Readable, Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";

/** What the command line is connected to. Everything it reads and writes goes through it. */
export interface Host {
  /** A terminal where `isTTY` is true, else a pipe or a file. */
  stdin: Readable & Partial<Pick<ReadStream, "isTTY" | "setRawMode">>;
  stdout: Writable & Partial<Pick<WriteStream, "isTTY" | "columns">>;
  stderr: Writable & Partial<Pick<WriteStream, "isTTY" | "columns">>;
  /** What the command line itself reads; the tools and commands below it have the environment of the process. */
  env: Record<string, string | undefined>;
  /** The folder where it was started: relative paths begin there. */
  folder: string;
  /** How a person calls it, in what it says. */
  command: string;
  /** Modules that are loaded as by `--tools`, before those of the command line. */
  tools: readonly string[];
  /** Signals are heard here. */
  signals: {
    on(signal: string, listener: () => void): unknown;
    off(signal: string, listener: () => void): unknown;
  };
  /** Leaves at once. */
  exit(code: number): void;
}

/** Creates the host of this process: its streams, its environment, its working folder. */
export function processHost(): Host {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    folder: process.cwd(),
    command: "toolglot",
    tools: [],
    signals: process,
    exit: (code) => process.exit(code),
  };
}
