import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { asProgram } from "@toolglot/internal/testing/programs";
import { build } from "esbuild";
import { afterAll } from "vitest";

const built = new Map<string, Promise<string>>();

afterAll(async () => {
  for (const script of built.values()) rmSync(await script, { force: true });
});

/** A script of this folder as one file beside the packages that it needs, as deep as `dist`. */
function bundle(name: string): Promise<string> {
  const made = built.get(name) ?? write(name);
  built.set(name, made);
  return made;
}

async function write(name: string): Promise<string> {
  const outfile = join(import.meta.dirname, `../../../node_modules/.session-${name}-${process.pid}.mjs`);
  await build({ ...asProgram, entryPoints: [join(import.meta.dirname, name)], outfile });
  return outfile;
}

/** Where a bundled script finds the package `libsql`, which is none of this package's: a folder for NODE_PATH. */
export function libsqlFolder(): string {
  const own = join(import.meta.dirname, "../../../../sqlite/package.json");
  return join(createRequire(own).resolve("libsql"), "../..");
}

/** A process that runs a script of this folder. */
export async function spawnScript(name: string, args: readonly string[]): Promise<ChildProcess> {
  const env = { ...process.env, NODE_PATH: libsqlFolder() };
  return spawn(process.execPath, [await bundle(name), ...args], { stdio: ["pipe", "pipe", "inherit"], env });
}

/** What a process tells, a line of JSON each. */
export function toldBy(child: ChildProcess): () => Promise<unknown> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return async () => {
    const { value } = await lines.next();
    return value === undefined ? undefined : (JSON.parse(value as string) as unknown);
  };
}

/** Runs a script that tells numbers, a line each, and kills it so many milliseconds after the first. Returns what it told. */
export async function startScript(name: string, args: readonly string[], lifeMs: number): Promise<number[]> {
  const child = await spawnScript(name, args);
  let told = "";
  child.stdout?.on("data", (chunk) => {
    if (told === "") setTimeout(() => child.kill("SIGKILL"), lifeMs);
    told += String(chunk);
  });
  await once(child, "close");
  return told.split("\n").slice(0, -1).map(Number);
}
