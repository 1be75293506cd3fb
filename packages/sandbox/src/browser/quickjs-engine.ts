import type { Engine } from "../engine.ts";
import { MessageGuest } from "../javascript/message-guest.ts";
import type { SandboxLimits } from "../types.ts";
import { webWorkerThread } from "./web-worker-thread.ts";

/** The engine's files may come over a slow network. */
const startTimeoutMs = 60_000;

/** Creates an engine on QuickJS in WebAssembly, in a Web Worker. */
export function quickJsEngine(limits: SandboxLimits, makeWorker: () => Worker): Engine {
  const { memoryMb } = limits;
  return {
    language: "javascript",
    // The version is the one that the worker's script was bundled with; the range allows no other.
    label: "quickjs-emscripten 0.32",
    concurrent: true,
    sharedWithoutDomain: true,
    isolation: "worker",
    snapshot: "none",
    async prepare() {},
    spawn: () => new MessageGuest(webWorkerThread(makeWorker(), { memoryMb }), limits, startTimeoutMs),
  };
}
