import { type EditProblem, type Problem, sayPlaces } from "./edit-problems.ts";
import type { FoldedText } from "./fold.ts";
import { type FoldedPlace, findFolded } from "./folded-find.ts";
import { findShifted, type Shifted, sayIndentation, shiftReplacement } from "./indentation.ts";
import { keepLines } from "./kept-lines.ts";
import { type FlatText, type Made, splice, withLf } from "./line-ends.ts";
import { withoutLineNumbers } from "./line-numbers.ts";
import { sayLines } from "./match-differences.ts";
import { lineCounter } from "./occurrences.ts";
import type { FileTextEdit } from "./types.ts";

/** A pair whose `find` is not there. */
export interface Attempt {
  now: FlatText;
  edits: readonly FileTextEdit[];
  pair: number;
  /** Of the pairs before it. */
  problems: readonly EditProblem[];
  maxChars: number;
  nameOf(pair: number): string;
  /** The text without what no reader sees; undefined: `find` is not looked for in it. */
  folded: (() => FoldedText) | undefined;
  /** The earlier pair after which a text that the file had was gone; undefined: the file never had it. */
  removerOf(find: string): { by: number | undefined; line: number } | undefined;
}

/** Problems that are explained; further ones are only reported. */
const maxExplained = 20;

const missing: Problem = { type: "FindMissing", count: 0, message: "find does not occur in the file (0 times)" };

/**
 * Looks for why `find` is not there. Two things are done about it: it is taken for the only place that differs from it in nothing
 * but what no reader sees, or in nothing but its common indentation.
 */
export function whenMissing(attempt: Attempt): Made | Problem {
  const { now, edits, pair, problems, nameOf } = attempt;
  const edit = edits[pair] as FileTextEdit;
  const find = withLf(edit.find);
  if (problems.length >= maxExplained) return missing;
  const failed = problems.find((problem) => withLf((edits[problem.pair] as FileTextEdit).replace).includes(find));
  if (failed !== undefined) {
    return { ...missing, message: `find is only in the replacement of ${nameOf(failed.pair)}, which can't be made` };
  }
  const culprit = pair === 0 ? undefined : attempt.removerOf(find);
  if (culprit !== undefined) {
    return {
      ...missing,
      message: `find was in line ${culprit.line} until ${culprit.by === undefined ? "an earlier pair" : nameOf(culprit.by)} of this file replaced it: pairs are made in order, each on what those before it left`,
    };
  }
  const shifted = findShifted(now.flat, find);
  return (
    whenFolded(attempt, edit, shifted) ??
    (shifted === undefined ? undefined : whenShifted(attempt, edit, shifted)) ??
    withLineNumbers(now, find) ?? { ...missing, searched: now.flat }
  );
}

/** Undefined: the find fits nowhere, or it is not to be looked for in this way. */
function whenFolded(
  { now, pair, maxChars, nameOf, folded }: Attempt,
  edit: FileTextEdit,
  shifted: Shifted | undefined,
): Made | Problem | undefined {
  const found = folded === undefined || edit.all === true ? undefined : findFolded(folded(), edit);
  if (found === undefined) return undefined;
  const { only } = found;
  const [begin, end] = [only?.lines[0]?.from ?? 0, only?.lines.at(-1)?.to ?? 0];
  // It also fits elsewhere, with another indentation: then it is not clear which of the two is meant.
  const other = only !== undefined && shifted !== undefined && (shifted.to <= begin || shifted.from >= end);
  if (only === undefined || other) {
    const starts = other ? [begin, shifted.from].sort((one, next) => one - next) : found.starts;
    const lines = [...new Set(starts.map(lineCounter(now.flat)))];
    const but = other ? "what no reader sees, or the indentation, is" : "what no reader sees is";
    const places = sayPlaces(other ? 2 : found.count, lines);
    const message = `find does not occur as it is written, and where ${but} ignored it occurs ${places}: copy it exactly, or add text around it until it occurs once`;
    return { type: "FindAmbiguous", count: other ? 2 : found.count, lines, message };
  }
  const parts = keepLines(now.flat, only);
  const made = splice(
    now,
    (visit) => {
      for (const { from, to, replace } of parts) {
        visit(now.toRaw(from), now.toRaw(to), { find: now.flat.slice(from, to), replace });
      }
    },
    edit,
    maxChars,
  );
  if ("type" in made) return made;
  return { ...made, count: 1, notes: [...made.notes, foldedNote(only, lineCounter(now.flat)(begin), nameOf(pair))] };
}

function foldedNote({ differs }: FoldedPlace, line: number, name: string): string {
  const what = differs.map(([said, lines]) => `${said} (${sayLines(lines)})`).join("; ");
  return `The find of ${name} was found in line ${line}, where the file differs only in what no reader sees: ${what}. Lines that the edit does not change were kept as the file has them.`;
}

function whenShifted(
  { now: text, pair, maxChars, nameOf }: Attempt,
  edit: FileTextEdit,
  shifted: Shifted,
): Made | Problem {
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

/** For a find that was copied with the line numbers of a listing; undefined for any other. */
function withLineNumbers(text: FlatText, find: string): Problem | undefined {
  const numbered = withoutLineNumbers(find);
  if (numbered === undefined) return undefined;
  const at = text.flat.indexOf(numbered.text);
  if (at === -1 && numbered.lines === 1) return undefined;
  const where = at === -1 ? {} : { lines: [lineCounter(text.flat)(at)] };
  return {
    ...missing,
    ...where,
    ...(at === -1 ? { searched: text.flat } : {}),
    message: `find begins ${numbered.lines === 1 ? "" : "each of its lines "}with a line number (${JSON.stringify(numbered.first)}), which the file does not have${at === -1 ? "" : `: without it, find is in line ${where.lines}`}`,
    hint: "Take the line numbers, and what stands between them and the text, off find and replace.",
  };
}
