import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { scripts } from "../../../../../bundled-script.ts";

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
  await build({
    entryPoints: [join(import.meta.dirname, name)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["source"],
    plugins: [scripts],
    logLevel: "error",
  });
  return outfile;
}

/** A process that runs a script of this folder. */
export async function spawnScript(name: string, args: readonly string[]): Promise<ChildProcess> {
  return spawn(process.execPath, [await bundle(name), ...args], { stdio: ["pipe", "pipe", "inherit"] });
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
