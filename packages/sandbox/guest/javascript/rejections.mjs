// Which promises of a program were rejected and have no handler. The engine knows, and has a hook for it in its runtime, but its
// package shows neither the hook nor the table of functions that the hook is called through.

import { tableName, withTable } from "./with-table.mjs";

/** @typedef {import("quickjs-emscripten").QuickJSContext} Context */
/** @typedef {import("quickjs-emscripten").QuickJSHandle} Handle */
/** @typedef {import("quickjs-emscripten").QuickJSRuntime} Runtime */

/** Words of a runtime's own structure; the two of its interrupt handler stand in front of those of the hook. */
const runtimeWords = 300;
/** More than a program can be told of. */
const maxHeld = 1000;

/**
 * Runs what makes an engine, with the table among its exports, and gives its code and its table besides.
 * @template Made @param {() => Promise<Made>} make
 * @returns {Promise<{ made: Made, wasm: WebAssembly.Module, table: WebAssembly.Table }>}
 */
export async function makingEngine(make) {
  const { instantiate, instantiateStreaming } = WebAssembly;
  /** @type {{ wasm: WebAssembly.Module, instance: WebAssembly.Instance } | undefined} */
  let found;
  const wrapped = async (/** @type {any} */ code, /** @type {any} */ imports) => {
    const wasm = code instanceof WebAssembly.Module ? code : await WebAssembly.compile(withTable(new Uint8Array(code)));
    const instance = await instantiate(wasm, imports);
    found = { wasm, instance };
    return code === wasm ? instance : { module: wasm, instance };
  };
  const streaming = async (/** @type {any} */ response, /** @type {any} */ imports) =>
    wrapped(await (await response).arrayBuffer(), imports);
  Object.assign(WebAssembly, {
    instantiate: wrapped,
    ...(instantiateStreaming && { instantiateStreaming: streaming }),
  });
  try {
    const made = await make();
    const { wasm, instance } = /** @type {NonNullable<typeof found>} */ (found);
    return { made, wasm, table: /** @type {WebAssembly.Table} */ (instance.exports[tableName]) };
  } finally {
    Object.assign(WebAssembly, { instantiate, ...(instantiateStreaming && { instantiateStreaming }) });
  }
}

/** A module that gives back the function it takes, with the type that the hook has: `(i32, i64, i64, i32, i32) → ()`. */
const typed = new WebAssembly.Module(
  // biome-ignore format: sections, one a line
  Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    1, 9, 1, 0x60, 5, 0x7f, 0x7e, 0x7e, 0x7f, 0x7f, 0,
    2, 7, 1, 1, 0x65, 1, 0x66, 0, 0,
    7, 5, 1, 1, 0x66, 0, 0,
  ]),
);

/** The promises of a runtime that were rejected and have no handler yet, in their order. */
export class Rejections {
  /** @type {Map<number, Handle>} */
  #held = new Map();

  /**
   * @param {Runtime} runtime @param {() => boolean} interrupt The runtime's interrupt handler, which is set here.
   * @param {WebAssembly.Memory} memory @param {WebAssembly.Table} table
   */
  constructor(runtime, interrupt, memory, table) {
    const words = () => new Int32Array(memory.buffer);
    // The package has no word for the place of the hook: it is behind that of the interrupt handler, which it does set.
    const first = /** @type {any} */ (runtime).rt.value / 4;
    const before = words().slice(first, first + runtimeWords);
    runtime.setInterruptHandler(interrupt);
    const set = before.findIndex((word, index) => word !== words()[first + index]);
    const { exports } = new WebAssembly.Instance(typed, {
      e: {
        f: (
          /** @type {number} */ _,
          /** @type {bigint} */ promise,
          /** @type {bigint} */ __,
          /** @type {number} */ isHandled,
        ) => this.#note(promise, isHandled === 1),
      },
    });
    words()[first + set + 2] = table.grow(1, exports.f);
    this.words = words;
  }

  /** @param {Context} program Whose values they are. */
  watch(program) {
    this.program = program;
  }

  /** @param {bigint} promise As the engine writes its values. @param {boolean} isHandled */
  #note(promise, isHandled) {
    const address = Number(BigInt.asUintN(32, promise));
    if (isHandled) {
      this.#held.get(address)?.dispose();
      this.#held.delete(address);
    } else if (this.program && this.#held.size < maxHeld && !this.#held.has(address)) {
      // A value of our own, made one of the program's: it counts as another reference to the promise.
      const handle = this.program.newNumber(0.5);
      if (!handle.value) return;
      const words = this.words();
      words[Number(handle.value) / 4] = address;
      words[Number(handle.value) / 4 + 1] = Number(BigInt.asIntN(32, promise >> 32n));
      words[address / 4] = (words[address / 4] ?? 0) + 1;
      this.#held.set(address, handle);
    }
  }

  /** Gives the promises, and forgets them. */
  take() {
    const taken = [...this.#held.values()];
    this.#held.clear();
    return taken;
  }
}
