import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { findEngine } from "../find-engine.ts";

/** The installed engine. */
export interface QuickJsPackage {
  version: string;
  /** Path of its WebAssembly. */
  wasm: string;
}

/** Finds the installed engine. Throws `ToolglotError` (`sandbox/engine-missing`) with what to install. */
export function findQuickJs(): QuickJsPackage {
  const { manifest, version } = findEngine("JavaScript", "quickjs-emscripten", "~0.32.0");
  return { version, wasm: createRequire(manifest).resolve("@jitl/quickjs-wasmfile-release-sync/wasm") };
}

/** Where the thread's script lies: in `dist`, where it is one file and loads faster, beside a folder like it, or beside `src`. */
const places = ["./worker.node.js", "../guest/javascript/worker.node.mjs", "../../../guest/javascript/worker.node.mjs"];

/** Returns the thread's script. */
export function threadScript(): URL {
  return places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url)) as URL;
}

/** Returns what a thread runs, besides the engine: changes with every change of it. Read once; it does not change while a process runs. */
export function threadHash(): string {
  const script = threadScript();
  hash ??= createHash("sha256")
    .update(JSON.stringify(sourcesOf(script)))
    .digest("hex");
  return hash;
}

let hash: string | undefined;

/** In `dist` the script is one file; else it imports those around it. */
function sourcesOf(script: URL): string[] {
  if (script.pathname.endsWith(".js")) return [readFileSync(script, "utf8")];
  const folders = [new URL("./", script), new URL("./realm/", script), new URL("../", script)];
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((name) => new URL(name, folder)),
  );
  return files.filter(({ pathname }) => pathname.endsWith(".mjs")).map((file) => readFileSync(file, "utf8"));
}
