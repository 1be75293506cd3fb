// Takes away what a program that broke out of the engine would use first. No boundary: that is WebAssembly, which can do
// nothing but call the few functions it was given. A thread shares its process, so there is no permission model for it
// alone, and `import()` of a built-in is part of the language; what can be done here is to leave no built-in working.
import { createRequire, syncBuiltinESMExports } from "node:module";
import {
  denied,
  denyAll,
  denyFunctions,
  processFunctions,
  reachingModules,
  removeCodeFromText,
  removeGlobals,
} from "./harden.mjs";

const removedGlobals = (
  "fetch WebSocket EventSource XMLHttpRequest Request Response Headers FormData Worker BroadcastChannel MessageChannel " +
  "MessagePort eval Function require module navigator Blob setTimeout setInterval setImmediate queueMicrotask gc crypto " +
  "CustomEvent global"
).split(" ");

const removedModules = [
  ...reachingModules,
  ..."fs fs/promises cluster inspector/promises vm v8 os sqlite module".split(" "),
];

const removedFunctions = [
  ...processFunctions,
  ..."binding getBuiltinModule cwd openStdin _startProfilerIdleNotifier _getActiveHandles _getActiveRequests".split(
    " ",
  ),
  ..."getActiveResourcesInfo setUncaughtExceptionCaptureCallback _rawDebug".split(" "),
];

/** Called when nothing has to be loaded any more. */
export function harden() {
  const require = createRequire(import.meta.url);
  // Some of them warn that they are experimental.
  process.emitWarning = () => {};
  const modules = removedModules.flatMap((name) => {
    try {
      return [require(`node:${name}`)];
    } catch {
      // Not in this version of Node, or not in a thread.
      return [];
    }
  });
  const threads = require("node:worker_threads");
  for (const module of modules) denyAll(module);
  for (const name of ["Worker", "MessageChannel", "BroadcastChannel", "getEnvironmentData", "postMessageToThread"]) {
    threads[name] = denied;
  }
  denyFunctions(/** @type {any} */ (process), removedFunctions);
  // It writes files, and knows the process's real environment.
  Reflect.deleteProperty(process, "report");
  syncBuiltinESMExports();
  removeCodeFromText();
  removeGlobals(removedGlobals);
}
