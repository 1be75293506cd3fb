// How V8 compiles the engine. A start runs little of it, and none of it for long.
import v8 from "node:v8";

/** Bytes, roughly, of one function that are run before V8 compiles it again, to be faster. */
const budget = 50_000_000;
/** What a jump back in a function costs of that at the most: a start has up to 120,000 of them, a second of work some millions. */
const jumpCost = 250;

/** @param {string} flag One that this runtime doesn't know changes nothing. */
function set(flag) {
  try {
    v8.setFlagsFromString(flag);
  } catch {
    // Not V8.
  }
}

/** @param {number} bytes */
const setBudget = (bytes) => set(`--wasm-tiering-budget=${bytes}`);

/**
 * To be called before the engine loads. V8 takes from a function's budget the length of the code that a jump goes over. Python's loop is one
 * function of half a megabyte: by that length each start would use up any budget there can be, and compile it again in the background, for
 * a fourth of the start's processor time. But it takes at the most a quarter of what the flag says when it compiles the function for the first
 * time, except in Node 22: so the flag is large when budgets are given out, and small when the loop is compiled.
 */
export function tuneEngine() {
  // Functions are checked when they are first called, and most never are.
  set("--wasm-lazy-validation");
  // What the start does often it never does again.
  set("--no-opt");
  setBudget(budget);
  return {
    /** The engine has its functions, and has run none of them. */
    onMade() {
      if (!process.versions.v8?.startsWith("12.")) setBudget(4 * jumpCost);
    },
    end() {
      setBudget(budget);
      set("--opt");
    },
  };
}
