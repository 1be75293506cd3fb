// What the engine's memory holds when both realms are made and no program has been in it. To copy that into a new engine's
// memory takes a tenth of the time that evaluating the realms' source does, and leads to the same.

/** @typedef {import("quickjs-emscripten").QuickJSHandle} Handle */
/**
 * Brings a new engine to where `evaluate` would bring it. `made`: what the engine was made to hold so far.
 * @typedef {(made: Handle[], evaluate: () => void) => void} Restore
 */

/** In front of an image: where memory holds what was made before it, so that another engine's image is not taken. */
const placeCount = 3;
/** 16 KB. Most of an engine's memory is zero, as new memory is: its stack, and what is left. */
const pageWords = 4096;

/** An image that is taken of the first engine that has no use for the one there is. */
export class Image {
  /** @param {Int32Array} [words] Taken before, of the same engine with the same code: places, number of pages, which, and they. */
  constructor(words) {
    this.words = words;
  }

  /** The memory of an engine that has run nothing; what is behind it is zero. */
  get bytes() {
    const words = this.words ?? new Int32Array();
    const count = words[placeCount] ?? 0;
    const last = Math.max(-1, ...words.subarray(placeCount + 1, placeCount + 1 + count));
    const memory = new Int32Array((last + 1) * pageWords);
    copyPages(words, memory);
    return new Uint8Array(memory.buffer);
  }

  /** For an engine with this memory. @param {WebAssembly.Memory} memory @returns {Restore} */
  restorer(memory) {
    return (made, evaluate) => {
      const places = made.map(({ value }) => Number(value));
      const { words } = this;
      if (words && places.every((place, index) => place === words[index])) {
        copyPages(words, new Int32Array(memory.buffer));
        return;
      }
      // Also pages that are zero later: another engine has other words there by now.
      const before = usedPages(new Int32Array(memory.buffer));
      evaluate();
      this.words = imageOf(places, before, new Int32Array(memory.buffer));
    };
  }
}

/** @param {Int32Array} words @param {Int32Array} memory */
function copyPages(words, memory) {
  const count = words[placeCount] ?? 0;
  const first = placeCount + 1 + count;
  for (let index = 0; index < count; index++) {
    const from = first + index * pageWords;
    memory.set(words.subarray(from, from + pageWords), (words[placeCount + 1 + index] ?? 0) * pageWords);
  }
}

/** Pages that are not all zero. @param {Int32Array} memory */
function usedPages(memory) {
  /** @type {number[]} */
  const pages = [];
  for (let index = 0; index < memory.length; index++) {
    if (memory[index] === 0) continue;
    const page = Math.floor(index / pageWords);
    pages.push(page);
    index = (page + 1) * pageWords - 1;
  }
  return pages;
}

/** @param {number[]} places @param {number[]} before @param {Int32Array} memory */
function imageOf(places, before, memory) {
  const pages = [...new Set([...before, ...usedPages(memory)])];
  const words = new Int32Array(placeCount + 1 + pages.length * (1 + pageWords));
  words.set([...places, pages.length, ...pages]);
  for (const [index, page] of pages.entries()) {
    const to = placeCount + 1 + pages.length + index * pageWords;
    words.set(memory.subarray(page * pageWords, (page + 1) * pageWords), to);
  }
  return words;
}
