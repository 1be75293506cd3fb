import { readFile } from "node:fs/promises";
import type { Engine, Guest } from "../../engine.ts";
import { MessageGuest, type ThreadLife } from "../../javascript/message-guest.ts";
import type { ReuseOptions, SandboxLimits } from "../../types.ts";
import { findQuickJs, type QuickJsPackage, threadScript } from "./quickjs-package.ts";
import { WorkerThread } from "./worker-thread.ts";

/** A start takes 60 ms of processor time; machines under load take many times that. */
const START_TIMEOUT_MS = 30_000;
/** What nobody foresaw must not add up in a thread. */
const MAX_PROGRAMS = 200;
const MAX_AGE_MS = 600_000;
/** What the thread's own code and a few messages take. */
const HEAP_MB = 64;

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
  readonly #life: ThreadLife;
  #wasm: WebAssembly.Module | undefined;

  /** Throws `ToolglotError` (`engine-missing`). */
  constructor(limits: SandboxLimits, { maxPrograms = MAX_PROGRAMS, maxMs = MAX_AGE_MS }: ReuseOptions = {}) {
    this.#engine = findQuickJs();
    this.#limits = limits;
    this.#life = { startTimeoutMs: START_TIMEOUT_MS, maxPrograms, maxMs };
    this.label = `quickjs-emscripten ${this.#engine.version}`;
  }

  async prepare(): Promise<void> {
    this.#wasm = await compile(this.#engine.wasm);
  }

  spawn(): Guest {
    const { memoryMb, maxResultBytes, maxLogBytes } = this.#limits;
    // Text of the program's value stands there a few times over, two bytes a character.
    const heapMb = HEAP_MB + Math.ceil((Math.max(maxResultBytes, maxLogBytes) * 8) / 1024 / 1024);
    const workerData = { memoryMb, wasm: this.#wasm };
    const thread = new WorkerThread({ script: threadScript(), workerData, heapMb });
    return new MessageGuest(thread, this.#limits, this.#life);
  }

  startFailed(): void {
    this.#wasm = undefined;
  }
}
