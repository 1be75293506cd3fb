// What is put around a program so that it can run, and how places in the whole come back to places in the program.
import { persist } from "./scope.mjs";
import { scan, statements } from "./source.mjs";

/** As the engine names the first program in stacks. */
export const programFile = "program.js";

const awaitPrefix = "await ";

/** What begins a statement that has no value. */
const valueless = new Set(
  "const let var function class if for while do switch try throw return import export break continue debugger with {".split(
    " ",
  ),
);

/** Where the last statement of a program starts, when it is an expression. @param {string} code */
function lastExpression(code) {
  const [first, second] = statements(code, scan(code)).at(-1) ?? [];
  if (first === undefined || valueless.has(first.text) || second?.text === ":") return undefined;
  return first.text === "async" && second?.text === "function" ? undefined : first.start;
}

/** A program that asks for strict mode. */
const strictDirective = /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(["'])use strict\1/;

/**
 * Where the last statement of a program starts, when it is the call of an async function that nobody awaits: `main()`,
 * `(async () => { … })()`. The program's end waits for it in any case; awaited, its error is the program's.
 * @param {string} code
 */
function lastAsyncCall(code) {
  if (!/\basync\b/.test(code)) return undefined;
  const tokens = scan(code);
  const [first, second, third] = statements(code, tokens).at(-1) ?? [];
  if (first === undefined) return undefined;
  const before = tokens[tokens.indexOf(first) - 1]?.text;
  if (first.text === "(") {
    const isAsync = second?.text === "async" && (before === undefined || before === ";");
    return isAsync && third !== undefined ? first.start : undefined;
  }
  if (first.kind !== "word" || second?.text !== "(") return undefined;
  const isAsync = tokens.some(({ text }, index) => {
    if (text !== first.text) return false;
    const declared = tokens[index - 1]?.text === "function" && tokens[index - 2]?.text === "async";
    return declared || (tokens[index + 1]?.text === "=" && tokens[index + 2]?.text === "async");
  });
  return isAsync ? first.start : undefined;
}

/** A place in the program, and text that is put there. @typedef {import("./scope.mjs").Insertion} Insertion */

/** @param {string} text @param {readonly Insertion[]} insertions In their order. */
function insert(text, insertions) {
  let whole = "";
  let done = 0;
  for (const { at, text: inserted } of insertions) {
    whole += text.slice(done, at) + inserted;
    done = at;
  }
  return whole + text.slice(done);
}

/**
 * The program as one async function, so that `await` and `return` work at its top.
 * @param {string} code
 * @param {boolean} awaitsLast Whether a last call of an async function is awaited, and the value of a last expression kept.
 * @param {boolean} [notebook] Whether that value is the program's, when it assigns and returns none.
 * @param {boolean} [persists] Whether its declarations become properties of the global object, for the programs after it.
 */
export function wrap(code, awaitsLast, notebook = false, persists = false) {
  const source = code.replace(/^(\ufeff?)#!/, "$1//");
  // What follows the program leaves a block whose label it cannot guess, so a program that closes the block and the
  // function before its end does not compile.
  // Always as long, or columns in stacks would differ from run to run.
  const label = `end${Math.random().toString(36).slice(2, 12).padEnd(10, "0")}`;
  const last = `last${label}`;
  const directive = strictDirective.test(code) ? '"use strict";' : "";
  // On the program's first line: lines stay what they are, columns of the first line move.
  const opening = `(async function () {${directive}${notebook ? `let ${last};` : ""}${label}:{`;
  // A `__result__` that the program declared as its own variable is seen from inside the block alone.
  const value = notebook ? `(__result__ === undefined ? ${last} : __result__)` : "__result__";
  const closing = `\n;if (0) break ${label};return await ${value}}})`;
  const call = awaitsLast ? lastAsyncCall(source) : undefined;
  const at = call ?? (awaitsLast && notebook ? lastExpression(source) : undefined);
  const kept = persists ? persist(source, scan(source)) : undefined;
  const insertions = [...(kept?.insertions ?? [])];
  if (at !== undefined) {
    insertions.push({ at, text: (notebook ? `${last} = ` : "") + (call === undefined ? "" : awaitPrefix) });
    insertions.sort((a, b) => a.at - b.at);
  }
  const lines = code.split(/\r?\n/);
  const places = insertions.map(({ at, text }) => {
    const before = source.slice(0, at);
    return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n"), length: text.length };
  });

  /**
   * A place in the whole as one in the program; undefined when it lies in what was put around it.
   * @param {number} line @param {number} column
   */
  const place = (line, column) => {
    if (line > lines.length || line < 1) return undefined;
    let own = line === 1 ? column - opening.length : column;
    for (const inserted of places) {
      if (inserted.line === line && own > inserted.column) own = Math.max(own - inserted.length, inserted.column);
    }
    return own < 1 || own > (lines[line - 1] ?? "").length + 1 ? undefined : { line, column: own };
  };

  return {
    text: opening + insert(kept?.body ?? source, insertions) + closing,
    // In the same places.
    functions: directive.padEnd(opening.length) + (kept?.functions ?? ""),
    /** What it declares, and whether that must be there before it runs: else it is an error to use it before its declaration. */
    names: [...(kept?.names ?? [])].map(([name, isVar]) => ({ name, isEarly: isVar || directive !== "" })),
    place,
    lines,
    isChanged: at !== undefined,
  };
}
