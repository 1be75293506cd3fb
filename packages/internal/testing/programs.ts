import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { afterAll, afterEach } from "vitest";
import { scripts } from "../../../bundled-script.ts";

const folders: string[] = [];
const running = new Set<ChildProcess>();

afterEach(async () => {
  const left = [...running];
  for (const child of left) child.kill("SIGKILL");
  await Promise.all(left.map((child) => (child.exitCode ?? child.signalCode) === null && once(child, "exit")));
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** By which packages in a bundle find the modules of Node that they `require`. */
const requireOfNode =
  'import { createRequire as requireOfBundle } from "node:module"; const require = requireOfBundle(import.meta.url);';

/** How a program of a test becomes one file that plain Node runs. */
export const asProgram: BuildOptions = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  conditions: ["source"],
  plugins: [scripts],
  external: ["libsql"],
  // Modules as they are: what is wrapped for every loader may look for its parts while it runs.
  mainFields: ["module", "main"],
  banner: { js: requireOfNode },
  logLevel: "error",
};

/** Bundles a program of a folder's `processes/` as a file that plain Node runs; returns its path. A driver of a database is left out, and `others`. */
export async function bundle(name: string, from: string, others: readonly string[] = []): Promise<string> {
  let home = from;
  while (!existsSync(join(home, "package.json"))) home = dirname(home);
  // Inside the package, so that what is left out is found from there.
  const folder = mkdtempSync(join(home, "node_modules/.programs-"));
  folders.push(folder);
  const outfile = join(folder, `${name}.mjs`);
  const entryPoints = [join(from, "processes", `${name}.ts`)];
  await build({ ...asProgram, entryPoints, outfile, external: ["libsql", ...others] });
  return outfile;
}

export interface Program {
  child: ChildProcess;
  /** Resolves when it has said this. Rejects when it ends first. */
  said(text: string): Promise<void>;
  /** Exit status or signal, and all its output. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>;
}

export function start(script: string, settings: unknown): Program {
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  let output = "";
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    for (const listener of listeners) listener();
  });
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, output };
  });
  const said = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (output.includes(text)) resolve();
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without saying ${text}: ${output}`)));
    });
  return { child, said, ended };
}
