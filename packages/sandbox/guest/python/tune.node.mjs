// How V8 compiles the engine. A start runs little of it, and none of it for long.
import v8 from "node:v8";

/** Jumps back in one function before V8 compiles it again, to be faster. A start has up to 120,000 of them, a second of work some millions. */
const jumps = 200_000;
const jumpCost = 100;

/** @param {string} flag One that this runtime doesn't know changes nothing. */
function set(flag) {
  try {
    v8.setFlagsFromString(flag);
  } catch {
    // Not V8.
  }
}

/** @param {number} budget */
const setBudget = (budget) => set(`--wasm-tiering-budget=${budget}`);

/**
 * To be called before the engine loads. V8 takes from a function's budget the length of the code that a jump goes over, and at the most a
 * quarter of what the flag says when it compiles it for the first time. Python's loop is one function of half a megabyte: by its length
 * each start would use up any budget there can be, and compile it again in the background, for a fourth of the start's processor time.
 * So the flag is large when budgets are given out, and small when the loop is compiled.
 */
export function tuneEngine() {
  // Functions are checked when they are first called, and most never are.
  set("--wasm-lazy-validation");
  setBudget(jumps * jumpCost);
  return {
    /** The engine has its functions, and has run none of them. */
    onMade: () => setBudget(4 * jumpCost),
    end: () => setBudget(jumps * jumpCost),
  };
}
