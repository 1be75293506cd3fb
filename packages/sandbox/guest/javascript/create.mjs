// Makes interpreters, of which each begins with the same memory, in every process.
import { Interpreter } from "./interpreter.mjs";
import { makingEngine } from "./rejections.mjs";

/** WebAssembly pages are 64 KiB; the engine starts with 256 of them. */
const pageBytes = 65536;
const firstPages = 256;

/**
 * @typedef {object} InterpreterOptions
 * @property {typeof import("quickjs-emscripten")} engine
 * @property {WebAssembly.Module} [wasm] Compiled already, from code with its table (`rejections.mjs`). Set by the first start.
 * @property {import("./image.mjs").Image} [image] For engines that are made again and again.
 * @property {number} memoryMb
 * @property {number} stackBytes Of the engine; the thread's own stack must hold what that many bytes stand for.
 * @property {(messages: string[]) => void} post Sends messages to the host, in order.
 * @property {(run: () => void, ms: number) => void} delay Calls a function after so many milliseconds.
 */

/**
 * Makes an engine with a memory of its own; resolves when it can take a program. Each time anew: of the last one nothing is
 * used but its compiled code and what its memory held before its program, which is the same everywhere.
 * @param {InterpreterOptions} options @param {number} [memoryBytes] That it is to have from the start.
 */
export async function createInterpreter(options, memoryBytes = 0) {
  const { engine, memoryMb } = options;
  // The engine asks the thread for its time zone: a program, and its replay on another machine, find UTC.
  Date.prototype.getTimezoneOffset = () => 0;
  const maximum = (memoryMb * 1024 * 1024) / pageBytes;
  const initial = Math.min(Math.max(firstPages, memoryBytes / pageBytes), maximum);
  const memory = new WebAssembly.Memory({ initial, maximum });
  const given = options.wasm ? { wasmModule: options.wasm } : {};
  const variant = engine.newVariant(engine.RELEASE_SYNC, { wasmMemory: memory, ...given });
  const { made, wasm, table } = await makingEngine(() => engine.newQuickJSWASMModuleFromVariant(variant));
  options.wasm = wasm;
  // The engine takes random numbers from the clock; programs get others.
  const { now } = Date;
  Date.now = () => 0;
  try {
    return new Interpreter(made.newRuntime(), memory, table, options);
  } finally {
    Date.now = now;
  }
}
