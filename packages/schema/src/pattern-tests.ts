import { LinearPattern } from "./linear-pattern.ts";

/** Memory of one validation, and what it may spend. */
interface Call {
  /** Whether the schema is untrusted. */
  bounded: boolean;
  /** By pattern and text. */
  tested: Map<string, Map<string, boolean>>;
  /** Steps that are left; only for an untrusted schema. */
  left: number;
}

let current: Call | undefined;

/** Thrown where an untrusted schema would cost more than it may: the server that runs the tool validates as well. */
export class Undecided extends Error {}
const undecided = new Undecided("left to the server that runs the tool");

/** Steps of every call: a tenth of a second or two. */
const minSteps = 2_000_000;
/** Patterns of untrusted schemas don't run on longer texts. */
const maxTextLength = 100_000;
/** Shorter texts are tested again: remembering them costs as much. */
const minRemembered = 16;
const maxCompiled = 500;

/** What is tested in `body` is tested once. `size`: of the value, which may cost so much more. */
export function inOneCall<Result>(bounded: boolean, size: () => number, body: () => Result): Result {
  if (current !== undefined && current.bounded === bounded) return body();
  const around = current;
  current = { bounded, tested: new Map(), left: bounded ? minSteps + 4 * size() : 0 };
  try {
    return body();
  } finally {
    current = around;
  }
}

/** Checks whether the schema that is running is untrusted. */
function isBounded(): boolean {
  return current?.bounded === true;
}

/** Checks whether nothing is left to spend. */
export function isSpent(): boolean {
  return isBounded() && (current as Call).left < 0;
}

/** Throws {@link Undecided} when an untrusted schema has cost enough. */
export function spend(steps: number): void {
  if (current?.bounded !== true) return;
  current.left -= steps;
  if (current.left < 0) throw undecided;
}

/** Checks whether a pattern is found in a text; asked once a call. Throws {@link Undecided}. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (current === undefined || text.length < minRemembered) return test(pattern, text);
  let texts = current.tested.get(pattern);
  if (texts === undefined) {
    texts = new Map();
    current.tested.set(pattern, texts);
  }
  let known = texts.get(text);
  if (known === undefined) {
    known = test(pattern, text);
    texts.set(text, known);
  }
  return known;
}

/** Checks the same for text that is only shown: what can't be decided counts as found. */
export function seemsToMatch(pattern: string, text: string): boolean {
  try {
    return matchesPattern(pattern, text);
  } catch (error) {
    if (error instanceof Undecided) return true;
    throw error;
  }
}

const native = new Map<string, RegExp>();
const linear = new Map<string, LinearPattern | undefined>();

function test(pattern: string, text: string): boolean {
  if (!isBounded()) return compiled(native, pattern, () => new RegExp(pattern, "u")).test(text);
  const bounded = compiled(linear, pattern, () => LinearPattern.from(pattern));
  if (bounded === undefined || text.length > maxTextLength) throw undecided;
  return bounded.test(text, spend);
}

function compiled<Value>(known: Map<string, Value>, pattern: string, make: () => Value): Value {
  if (known.has(pattern)) return known.get(pattern) as Value;
  if (known.size >= maxCompiled) known.clear();
  const made = make();
  known.set(pattern, made);
  return made;
}
