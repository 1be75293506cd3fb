import { readFile } from "node:fs/promises";
import type { Engine, Guest } from "../../engine.ts";
import { MessageGuest } from "../../javascript/message-guest.ts";
import type { SandboxLimits } from "../../types.ts";
import { findQuickJs, type QuickJsPackage, threadScript } from "./quickjs-package.ts";
import { WorkerThread } from "./worker-thread.ts";

/** A start takes 60 ms of processor time; machines under load take many times that. */
const START_TIMEOUT_MS = 30_000;
/** What the thread's own code and a few messages take. */
const HEAP_MB = 64;

/**
 * Calls of the program that each thread runs through before it takes one. The first of a process runs more of them: the
 * compiler then makes fast code of the engine, which all threads share.
 */
const REHEARSAL_CALLS = 300;
const FIRST_REHEARSAL_CALLS = 200;

/** Compiled once for the process: threads share the code. By path. */
const compiled = new Map<string, Promise<WebAssembly.Module | undefined>>();

function compile(path: string): Promise<WebAssembly.Module | undefined> {
  const known = compiled.get(path);
  if (known) return known;
  // A thread without it compiles by itself, and says what is wrong.
  const compiling = readFile(path)
    .then((bytes) => WebAssembly.compile(bytes))
    .catch(() => undefined);
  compiled.set(path, compiling);
  return compiling;
}

/** QuickJS in WebAssembly, in a thread of its own. */
export class QuickJsEngine implements Engine {
  readonly language = "javascript";
  readonly label: string;
  readonly concurrent = true;
  readonly isolation = "worker";
  readonly snapshot = "none";
  readonly #engine: QuickJsPackage;
  readonly #limits: SandboxLimits;
  #wasm: WebAssembly.Module | undefined;
  #started = false;

  /** Throws `ToolglotError` (`engine-missing`). */
  constructor(limits: SandboxLimits) {
    this.#engine = findQuickJs();
    this.#limits = limits;
    this.label = `quickjs-emscripten ${this.#engine.version}`;
  }

  async prepare(): Promise<void> {
    this.#wasm = await compile(this.#engine.wasm);
  }

  spawn(): Guest {
    const { memoryMb, maxResultBytes, maxLogBytes } = this.#limits;
    // Text of the program's value stands there a few times over, two bytes a character.
    const heapMb = HEAP_MB + Math.ceil((Math.max(maxResultBytes, maxLogBytes) * 8) / 1024 / 1024);
    const rehearsalCalls = this.#started ? REHEARSAL_CALLS : FIRST_REHEARSAL_CALLS;
    this.#started = true;
    const workerData = { memoryMb, wasm: this.#wasm, rehearsalCalls };
    const thread = new WorkerThread({ script: threadScript(), workerData, heapMb });
    return new MessageGuest(thread, this.#limits, START_TIMEOUT_MS);
  }

  startFailed(): void {
    this.#wasm = undefined;
  }
}
