import { Readable } from "node:stream";
import { run } from "../../src/cli/run.ts";
import { type Ended, noConfig } from "./child.ts";

/** What a run in this process gets besides its arguments. */
export interface Surroundings {
  /** Variables of the environment, over those of the test's own process. */
  env?: Readonly<Record<string, string>>;
  /** What stands on standard input. */
  input?: string | Buffer;
}

/**
 * The demo in this process, as in one of its own without a terminal: what it writes, and its exit code. A process costs half a second
 * of processor time, so only what is about processes (signals, terminals, pipes, the built file) starts one. One at a time, as the
 * streams are the process's own.
 */
export async function runDemo(args: readonly string[], { env = {}, input = "" }: Surroundings = {}): Promise<Ended> {
  const written = { stdout: "", stderr: "" };
  const restore: (() => void)[] = [];
  const { stdin } = process;
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  restore.push(() => Object.defineProperty(process, "stdin", { value: stdin, configurable: true }));
  for (const name of ["stdout", "stderr"] as const) {
    const stream = process[name];
    const { write, isTTY } = stream;
    stream.isTTY = false;
    stream.write = ((text: string) => {
      written[name] += text;
      return true;
    }) as typeof write;
    restore.push(() => Object.assign(stream, { write, isTTY }));
  }
  for (const [name, value] of Object.entries({ ...noConfig, NO_COLOR: "1", ...env })) {
    const before = process.env[name];
    process.env[name] = value;
    restore.push(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
  try {
    const code = await run(args);
    return { code, ...written };
  } finally {
    for (const undo of restore) undo();
  }
}
