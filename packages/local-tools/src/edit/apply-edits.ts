import { undoNeutralize } from "@toolglot/core";
import type { LocalErrorType } from "../errors.ts";
import { counted } from "../messages.ts";
import { findShifted, type Shifted, sayIndentation, shiftReplacement } from "./indentation.ts";
import { type FlatText, flatten, replacementFor, withLf } from "./line-ends.ts";
import { eachOccurrence, lineCounter } from "./occurrences.ts";
import type { FileTextEdit } from "./types.ts";

/** Why one pair can't be made. */
export interface EditProblem {
  /** Which pair, from 0. */
  pair: number;
  type: Extract<LocalErrorType, "FindMissing" | "FindAmbiguous" | "EmptyFind" | "TooLarge" | "InvalidInput">;
  /** One sentence, without the file's name. */
  message: string;
  /** How often `find` occurs; at most {@link maxCounted}. */
  count?: number;
  /** Lines of the first occurrences, from 1, as the pairs before left the text. */
  lines?: number[];
  /** `find` was not there, and nothing explains it yet: the text it was looked for in. */
  searched?: string;
}

/** What came of a file's pairs. With a problem, `text` is what the pairs without one gave, and not to be written. */
export interface AppliedEdits {
  text: string;
  /** Replacements made. */
  replacements: number;
  notes: string[];
  problems: EditProblem[];
}

/** Options of {@link applyEdits}. */
export interface ApplyOptions {
  /** UTF-16 units that the text may grow to. Default 8 Mi. */
  maxChars?: number;
  /** How messages call a pair, given from 0. Default: "pair 1" for the first. */
  nameOf?: (pair: number) => string;
}

/** Occurrences are counted so far. */
const maxCounted = 10_000;
/** Lines that are named. */
const maxNamedLines = 6;

/**
 * Makes replacements in a text, in order: each pair sees what those before it left. `find` must occur exactly once (overlapping
 * occurrences count), or at least once with `all`; line ends aside: an LF of `find` stands for the CRLF of a file, and the
 * replacement gets the file's ends. What results add to fences and tags is taken off. A `find` that is not there is looked for once
 * more with another common indentation. Nothing else is guessed. Pairs behind one with a problem are tried, too, so that one message reports all problems.
 */
export function applyEdits(
  text: string,
  edits: readonly FileTextEdit[],
  { maxChars = 8 * 1024 * 1024, nameOf = (pair) => `pair ${pair + 1}` }: ApplyOptions = {},
): AppliedEdits {
  const notes = new Set<string>();
  const problems: EditProblem[] = [];
  let replacements = 0;
  let now = flatten(text);
  const meant: FileTextEdit[] = [];
  edits.forEach((written, pair) => {
    const edit = withoutMarks(now, written);
    if (edit !== written) notes.add(marksNote);
    meant.push(edit);
    const made =
      applyOne(now, edit, maxChars) ??
      whenMissing({ original: text, now, edits: meant, pair, problems, maxChars, nameOf });
    if ("type" in made) {
      const moved =
        made.lines !== undefined && replacements > 0 ? " (lines as the pairs before it leave the file)" : "";
      problems.push({ ...made, message: made.message + moved, pair });
      return;
    }
    replacements += made.count;
    for (const note of made.notes) notes.add(note);
    if (made.text !== now.raw) now = flatten(made.text);
  });
  return { text: now.raw, replacements, notes: [...notes], problems };
}

const marksNote =
  "Zero-width spaces were taken off that results hold where the file has none (they take the power from marks such as fences).";

/**
 * A pair as it was meant, when it was copied from a result: results have a zero-width space in fences and tags, so that no text of a
 * file can act. A file that has them itself, where `find` says so, is edited as written.
 */
function withoutMarks(text: FlatText, edit: FileTextEdit): FileTextEdit {
  const plain = { ...edit, find: undoNeutralize(edit.find), replace: undoNeutralize(edit.replace) };
  if (plain.find === edit.find && plain.replace === edit.replace) return edit;
  return plain.find !== edit.find && searchFor(text, edit.find) !== undefined ? edit : plain;
}

interface Made {
  text: string;
  count: number;
  notes: string[];
}

type Problem = Omit<EditProblem, "pair">;

/** Undefined: `find` is not there. */
function applyOne(
  text: FlatText,
  { find, replace, all = false }: FileTextEdit,
  maxChars: number,
): Made | Problem | undefined {
  const invalid = invalidText(find, "find") ?? invalidText(replace, "replace");
  if (invalid !== undefined) return invalid;
  if (find === "") {
    if (text.raw !== "") {
      return { type: "EmptyFind", message: "find is empty, which is for new and empty files only; this one has text" };
    }
    return replace.length > maxChars ? tooLarge(maxChars) : { text: replace, count: 1, notes: [] };
  }
  const search = searchFor(text, find);
  if (search === undefined) return undefined;
  if (!all) {
    const problem = ambiguous(search);
    if (problem !== undefined) return problem;
  }
  return splice(text, (visit) => eachPlace(search, visit), { find, replace }, maxChars);
}

/** Where to look for what, so that it is found at least once. */
interface Search {
  searched: string;
  wanted: string;
  toRaw(offset: number): number;
}

type VisitPlace = (from: number, to: number) => boolean | undefined;

/** As written if `find` holds a CR and is there so, else line ends aside. */
function searchFor({ raw, flat, toRaw }: FlatText, find: string): Search | undefined {
  if (find.includes("\r") && occurs(raw, find)) return { searched: raw, wanted: find, toRaw: (offset) => offset };
  const wanted = withLf(find);
  return occurs(flat, wanted) ? { searched: flat, wanted, toRaw } : undefined;
}

/** Each occurrence, none overlapping another, by its place in the raw text. */
function eachPlace({ searched, wanted, toRaw }: Search, visit: VisitPlace): void {
  eachOccurrence(searched, wanted, false, (at) => visit(toRaw(at), toRaw(at + wanted.length)));
}

function splice(
  text: FlatText,
  each: (visit: VisitPlace) => void,
  { find, replace }: Pick<FileTextEdit, "find" | "replace">,
  maxChars: number,
): Made | Problem {
  // Who names the line ends themselves means them.
  const verbatim = /^[\r\n]+$/.test(find) && (find + replace).includes("\r");
  const chunks: string[] = [];
  let parts: string[] = [];
  let [end, length, count, adapted] = [0, text.raw.length, 0, false];
  each((from, to) => {
    const written = verbatim ? replace : replacementFor(text, from, to, replace);
    adapted ||= !verbatim && (written !== replace || to - from !== find.length);
    count++;
    length += written.length - (to - from);
    parts.push(text.raw.slice(end, from), written);
    end = to;
    if (parts.length >= 10_000) {
      chunks.push(parts.join(""));
      parts = [];
    }
    return length <= maxChars;
  });
  if (length > maxChars) return tooLarge(maxChars);
  chunks.push(...parts, text.raw.slice(end));
  return { text: chunks.join(""), count, notes: adapted ? [endsNote(text)] : [] };
}

function endsNote({ ends }: FlatText): string {
  if (ends === "mixed") return "The file has both CRLF and LF line ends: each line kept its own.";
  return `The file has ${ends === "crlf" ? "CRLF" : "LF"} line ends: they were kept.`;
}

/** A pair whose `find` is not there. */
interface Attempt {
  original: string;
  now: FlatText;
  edits: readonly FileTextEdit[];
  pair: number;
  /** Of the pairs before it. */
  problems: readonly EditProblem[];
  maxChars: number;
  nameOf(pair: number): string;
}

/** Problems that are explained; further ones are only reported. */
const maxExplained = 20;

/** Looks for why `find` is not there, and for the one thing that is done about it: another common indentation. */
function whenMissing({ original, now: text, edits, pair, problems, maxChars, nameOf }: Attempt): Made | Problem {
  const edit = edits[pair] as FileTextEdit;
  const find = withLf(edit.find);
  const missing: Problem = { type: "FindMissing", count: 0, message: "find does not occur in the file (0 times)" };
  if (problems.length >= maxExplained) return missing;
  const failed = problems.find((problem) => withLf((edits[problem.pair] as FileTextEdit).replace).includes(find));
  if (failed !== undefined) {
    return { ...missing, message: `find is only in the replacement of ${nameOf(failed.pair)}, which can't be made` };
  }
  const culprit = pair === 0 ? undefined : whoRemoved(original, edits.slice(0, pair), find, maxChars);
  if (culprit !== undefined) {
    return {
      ...missing,
      message: `find was in line ${culprit.line} until ${culprit.by === undefined ? "an earlier pair" : nameOf(culprit.by)} of this file replaced it: pairs are made in order, each on what those before it left`,
    };
  }
  const shifted = findShifted(text.flat, find);
  if (shifted === undefined) return { ...missing, searched: text.flat };
  const replace = shiftReplacement(withLf(edit.replace), shifted);
  if (replace === undefined) {
    const line = lineCounter(text.flat)(shifted.from);
    return {
      ...missing,
      lines: [line],
      message: `find is not in the file with the indentation it has (${sayIndentation(shifted.wanted)}; line ${line} has ${sayIndentation(shifted.found)}), and the replacement can't be shifted alike`,
    };
  }
  const [from, to] = [text.toRaw(shifted.from), text.toRaw(shifted.to)];
  const found = text.flat.slice(shifted.from, shifted.to);
  const made = splice(text, (visit) => void visit(from, to), { find: found, replace }, maxChars);
  if ("type" in made) return made;
  return { ...made, notes: [...made.notes, shiftNote(text, shifted, nameOf(pair))] };
}

function shiftNote(text: FlatText, { from, found, wanted }: Shifted, name: string): string {
  const line = lineCounter(text.flat)(from);
  if (found === wanted) return `The find of ${name} was found in line ${line} with other blanks in its empty lines.`;
  const said = `it has ${sayIndentation(found)}, find has ${sayIndentation(wanted)}`;
  return `The find of ${name} was found in line ${line} with another indentation (${said}); the replacement was shifted alike.`;
}

/** The earlier pair after which a text that the file had was gone. Undefined: the file never had it. */
function whoRemoved(
  original: string,
  edits: readonly FileTextEdit[],
  find: string,
  maxChars: number,
): { by: number | undefined; line: number } | undefined {
  let now = flatten(original);
  if (!occurs(now.flat, find)) return undefined;
  const line = lineCounter(now.flat)(now.flat.indexOf(find));
  for (const [by, edit] of edits.entries()) {
    const made = applyOne(now, edit, maxChars);
    if (made === undefined || "type" in made) continue;
    now = flatten(made.text);
    if (!occurs(now.flat, find)) return { by, line };
  }
  return { by: undefined, line };
}

function occurs(text: string, find: string): boolean {
  let found = false;
  eachOccurrence(text, find, false, () => {
    found = true;
    return false;
  });
  return found;
}

/** Undefined when there is one occurrence only. */
function ambiguous({ searched, wanted }: Search): Problem | undefined {
  const lineOf = lineCounter(searched);
  const lines = new Set<number>();
  let count = 0;
  eachOccurrence(searched, wanted, true, (at) => {
    if (count < maxNamedLines) lines.add(lineOf(at));
    return ++count < maxCounted;
  });
  if (count === 1) return undefined;
  const times = count === maxCounted ? `at least ${counted(count)}` : `${count}`;
  const more = count > maxNamedLines ? ["more"] : [];
  const named = [...lines, ...more];
  const list = named.length === 1 ? named.join("") : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
  return {
    type: "FindAmbiguous",
    count,
    lines: [...lines],
    message: `find occurs ${times} times, in line${named.length === 1 ? "" : "s"} ${list}: add text around it until it occurs once, or set all`,
  };
}

function tooLarge(maxChars: number): Problem {
  return { type: "TooLarge", message: `the file would become larger than ${counted(maxChars)} characters` };
}

function invalidText(text: string, name: string): Problem | undefined {
  if (/\p{Surrogate}/u.test(text)) {
    return { type: "InvalidInput", message: `${name} holds half of a surrogate pair, which no file of text can hold` };
  }
  if (text.includes("\0")) {
    return { type: "InvalidInput", message: `${name} holds a NUL character, which would make the file binary` };
  }
  return undefined;
}
