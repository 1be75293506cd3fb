// Takes away what a program that broke out of the engine would use first. No boundary: that is WebAssembly, which can do
// nothing but call the few functions it was given. A thread shares its process, so there is no permission model for it
// alone, and `import()` of a built-in is part of the language; what can be done here is to leave no built-in working.
import { createRequire, syncBuiltinESMExports } from "node:module";
import { denied, removeCodeFromText, removeGlobals } from "./harden.mjs";

const removedGlobals = [
  ...["fetch", "WebSocket", "EventSource", "XMLHttpRequest", "Request", "Response", "Headers", "FormData", "Worker"],
  ...[
    "BroadcastChannel",
    "MessageChannel",
    "MessagePort",
    "eval",
    "Function",
    "require",
    "module",
    "navigator",
    "Blob",
  ],
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "gc", "crypto", "CustomEvent", "global"],
];

const removedModules = [
  ...["fs", "fs/promises", "net", "tls", "dgram", "dns", "dns/promises", "http", "https", "http2", "child_process"],
  ...["cluster", "inspector", "inspector/promises", "wasi", "vm", "v8", "os", "sqlite", "module"],
];

const removedProcess = [
  ...["kill", "_kill", "dlopen", "_linkedBinding", "binding", "getBuiltinModule", "abort", "chdir", "umask", "cwd"],
  ...["setuid", "setgid", "seteuid", "setegid", "setgroups", "initgroups", "_debugProcess", "_debugEnd", "loadEnvFile"],
  ...["execve", "setSourceMapsEnabled", "openStdin", "_startProfilerIdleNotifier", "_getActiveHandles"],
  ...["_getActiveRequests", "getActiveResourcesInfo", "setUncaughtExceptionCaptureCallback", "_rawDebug"],
];

/** Replaces the functions of an object and of its classes' prototypes. @param {Record<string, any>} target */
function denyAll(target) {
  for (const key of Object.keys(target)) {
    // Some exports are accessors that load what they give.
    const value = target[key];
    if (typeof value !== "function") continue;
    for (const method of Object.getOwnPropertyNames(value.prototype ?? {})) {
      const held = Object.getOwnPropertyDescriptor(value.prototype, method);
      if (method === "constructor" || !held?.configurable || typeof held.value !== "function") continue;
      Object.defineProperty(value.prototype, method, { ...held, value: denied });
    }
    try {
      target[key] = denied;
    } catch {
      // A read-only export: its prototype is gone.
    }
  }
}

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
  const table = /** @type {Record<string, any>} */ (/** @type {unknown} */ (process));
  for (const name of removedProcess) if (typeof table[name] === "function") table[name] = denied;
  // It writes files, and knows the process's real environment.
  Reflect.deleteProperty(process, "report");
  syncBuiltinESMExports();
  removeCodeFromText();
  removeGlobals(removedGlobals);
}
