import { undoNeutralize } from "@toolglot/core";
import { lineCounter } from "../files/text.ts";
import { inMessage } from "../messages.ts";
import type { TextChange } from "./changes.ts";
import { type EditProblem, maxCounted, maxNamedLines, type Problem, sayPlaces, tooLarge } from "./edit-problems.ts";
import { cutIndentation, fittedNote, fittingHalves } from "./fitting-halves.ts";
import { type FoldedText, fold } from "./fold.ts";
import { leftOutLine } from "./left-out.ts";
import { type FlatText, flatten, type Made, splice, type VisitPlace, withLf } from "./line-ends.ts";
import { whenMissing } from "./missing-find.ts";
import { eachOccurrence } from "./occurrences.ts";
import type { FileTextEdit } from "./types.ts";

/** Result of a file's pairs. With a problem, `text` is what the pairs without one made, and must not be written. */
export interface AppliedEdits {
  text: string;
  /** The same, as changes of the text: those of each pair, of what the pairs before it left. */
  changes: (readonly TextChange[])[];
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
  /** Whether a `find` that is not there is looked for without what no reader sees. Default false. */
  lenient?: boolean;
}

/**
 * Makes replacements in a text, in order: each pair sees what those before it left. `find` must occur exactly once (overlapping
 * occurrences count), or at least once with `all`; line ends aside: an LF of `find` stands for the CRLF of a file, and the
 * replacement gets the file's ends. What results add to fences and tags is taken off. A `find` that is not there is looked for
 * once more without what no reader sees (`lenient`), and with another common indentation. Nothing else is guessed. Pairs behind
 * one with a problem are tried, too, so that one message reports all problems.
 */
export function applyEdits(
  text: string,
  edits: readonly FileTextEdit[],
  { maxChars = 8 * 1024 * 1024, nameOf = (pair) => `pair ${pair + 1}`, lenient = false }: ApplyOptions = {},
): AppliedEdits {
  const notes = new Set<string>();
  const problems: EditProblem[] = [];
  const changes: (readonly TextChange[])[] = [];
  let replacements = 0;
  let now = flatten(text);
  const meant: FileTextEdit[] = [];
  // Made once for each state of the text, and only when needed.
  let folding: FoldedText | undefined;
  const folded = (): FoldedText => {
    folding = folding?.source === now.flat ? folding : fold(now.flat);
    return folding;
  };
  edits.forEach((written, pair) => {
    const edit = withoutMarks(now, written);
    if (edit !== written) notes.add(marksNote);
    meant.push(edit);
    const fitting = lenient ? fittingHalves(now.flat, edit) : edit;
    const whenElsewhere = (): Made | Problem => {
      const found = whenMissing({
        now,
        edits: meant,
        pair,
        problems,
        maxChars,
        nameOf,
        folded: lenient ? folded : undefined,
        removerOf: (find) => whoRemoved(text, meant.slice(0, pair), find, maxChars),
      });
      return fitting === undefined && "type" in found ? cutIndentation : found;
    };
    if (fitting !== undefined && fitting !== edit && !("type" in fitting)) {
      notes.add(`The replacement of ${nameOf(pair)} ${fittedNote}`);
    }
    const made =
      whenLeftOut(now, edit) ??
      (fitting === undefined || "type" in fitting ? fitting : applyOne(now, fitting, maxChars)) ??
      whenElsewhere();
    if ("type" in made) {
      const moved =
        made.lines !== undefined && replacements > 0 ? " (lines as the pairs before it leave the file)" : "";
      problems.push({ ...made, message: made.message + moved, pair });
      return;
    }
    replacements += made.count;
    changes.push(made.changes);
    for (const note of made.notes) notes.add(note);
    if (made.text !== now.raw) now = flatten(made.text);
  });
  return { text: now.raw, changes, replacements, notes: [...notes], problems };
}

const marksNote =
  "Zero-width spaces were taken off that results hold where the file has none (they take the power from marks such as fences).";

/**
 * Returns a pair as it was meant, when it was copied from a result: results have a zero-width space in fences and tags, so that no text of
 * a file can act. A file that has them itself, where `find` has them too, is edited as written.
 */
function withoutMarks(text: FlatText, edit: FileTextEdit): FileTextEdit {
  const plain = { ...edit, find: undoNeutralize(edit.find), replace: undoNeutralize(edit.replace) };
  if (plain.find === edit.find && plain.replace === edit.replace) return edit;
  return plain.find !== edit.find && searchFor(text, edit.find) !== undefined ? edit : plain;
}

/** Returns the problem of a replacement that refers to code instead of having it: it would delete that code. */
function whenLeftOut({ flat }: FlatText, { find, replace }: FileTextEdit): Problem | undefined {
  const line = find === "" ? undefined : leftOutLine(replace, find, () => flat);
  if (line === undefined) return undefined;
  return {
    type: "InvalidInput",
    message: `replace has ${inMessage(line)} for code that is left out, which neither find nor the file has: write the lines, or make two smaller edits`,
  };
}

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
    return replace.length > maxChars
      ? tooLarge(maxChars)
      : { text: replace, changes: [{ from: 0, to: 0, text: replace }], count: 1, notes: [] };
  }
  const search = searchFor(text, find);
  if (search === undefined) return undefined;
  if (!all) {
    const problem = ambiguous(search);
    if (problem !== undefined) return problem;
  }
  return splice(text, (visit) => eachPlace(search, visit), { find, replace }, maxChars);
}

/** Text to search and text to find, which is found at least once. */
interface Search {
  searched: string;
  wanted: string;
  toRaw(offset: number): number;
}

/** As written if `find` holds a CR and is there so, else line ends aside. */
function searchFor({ raw, flat, toRaw }: FlatText, find: string): Search | undefined {
  if (find.includes("\r") && occurs(raw, find)) return { searched: raw, wanted: find, toRaw: (offset) => offset };
  const wanted = withLf(find);
  return occurs(flat, wanted) ? { searched: flat, wanted, toRaw } : undefined;
}

/** Visits each occurrence, none overlapping another, by its place in the raw text. */
function eachPlace({ searched, wanted, toRaw }: Search, visit: VisitPlace): void {
  eachOccurrence(searched, wanted, false, (at) => visit(toRaw(at), toRaw(at + wanted.length)));
}

/** Returns the earlier pair after which a text that the file had was gone. Undefined: the file never had it. */
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
  const places: number[] = [];
  let count = 0;
  eachOccurrence(searched, wanted, true, (at) => {
    if (count < maxNamedLines) places.push(at);
    return ++count < maxCounted;
  });
  if (count === 1) return undefined;
  const lines = new Set(places.map(lineCounter(searched)));
  return {
    type: "FindAmbiguous",
    count,
    lines: [...lines],
    message: `find occurs ${sayPlaces(count, [...lines])}: add text around it until it occurs once, or set all`,
  };
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
