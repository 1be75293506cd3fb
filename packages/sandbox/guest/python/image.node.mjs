// Sets an interpreter back to what it was before its first program. Nothing that a program left is looked at but to tell
// whether that can be done. What lives outside of WebAssembly's memory is put back, or must be as it was.
import { changedPages, digest, putPages } from "../pages.node.mjs";
import { freezeAll } from "./freeze.node.mjs";
import { recordState } from "./state.node.mjs";

// Taken before the first program, on buffers that no program holds.
const { call } = Function.prototype;
const copy = call.bind(Uint8Array.prototype.set);
const fill = call.bind(Uint8Array.prototype.fill);
const bufferOf = call.bind(
  /** @type {any} */ (Object.getOwnPropertyDescriptor(WebAssembly.Memory.prototype, "buffer")).get,
);
const lengthOf = call.bind(
  /** @type {any} */ (Object.getOwnPropertyDescriptor(WebAssembly.Table.prototype, "length")).get,
);
const entryOf = call.bind(WebAssembly.Table.prototype.get);
const setEntry = call.bind(Map.prototype.set);
const clear = call.bind(Map.prototype.clear);
const { keys } = Object;
const Bytes = Uint8Array;

/**
 * Takes the engine's own interface out of what Python holds: nothing of it is used from there on. A program could reach it by
 * writing into its own memory.
 * @param {any} pyodide @param {Map<unknown, number>} numbers As {@link findNumbers} has found it.
 */
export function cutOff(pyodide, numbers) {
  const engine = pyodide._module;
  const nothing = Object.freeze(Object.create(null));
  heldObjects(engine).forEach((object, number) => {
    if (object !== pyodide && object !== engine && object !== engine.API) return;
    engine.__hiwire_set(number, nothing);
    numbers.delete(object);
  });
  const { getPyProxyClass } = engine;
  // One for each kind of Python object, made when the first of its kind is handed to JavaScript.
  engine.getPyProxyClass = (/** @type {number} */ kind) => {
    const made = getPyProxyClass(kind);
    if (!Object.isFrozen(made)) freezeAll([made]);
    return made;
  };
  freezeAll([pyodide.ffi, ...heldObjects(engine)]);
}

/**
 * The engine's map from a JavaScript object to its number in the table of those that Python holds. Nothing else names it.
 * @param {any} engine
 */
export function findNumbers(engine) {
  const own = Map.prototype.set;
  const sample = {};
  /** @type {Map<unknown, number> | undefined} */
  let found;
  Map.prototype.set = function (key, value) {
    if (key === sample) found = this;
    return own.call(this, key, value);
  };
  try {
    engine._hiwire_decref(engine._hiwire_new_deduplicate(sample));
  } finally {
    Map.prototype.set = own;
  }
  if (found === undefined) throw new Error("the engine keeps its numbers elsewhere");
  return found;
}

/** @param {any} engine The JavaScript objects that Python holds, by number; undefined where there is none. */
function heldObjects(engine) {
  const held = [];
  for (let number = 0; ; number++) {
    try {
      held.push(engine.__hiwire_get(number));
    } catch {
      // Behind the end of the table.
      return held;
    }
  }
}

/** The contents of the host's wheels: too many to copy after each program, and no program can write to them. @param {any} FS */
function libraryFiles(FS) {
  const found = new Set();
  const { object: folder } = FS.analyzePath("/lib/toolglot/wheels");
  /** @param {any} node */
  const walk = (node) => {
    if (FS.isDir(node.mode)) for (const child of Object.values(node.contents)) walk(child);
    else found.add(node.contents);
  };
  if (folder) walk(folder);
  return found;
}

/**
 * Takes the image: the last thing before the first program.
 * @param {any} engine @param {Map<unknown, number>} numbers As {@link findNumbers} has found it.
 */
export function takeImage(engine, numbers) {
  const { memory, wasmTable } = engine;
  const image = new Bytes(bufferOf(memory)).slice();
  const stack = engine.stackSave();
  const held = heldObjects(engine);
  const references = engine._hiwire_num_refs();
  const functions = [];
  for (let index = 0; index < wasmTable.length; index++) functions.push(entryOf(wasmTable, index));
  const numbered = [...numbers];
  const libraries = keys(engine.LDSO.loadedLibsByHandle).length;
  const files = recordState(engine.FS, libraryFiles(engine.FS));

  /** Whether the parts that nothing can put back are as in the image. */
  function isAtRest() {
    if (engine.stackSave() !== stack || engine._hiwire_num_refs() !== references) return false;
    if (keys(engine.LDSO.loadedLibsByHandle).length !== libraries) return false;
    const now = heldObjects(engine);
    if (now.length !== held.length) return false;
    for (let number = 0; number < held.length; number++) if (now[number] !== held[number]) return false;
    if (lengthOf(wasmTable) !== functions.length) return false;
    for (let index = 0; index < functions.length; index++) {
      if (entryOf(wasmTable, index) !== functions[index]) return false;
    }
    return true;
  }

  function setBack() {
    const now = new Bytes(bufferOf(memory));
    copy(now, image);
    fill(now, 0, image.length);
    clear(numbers);
    for (const [object, number] of numbered) setEntry(numbers, object, number);
    files.setBack();
  }

  let known = "";

  return {
    isAtRest,
    setBack,
    /** The SHA-256 of the memory in the image. */
    digest() {
      known ||= digest(image);
      return known;
    },
    /** What a session has changed in memory. Its files are taken before: those of the image are put back. */
    changes() {
      files.setBack();
      const now = new Bytes(bufferOf(memory));
      return { memoryBytes: now.length, ...changedPages(image, now) };
    },
    /** @param {number} memoryBytes @param {readonly number[]} numbers @param {Uint8Array} pages */
    put(memoryBytes, numbers, pages) {
      setBack();
      if (memoryBytes > bufferOf(memory).byteLength) engine.growMemory(memoryBytes);
      putPages(new Bytes(bufferOf(memory)), numbers, pages);
    },
  };
}
