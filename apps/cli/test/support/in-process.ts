import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { Host } from "../../src/host.ts";
import { main } from "../../src/run.ts";
import { type Ended, noConfig, root } from "./child.ts";

/** The demo from its sources, as a module for the command line. */
export const demoModule: string = join(root, "apps/demo/src/index.ts");

/** What a run in this process gets besides its arguments. */
export interface Surroundings {
  /** Variables of the environment, over those of the test's own process. */
  env?: Readonly<Record<string, string>>;
  /** What stands on standard input. */
  input?: string | Buffer;
  /** Default: that of the test. */
  folder?: string;
}

/** Creates the host of a run without a terminal, and returns it with what was written. */
export function testHost({ env = {}, input = "", folder }: Surroundings = {}): {
  host: Host;
  written: { stdout: string; stderr: string };
} {
  const written = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof written): Writable =>
    new Writable({
      decodeStrings: false,
      write(text, _, done) {
        written[name] += String(text);
        done();
      },
    });
  const host: Host = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    env: { ...process.env, ...noConfig, NO_COLOR: "1", ...env },
    folder: folder ?? (env.INIT_CWD || process.cwd()),
    command: "toolglot",
    tools: [],
    signals: process,
    exit: (code) => {
      throw new Error(`left with ${code}`);
    },
  };
  return { host, written };
}

/**
 * The command line in this process, as in one of its own without a terminal: what it writes, and its exit code. A process costs half a
 * second of processor time, so only what is about processes (signals, terminals, pipes, the built file) starts one.
 */
export async function runCli(args: readonly string[], surroundings?: Surroundings): Promise<Ended> {
  return run(args, surroundings, {});
}

/** The same with the demo's module, as `npm run demo` has it. */
export async function runDemo(args: readonly string[], surroundings?: Surroundings): Promise<Ended> {
  return run(args, surroundings, { command: "npm run demo --", tools: [demoModule] });
}

async function run(args: readonly string[], surroundings: Surroundings = {}, own: Partial<Host>): Promise<Ended> {
  const { host, written } = testHost(surroundings);
  // What the packages below read is the process's own.
  const before = Object.keys(surroundings.env ?? {}).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, surroundings.env);
  try {
    const code = await main(args, { ...host, ...own });
    return { code, ...written };
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
