// The walls around the interpreter in its own process: what the child takes away, and what it tries of those that its flags put up.
import * as fs from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import {
  denied,
  denyAll,
  denyFunctions,
  nail,
  processFunctions,
  reachingModules,
  removeCodeFromText,
  removeGlobals,
} from "../javascript/harden.mjs";

const require = createRequire(import.meta.url);

/** What V8 adds for young objects to the limit of its heap: 48 MB in Node 20 and 22, 192 MB in Node 24. */
const maxYoungMb = 256;

const removedGlobals = "fetch WebSocket EventSource XMLHttpRequest Request Response Worker Bun Deno".split(" ");

/** Takes away what reaches the network or another process. */
export function removeHostFunctions() {
  // Pyodide asks this binding for the open flags; the permission model refuses it, and this one value is all it needs.
  const constants = { ...fs.constants, fs: fs.constants };
  Object.defineProperty(process, "binding", { value: () => constants });
  for (const name of reachingModules) {
    try {
      denyAll(require(`node:${name}`));
    } catch {
      // Not in this version of Node.
    }
  }
  syncBuiltinESMExports();
  removeGlobals(removedGlobals);
  denyFunctions(/** @type {any} */ (process), processFunctions);
}

/** @param {() => unknown} act Whether it is done, and not refused. */
function isDone(act) {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/**
 * The walls that the runtime should have put up by its flags, and has not: each is tried, because a runtime that does not
 * know a flag may take it without a word.
 * @param {string} engineDir @param {number | undefined} heapMb
 */
export function findMissingWalls(engineDir, heapMb = 0) {
  const { spawnSync } = require("node:child_process");
  const readsAny = isDone(() => fs.closeSync(fs.openSync(process.execPath, "r")));
  const writes = isDone(() => fs.closeSync(fs.openSync(`${engineDir}/pyodide.mjs`, "r+")));
  const spawns = isDone(() => {
    const { error } = spawnSync(process.execPath, ["--version"], { stdio: "ignore" });
    if (error) throw error;
  });
  const makesCode = isDone(() => new Function("return 1")());
  return [
    ...(readsAny || writes ? ["files"] : []),
    ...(spawns ? ["processes"] : []),
    ...(makesCode ? ["code"] : []),
    ...(isHeapLimited(heapMb) ? [] : ["memory"]),
  ];
}

/**
 * Whether V8 took the flag that limits its heap: its limit is that, and something for young objects. Other engines report
 * a limit too, and keep to none.
 * @param {number} heapMb
 */
function isHeapLimited(heapMb) {
  const limit = require("node:v8").getHeapStatistics().heap_size_limit;
  return process.versions.bun === undefined && limit <= (heapMb + maxYoungMb) * 1024 * 1024;
}

/** Whether anything still opens a socket, of what {@link removeHostFunctions} has taken away. */
export function opensSockets() {
  const ways = [
    () => require("node:net").connect({ host: "127.0.0.1", port: 9 }),
    () => require("node:net").createServer(),
    () => new (require("node:net").Socket)().connect(9, "127.0.0.1"),
    () => require("node:dgram").createSocket("udp4"),
    () => require("node:tls").connect({ host: "127.0.0.1", port: 9 }),
    () => require("node:http").request("http://127.0.0.1:9").end(),
    () => require("node:https").request("https://127.0.0.1:9").end(),
  ];
  return ways.some((way) => isDone(way)) || removedGlobals.some((name) => name in globalThis);
}

/** After the engine has started nothing needs a file or a built-in any more. */
export function removeFiles() {
  const modules = ["fs", "fs/promises", "vm", "v8", "module"].map((name) => require(`node:${name}`));
  // `os.system` asks for this one. "It failed" is an error of the program; a throw here would end the engine.
  const failing = { spawnSync: () => ({ status: 127, signal: null }) };
  const require_ = (/** @type {unknown} */ id) => (id === "node:child_process" ? failing : denied());
  nail(modules.at(-1).prototype, "require", require_);
  for (const module of modules) denyAll(module);
  syncBuiltinESMExports();
  denyFunctions(/** @type {any} */ (process), ["getBuiltinModule", "binding"]);
}

/** Leaves nothing that makes code of text, nor hands out the frames of a stack. */
export function removeCode() {
  removeCodeFromText();
  Reflect.deleteProperty(globalThis, "eval");
  nail(Error, "prepareStackTrace", undefined);
}
