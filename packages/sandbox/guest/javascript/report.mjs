// Errors in the words that a model gets: with the program's own lines, and with what to do.
import { fenceHint, forImport, forMissingAwait, forMissingResult, forSyntax, forUnknownName } from "./hints.mjs";
import { placeOfError, placeOfTimeout } from "./places.mjs";
import { findImport, findStrayBracket, scan } from "./source.mjs";
import { programFile, wrap } from "./wrap.mjs";

/** @typedef {import("./hints.mjs").ProgramTool} ProgramTool */
/** @typedef {{ line: number, column?: number }} Place */
/**
 * @typedef {object} Report
 * @property {string} type
 * @property {string} message
 * @property {number} [line]
 * @property {number} [column]
 * @property {string} [sourceLine]
 * @property {string} [hint]
 * @property {number} [call]
 */
/** What the engine's side tells of an error. @typedef {{ type: string, message: string, stack: string, line?: number, call?: number, hint?: string, thrown?: boolean }} Described */

const maxMessageLength = 2000;
const maxSourceLineLength = 400;

/** What the engine's own functions raise is where they were called. */
const inNative = /^\s*at [^\n]*\(native\)/;

/** Ends of a run: a program's own class of this name is reported as `Error`. */
const reservedTypes = new Set([
  ..."Timeout MemoryLimit Aborted MissingResult ImportForbidden ForbiddenName ToolCallLimit ResultTooLarge".split(" "),
  ..."SourceTooLarge EngineFailure InDoubt Diverged LeaseLost JournalFailure".split(" "),
]);

const memoryHint = "keep less in memory at once: work in parts, or ask the tools for less";

/** Recursion without an end, or nesting without one. @type {Report} */
export const stackReport = {
  type: "RangeError",
  message: "the program nests too deeply for its stack",
  hint: "use a loop, or a smaller depth",
};

/** @param {number} memoryMb @returns {Report} */
export function memoryReport(memoryMb) {
  return { type: "MemoryLimit", message: `the program needs more than ${memoryMb} MB`, hint: memoryHint };
}

/** Writes the errors of one program. */
export class Reporter {
  /**
   * @param {string} code @param {readonly ProgramTool[]} tools @param {{ timeoutMs: number, memoryMb: number }} limits
   * @param {boolean} [notebook] Of that style. @param {() => string[]} [globals] Names that there are.
   */
  constructor(code, tools, limits, notebook = false, globals = () => []) {
    this.globals = globals;
    this.code = code;
    this.file = programFile;
    this.notebook = notebook;
    this.wrapped = wrap(code, true, notebook);
    this.lines = this.wrapped.lines;
    this.tools = tools;
    this.limits = limits;
  }

  /** The text to run. */
  get text() {
    return this.wrapped.text;
  }

  /** Whether there is a plainer text to try, after this one did not compile. */
  simplify() {
    const { isChanged } = this.wrapped;
    if (isChanged) this.wrapped = wrap(this.code, false, this.notebook);
    return isChanged;
  }

  /** Of the program in a stack. */
  get framePattern() {
    return new RegExp(`(?:at (\\S+) \\()?${this.file.replace(".", "\\.")}:(\\d+):(\\d+)`, "g");
  }

  /** Takes a text that keeps what the program declares. */
  persist() {
    const { isChanged } = this.wrapped;
    this.wrapped = wrap(this.code, isChanged, this.notebook, true);
    return this.wrapped;
  }

  /** Takes back the text that keeps nothing. */
  forget() {
    this.wrapped = wrap(this.code, this.wrapped.isChanged, this.notebook);
  }

  /** @param {Report} report @param {Place | undefined} place @returns {Report} */
  at(report, place) {
    const sourceLine = place === undefined ? undefined : this.lines[place.line - 1];
    if (place === undefined || sourceLine === undefined) return report;
    return { ...report, ...place, sourceLine: sourceLine.slice(0, maxSourceLineLength).trimEnd() };
  }

  /**
   * The innermost place of a stack in the program. An error's own constructor is not where it was thrown.
   * @param {string} stack @param {string} [type] @returns {Place | undefined}
   */
  place(stack, type) {
    /** @type {Place | undefined} */
    let constructed;
    for (const [, name, line, column] of stack.matchAll(this.framePattern)) {
      const place = this.wrapped.place(Number(line), Number(column));
      if (place && name !== type) return place;
      constructed ??= place;
    }
    return constructed;
  }

  /** @param {string} type @param {string} message @param {string} stack @returns {Place | undefined} */
  raisedAt(type, message, stack) {
    const place = this.place(stack, type);
    if (type !== "TypeError" || inNative.test(stack)) return place;
    return placeOfError(this.code, message, place);
  }

  /** An import that is there before anything runs. @returns {Report | undefined} */
  refusedImport() {
    if (!/\b(import|export)\b/.test(this.code)) return undefined;
    const found = findImport(this.code, scan(this.code));
    if (found === undefined) return undefined;
    const { word, module, line, column } = found;
    const hint = forImport(word, module, this.tools);
    return this.at({ type: "ImportForbidden", message: `${word} is not available here`, hint }, { line, column });
  }

  /** @param {Described} error @returns {Report} */
  syntax({ message, stack }) {
    const stray = findStrayBracket(this.code);
    if (stray) {
      const { text, line, column } = stray;
      return this.at({ type: "SyntaxError", message: `this ${text} closes nothing that is open` }, { line, column });
    }
    const place = this.place(stack);
    const end = { line: this.lines.length, column: (this.lines.at(-1) ?? "").length + 1 };
    const said =
      place === undefined ? "the program ends too early: a bracket, a brace or a quote is not closed" : message;
    const report = this.at({ type: "SyntaxError", message: said }, place ?? end);
    const hint = forSyntax(report.sourceLine ?? "");
    return hint ? { ...report, hint } : report;
  }

  /** An exception of the program. @param {Described} error @returns {Report} */
  exception({ type, message, stack, line, call, hint, thrown }) {
    if (type === "InternalError" && message === "out of memory")
      return this.at(memoryReport(this.limits.memoryMb), this.place(stack));
    if (message === "stack overflow" && (type === "InternalError" || type === "SyntaxError")) {
      return this.at(stackReport, this.place(stack));
    }
    if (type === "InternalError" && message === "string too long") {
      return this.at({ type: "RangeError", message: "a text is longer than the engine can hold" }, this.place(stack));
    }
    const name = reservedTypes.has(type) || type === "" ? "Error" : type.slice(0, 100);
    const text = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
    const report = this.at({ type: name, message: text }, line ? { line } : this.raisedAt(type, message, stack));
    const explained = this.code.trimStart().startsWith("```") ? { ...report, hint: fenceHint } : this.explain(report);
    const known = thrown && !hint ? "throw an Error: it tells the line" : hint;
    return { ...explained, ...(call === undefined ? {} : { call }), ...(known ? { hint: known } : {}) };
  }

  /** @param {Report} report @returns {Report} */
  explain(report) {
    const unknown = report.type === "ReferenceError" ? /^'?([^' ]+)'? is not defined$/.exec(report.message) : null;
    if (unknown?.[1] === "require") {
      const named = /require\(\s*["'`]([^"'`]+)/.exec(report.sourceLine ?? "");
      return {
        ...report,
        type: "ImportForbidden",
        message: "require is not available here",
        hint: forImport("import", named?.[1], this.tools),
      };
    }
    const module = /^could not load module '(.*)'/.exec(report.message);
    if (module && report.type === "ReferenceError") {
      return {
        ...report,
        type: "ImportForbidden",
        message: "import is not available here",
        hint: forImport("import", module[1], this.tools),
      };
    }
    if (unknown?.[1]) return withHint(report, forUnknownName(unknown[1], scan(this.code), this.tools, this.globals()));
    if (report.type !== "TypeError") return report;
    if (report.message === "not a function" && report.column !== undefined) {
      const callee = /[\p{ID_Continue}$.]+$/u.exec(
        (this.lines[report.line ? report.line - 1 : 0] ?? "").slice(0, report.column - 1),
      );
      if (callee) report = { ...report, message: `${callee[0].replace(/^\./, "")} is not a function` };
    }
    return withHint(report, forMissingAwait(scan(this.code), this.tools));
  }

  /** @param {string} stack */
  timeout(stack) {
    const message = `the program ran longer than ${this.limits.timeoutMs / 1000} s`;
    const hint = "look for a loop that does not end, or do less in one program";
    const place = this.place(stack);
    const isNoted = stack === "" || inNative.test(stack);
    const isInner = [...stack.matchAll(this.framePattern)].length > 1;
    return this.at({ type: "Timeout", message, hint }, isNoted ? place : placeOfTimeout(this.code, place, isInner));
  }

  /** @returns {Report} */
  neverEnds() {
    return {
      type: "Timeout",
      message: "the program waits for a promise that nothing will ever settle",
      hint: "only tools and timers take time here: await them, and resolve every promise of your own",
    };
  }

  /** @returns {Report} */
  missingResult() {
    return { type: "MissingResult", message: "the program gave no __result__", hint: forMissingResult(this.code) };
  }

  /** @param {string} message @returns {Report} */
  tooLarge(message) {
    const hint = "give a summary, or only the fields and rows that are needed";
    return { type: "ResultTooLarge", message: `__result__ is ${message}`, hint };
  }
}

/** @param {Report} report @param {string | undefined} hint @returns {Report} */
function withHint(report, hint) {
  return hint === undefined ? report : { ...report, hint };
}
