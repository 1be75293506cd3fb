import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** The command line as it is built, with the demo as it is built. */
export const builtDemo: readonly string[] = ["apps/cli/dist/main.js", "--tools", join(root, "apps/demo/dist/index.js")];

/** Whoever runs the tests has a configuration of their own, and npm tells from where it was called. */
export const noConfig = { XDG_CONFIG_HOME: join(root, "no-such-folder"), INIT_CWD: "" } as const;

/** How a process ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A process that runs. */
export interface Started {
  pid: number;
  ended: Promise<Ended>;
  kill(signal?: NodeJS.Signals): void;
  interrupt(): void;
  /** Resolves with standard output as soon as it holds the text. */
  seen(text: string): Promise<string>;
}

/** Starts a file of the repository with Node. */
export function start(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const child: ChildProcess = spawn(process.execPath, [join(root, file), ...args], {
    cwd: env.INIT_CWD || undefined,
    env: { ...process.env, ...noConfig, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      for (const watch of watchers) watch();
    });
  }
  const ended = new Promise<Ended>((done) => child.on("close", (code) => done({ code, ...output })));
  return {
    pid: child.pid as number,
    ended,
    kill: (signal = "SIGTERM") => void child.kill(signal),
    interrupt: () => void child.kill("SIGINT"),
    seen: (text) =>
      new Promise((done, failed) => {
        const watch = (): void => {
          if (output.stdout.includes(text)) done(output.stdout);
        };
        watchers.add(watch);
        watch();
        void ended.then(() => failed(new Error(`ended without ${text}: ${output.stdout}${output.stderr}`)));
      }),
  };
}

/** Starts the command line with the demo, as they are built. */
export function startDemo(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const [file = "", ...own] = builtDemo;
  return start(file, [...own, ...args], env);
}

let built: Promise<void> | undefined;

/** Builds what is not built yet, once for all test files of a process. */
export function buildDemo(): Promise<void> {
  built ??= start("scripts/demo.mjs", ["--help"]).ended.then(({ code, stderr }) => {
    if (code !== 0) throw new Error(`The demo could not be built: ${stderr}`);
  });
  return built;
}
