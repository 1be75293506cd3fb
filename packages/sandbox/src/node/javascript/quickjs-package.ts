import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { ToolglotError } from "@toolglot/core";

const installCommand = "npm install quickjs-emscripten@~0.32.0";

/** The installed engine. */
export interface QuickJsPackage {
  version: string;
  /** Path of its WebAssembly. */
  wasm: string;
}

/** Finds the installed engine. Throws `ToolglotError` (`sandbox/engine-missing`) with what to install. */
export function findQuickJs(): QuickJsPackage {
  let manifest: string;
  try {
    manifest = realpathSync(createRequire(import.meta.url).resolve("quickjs-emscripten/package.json"));
  } catch (cause) {
    throw new ToolglotError(
      "sandbox/engine-missing",
      `JavaScript needs the package quickjs-emscripten, which is not installed: ${installCommand}`,
      { cause, data: { package: "quickjs-emscripten", install: installCommand } },
    );
  }
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const wasm = createRequire(manifest).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
  return { version, wasm };
}

/** Where the thread's script lies: in `dist`, where it is one file and loads faster, beside a folder like it, or beside `src`. */
const places = ["./worker.node.js", "../guest/javascript/worker.node.mjs", "../../../guest/javascript/worker.node.mjs"];

/** The thread's script. */
export function threadScript(): URL {
  return places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url)) as URL;
}
