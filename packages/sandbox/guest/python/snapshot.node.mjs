// The snapshot that the engine starts from, on its way into the engine's memory.
import * as fs from "node:fs";
import { tuneEngine } from "./tune.node.mjs";

/** WebAssembly pages are 64 KiB. */
const pageBytes = 65536;
/** A snapshot ends in its own SHA-256, which the host has checked. */
const digestBytes = 32;
/** Of a snapshot's head: a mark of the format, the length of the head, and more. */
const leastHeadBytes = 48;

/**
 * Loads the engine from its snapshot in the file `path`, or from the next `bytes` of the host where there is none. The engine takes what it gets
 * for the whole snapshot: it reads the head, and asks for what is behind it when it is about to fill its memory. That is read to where
 * it belongs, and lies in memory once. And the engine starts with the memory that it was compiled for, where a snapshot with
 * libraries has more: it gets the room before.
 * @param {{ path?: string, bytes?: number }} source
 * @param {(bytes: Uint8Array, from?: number) => void} read Fills all of it, from the host or from this descriptor.
 * @param {(snapshot: Uint8Array) => Promise<any>} load
 */
export async function loadSnapshot({ path, bytes = 0 }, read, load) {
  const file = path === undefined ? undefined : fs.openSync(path);
  const size = file === undefined ? bytes : fs.fstatSync(file).size - digestBytes;
  const start = new Uint32Array(2);
  read(new Uint8Array(start.buffer), file);
  const head = new Uint8Array(Math.min(Math.max(start[1], leastHeadBytes), size));
  head.set(new Uint8Array(start.buffer));
  read(head.subarray(start.byteLength), file);

  /** @type {WebAssembly.Memory} */
  let memory;
  const part = head.subarray.bind(head);
  head.subarray = (begin, end) => {
    if (end !== undefined) return part(begin, end);
    read(new Uint8Array(memory.buffer, 0, size - head.length), file);
    return part(0, 0);
  };
  const { instantiate } = WebAssembly;
  const tuning = tuneEngine();
  WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any} */ module, /** @type {any} */ imports) => {
      const made = /** @type {any} */ (await instantiate(module, imports));
      const { memory: own } = (made.instance ?? made).exports;
      // The engine tries what the runtime has, with small modules of its own.
      if (own === undefined) return made;
      memory = own;
      const missing = Math.floor((size - own.buffer.byteLength) / pageBytes);
      if (missing > 0) own.grow(missing);
      tuning.onMade();
      return made;
    }
  );
  try {
    return await load(head);
  } finally {
    tuning.end();
    WebAssembly.instantiate = instantiate;
    if (file !== undefined) fs.closeSync(file);
  }
}
