// Where an error was raised, when the engine cannot tell: it notes the places of calls, reads and sums, but of neither
// destructuring nor assignments, nor of a loop without any of those. What it then tells is the last place it noted.
import { lineAndColumn, scan } from "./source.mjs";

/** @typedef {import("./source.mjs").Token} Token */
/** @typedef {{ line: number, column?: number }} Place */

const declarations = new Set(["const", "let", "var"]);
const openingMarks = new Set(["(", "[", "{"]);
const closingMarks = new Set([")", "]", "}"]);

/** @param {readonly Token[]} tokens @param {number} index */
const isPlainEquals = (tokens, index) =>
  tokens[index]?.text === "=" && tokens[index + 1]?.text !== "=" && tokens[index + 1]?.text !== ">";

/** Of each bracket the index of its partner. @param {readonly Token[]} tokens */
function brackets(tokens) {
  /** @type {Map<number, number>} */
  const partners = new Map();
  /** @type {number[]} */
  const open = [];
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== "mark") continue;
    if (openingMarks.has(text)) open.push(index);
    const start = closingMarks.has(text) ? open.pop() : undefined;
    if (start === undefined) continue;
    partners.set(start, index);
    partners.set(index, start);
  }
  return partners;
}

/** Indexes of what takes a value apart: `const { a } = b`, `[x, y] = z`. @param {readonly Token[]} tokens */
function patterns(tokens) {
  return [...brackets(tokens)].flatMap(([start, end]) => {
    if (end < start || !["}", "]"].includes(tokens[end]?.text ?? "")) return [];
    if (!isPlainEquals(tokens, end + 1) && tokens[end + 1]?.text !== "of") return [];
    const before = tokens[start - 1];
    // `a[0] = 1` takes nothing apart.
    const isElement = before !== undefined && (closingMarks.has(before.text) || before.kind !== "mark");
    return tokens[end]?.text === "]" && isElement && !declarations.has(before.text) ? [] : [start];
  });
}

/** Indexes of what gives a variable of this name a value, but for its declaration. @param {readonly Token[]} tokens @param {string} name */
function assignments(tokens, name) {
  return [...tokens.keys()].filter((index) => {
    const token = /** @type {Token} */ (tokens[index]);
    const [before, after, then] = [
      tokens[index - 1]?.text ?? "",
      tokens[index + 1]?.text ?? "",
      tokens[index + 2]?.text,
    ];
    if (token.kind !== "word" || token.text !== name || before === "." || declarations.has(before)) return false;
    const steps = (after === "+" || after === "-") && then === after;
    const stepped = (before === "+" || before === "-") && tokens[index - 2]?.text === before;
    return isPlainEquals(tokens, index + 1) || steps || stepped || ("+-*/%&|^".includes(after) && then === "=");
  });
}

/** Loops, each with the offset of its end. @param {readonly Token[]} tokens */
function loops(tokens) {
  const partners = brackets(tokens);
  const last = tokens.length - 1;
  /** Of each index the next semicolon from there on. */
  const semicolons = new Int32Array(tokens.length).fill(last);
  const found = [];
  for (let index = last; index >= 0; index--) {
    const { kind, text, start } = /** @type {Token} */ (tokens[index]);
    semicolons[index] = text === ";" ? index : (semicolons[index + 1] ?? last);
    if (kind !== "word" || !["while", "for", "do"].includes(text) || tokens[index - 1]?.text === ".") continue;
    const head = text === "for" && tokens[index + 1]?.text === "await" ? index + 2 : index + 1;
    if (text !== "do" && tokens[head]?.text !== "(") continue;
    const body = text === "do" ? head : (partners.get(head) ?? last) + 1;
    const end = (tokens[body]?.text === "{" ? partners.get(body) : semicolons[body]) ?? last;
    found.push({ start, end: /** @type {Token} */ (tokens[end]).end });
  }
  return found.reverse();
}

/** @param {string} code @param {Place | undefined} place */
const offsetOf = (code, place) => {
  if (place === undefined) return 0;
  const before = code.split("\n").slice(0, place.line - 1);
  return before.reduce((sum, line) => sum + line.length + 1, 0) + (place.column ?? 1) - 1;
};

/** Whether a function begins here. @param {readonly Token[]} tokens @param {number} offset */
function startsFunction(tokens, offset) {
  const index = tokens.findIndex(({ start }) => start === offset);
  const token = tokens[index];
  if (token === undefined) return false;
  const last = token.text === "(" ? (brackets(tokens).get(index) ?? index) : index;
  const isArrow = tokens[last + 1]?.text === "=" && tokens[last + 2]?.text === ">";
  return isArrow || token.text === "function" || token.text === "async";
}

const destructuringError =
  /^(cannot convert to object|value is not iterable|cannot read property 'Symbol\.iterator' of \w+)$/;

/**
 * The place of an error whose own place the engine did not note: the one thing after `place` that can have raised it.
 * When there are several, nobody knows: undefined. Any other error is where it is said to be.
 * @param {string} code @param {string} message @param {Place | undefined} place
 * @returns {Place | undefined}
 */
export function placeOfError(code, message, place) {
  const name = /^'(.+)' is read-only$/.exec(message)?.[1];
  if (name === undefined && !destructuringError.test(message)) return place;
  const tokens = scan(code);
  const from = offsetOf(code, place);
  const before = tokens.findLast(({ end }) => end <= from)?.text;
  // Loops over a value and `...` have a place of their own.
  if (name === undefined && (before === "of" || before === ".")) return place;
  const found = name === undefined ? patterns(tokens) : assignments(tokens, name);
  const startOf = (/** @type {number} */ index) => /** @type {Token} */ (tokens[index]).start;
  const lineStart = code.lastIndexOf("\n", from - 1) + 1;
  const lineEnd = code.indexOf("\n", from);
  const isOnLine = (/** @type {number} */ start) => start >= lineStart && (lineEnd < 0 || start < lineEnd);
  if (place !== undefined && found.some((index) => isOnLine(startOf(index)))) return place;
  const later = found.filter((index) => startOf(index) >= from);
  if (place !== undefined && later.length === 0) return place;
  // What was noted is forgotten at an `await`.
  const partners = brackets(tokens);
  const isAwaited = (/** @type {number} */ index) => tokens[(partners.get(index) ?? index) + 2]?.text === "await";
  const [only, other] = later.length === 1 ? later : place === undefined ? later.filter(isAwaited) : [];
  return only === undefined || other !== undefined ? undefined : lineAndColumn(code, startOf(only));
}

/**
 * Where a program was when its time was up: `place` when that is in a loop, else the first loop after it.
 * @param {string} code @param {Place | undefined} place
 * @param {boolean} isInner Whether it was in a function that something of the program called: that may be recursion.
 * @returns {Place | undefined}
 */
export function placeOfTimeout(code, place, isInner) {
  const tokens = scan(code);
  const from = offsetOf(code, place);
  if (isInner && !startsFunction(tokens, from)) return place;
  const found = loops(tokens);
  if (place !== undefined && found.some(({ start, end }) => start <= from && from <= end)) return place;
  const next = found.find(({ start }) => start >= from);
  return next === undefined ? place : lineAndColumn(code, next.start);
}
