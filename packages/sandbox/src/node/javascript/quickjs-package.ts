import { existsSync } from "node:fs";
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

/** The thread's script. */
export function threadScript(): URL {
  return places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url)) as URL;
}
