import { readFile } from "node:fs/promises";
import { withTable } from "../../../guest/javascript/with-table.mjs";
import type { Engine, Guest } from "../../engine.ts";
import { madeOnce } from "../../made-once.ts";
import type { SandboxLimits, SandboxWall } from "../../types.ts";
import { missingWall } from "../walls.ts";
import { findQuickJs, type QuickJsPackage, threadHash, threadScript } from "./quickjs-package.ts";
import { SessionGuest } from "./session-guest.ts";
import { WorkerThread } from "./worker-thread.ts";

/** A start takes 60 ms of processor time; machines under load take many times that. */
const startTimeoutMs = 30_000;
/** What the thread's own code and a few messages take. */
const baseHeapMb = 64;

/** Compiled once for the process: threads share the code. By path. */
const compiled = new Map<string, Promise<WebAssembly.Module | undefined>>();

function compile(path: string): Promise<WebAssembly.Module | undefined> {
  // A thread without it compiles by itself, and reports what is wrong. The next start tries again.
  return madeOnce(compiled, path, () =>
    readFile(path)
      .then((bytes) => WebAssembly.compile(withTable(bytes)))
      .catch(() => {
        compiled.delete(path);
        return undefined;
      }),
  );
}

/** The most words of an image, with their count before them. */
const imageWords = 512 * 1024;

/**
 * What an engine's memory holds before its program, as the first thread of the process took it (`image.mjs`): the others
 * copy it, which takes a tenth of the time. By path.
 */
const images = new Map<string, Int32Array>();

/** Copies what a thread has written that is ready, and has had no program: later it writes into a copy of its own. */
function keepImage(path: string, draft: Int32Array): void {
  const length = draft[0] ?? 0;
  if (length > 0 && length < imageWords && !images.has(path))
    images.set(path, new Int32Array(draft.subarray(1, length + 1)));
}

/** QuickJS in WebAssembly, in a thread of its own. */
export class QuickJsEngine implements Engine {
  readonly language = "javascript";
  readonly label: string;
  readonly concurrent = true;
  readonly sharedWithoutDomain = true;
  readonly isolation = "worker";
  readonly snapshot = "none";
  readonly #engine: QuickJsPackage;
  readonly #limits: SandboxLimits;
  #wasm: WebAssembly.Module | undefined;
  missingWalls: readonly SandboxWall[] = [];

  /** Throws `ToolglotError` (`sandbox/engine-missing`). */
  constructor(limits: SandboxLimits) {
    this.#engine = findQuickJs();
    this.#limits = limits;
    this.label = `quickjs-emscripten ${this.#engine.version}`;
  }

  get guestHash(): string {
    return threadHash();
  }

  get warnings(): readonly string[] {
    return this.missingWalls.map(missingWall);
  }

  async prepare(): Promise<void> {
    this.#wasm = await compile(this.#engine.wasm);
  }

  spawn(): Guest {
    const { memoryMb, maxResultBytes, maxLogBytes } = this.#limits;
    // Text of the program's value stands there a few times over, two bytes a character.
    const heapMb = baseHeapMb + Math.ceil((Math.max(maxResultBytes, maxLogBytes) * 8) / 1024 / 1024);
    const path = this.#engine.wasm;
    const image = images.get(path);
    const draft = image ? undefined : new Int32Array(new SharedArrayBuffer(imageWords * 4));
    const workerData = { memoryMb, wasm: this.#wasm, image, draft };
    const thread = new WorkerThread({ script: threadScript(), workerData, heapMb });
    this.missingWalls = thread.isHeapLimited ? [] : ["memory"];
    const guest = new SessionGuest(thread, this.#limits, startTimeoutMs);
    if (draft) {
      guest.ready.then(
        () => keepImage(path, draft),
        () => {},
      );
    }
    return guest;
  }
}
