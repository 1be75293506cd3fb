import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { madeOnce } from "../../made-once.ts";
import { findEngine } from "../find-engine.ts";
import type { EngineInfo } from "./wheels.ts";

/** Everything the child may read besides its own script. */
export const engineFiles: readonly string[] = [
  "pyodide.mjs",
  "pyodide.asm.mjs",
  "pyodide.asm.wasm",
  "python_stdlib.zip",
];

/** The installed package of the engine. */
export interface EnginePackage {
  dir: string;
  version: string;
  lockInfo: EngineInfo;
}

/** Finds the installed engine. Throws `ToolglotError` (`sandbox/engine-missing`) with what to install. */
export function findPyodide(): EnginePackage {
  const { manifest, version } = findEngine("Python", "pyodide", "314.0.7");
  const dir = dirname(manifest);
  const { info } = JSON.parse(readFileSync(join(dir, "pyodide-lock.json"), "utf8")) as { info: EngineInfo };
  return { dir, version, lockInfo: info };
}

const digests = new Map<string, Promise<string>>();

/** Resolves with the hash of the engine's files: 12 MB, once in a process. */
export function engineDigest(dir: string): Promise<string> {
  return madeOnce(digests, dir, async () => {
    const hash = createHash("sha256");
    const names = [...engineFiles, "pyodide-lock.json"];
    for (const file of await Promise.all(names.map((name) => readFile(join(dir, name))))) hash.update(file);
    return hash.digest("hex");
  });
}
