import { lineCounter, linesOf } from "../files/text.ts";
import { codePointOf } from "../messages.ts";
import { carryOver } from "./carried-lines.ts";
import { cutIndentation, halvesAt } from "./fitting-halves.ts";
import { type FoldedText, fold, foldClasses } from "./fold.ts";
import { type FoldedPlace, findFolded } from "./folded-find.ts";
import { readIndentation, sayIndentation } from "./indentation.ts";
import { type FlatText, type Made, splice, type VisitPlace, withLf } from "./line-ends.ts";
import { sayLines } from "./match-differences.ts";
import { type EditProblem, maxCounted, maxNamedLines, type Problem, sayPlaces } from "./problem-text.ts";
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

/** Looks for why `find` is not there; takes it for the only place that differs in nothing but what no reader sees, or its common indentation. */
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
  return whenFolded(attempt, edit) ?? withLineNumbers(now, find) ?? { ...missing, searched: now.flat };
}

/** Lines that may be compared to find out whether the indentation of places is another one: whatever the text, it ends. */
const maxComparedLines = 1_000_000;

/** A place that a find is taken for. */
interface Candidate extends FoldedPlace {
  /** Reading of its indentation; undefined: it is the find's. */
  indentation?: NonNullable<ReturnType<typeof readIndentation>>;
}

/** Undefined: the find fits nowhere, or it is not to be looked for in this way. */
function whenFolded(attempt: Attempt, edit: FileTextEdit): Made | Problem | undefined {
  const { now, folded } = attempt;
  const [only, starts] = folded === undefined || edit.all === true ? [undefined, []] : alikePlaces(folded(), edit);
  if (starts.length > 1) return ambiguous(now, starts, "what no reader sees is");
  const shifted = shiftedPlaces(attempt, edit);
  if (only === undefined) return shifted.length === 1 ? carry(attempt, shifted[0] as Candidate) : undefined;
  const [begin, end] = spanOf(only);
  const other = shifted.map(spanOf).find(([from, to]) => to <= begin || from >= end);
  // It also fits elsewhere, with another indentation: then it is not clear which of the two is meant.
  if (other !== undefined) return ambiguous(now, [begin, other[0]], "what no reader sees, or the indentation, is");
  return carry(attempt, only);
}

/** Returns the first place that differs in nothing but what no reader sees, and where all of them begin. */
function alikePlaces(folded: FoldedText, edit: FileTextEdit): [only: Candidate | undefined, starts: number[]] {
  const starts: number[] = [];
  let only: FoldedPlace | undefined;
  findFolded(folded, edit, {
    visit: (place, start) => {
      only ??= place?.();
      return starts.push(start) < maxCounted;
    },
  });
  return [only, only === undefined ? [] : starts];
}

/** Returns up to two places that differ in their indentation, too. */
function shiftedPlaces({ now, folded }: Attempt, edit: FileTextEdit): Candidate[] {
  const exact = folded === undefined || edit.all === true;
  const places: Candidate[] = [];
  let left = maxComparedLines;
  findFolded(fold(now.flat, { bare: true, except: exact ? "all" : undefined }), edit, {
    bare: true,
    exact,
    visit: (placeOf) => {
      const place = placeOf?.();
      if (place === undefined) return true;
      left -= place.lines.length;
      const found = place.lines.map(({ from, to }) => now.flat.slice(from, to));
      const indentation = readIndentation({ ...place, found }, now.flat);
      if (indentation !== undefined) places.push({ ...place, indentation });
      return places.length < 2 && left > 0;
    },
  });
  return left > 0 ? places : [];
}

function spanOf({ lines }: FoldedPlace): [from: number, to: number] {
  return [lines[0]?.from ?? 0, lines.at(-1)?.to ?? 0];
}

function ambiguous(now: FlatText, starts: readonly number[], but: string): Problem {
  const sorted = starts.slice(0, maxNamedLines).sort((one, next) => one - next);
  const lines = [...new Set(sorted.map(lineCounter(now.flat)))];
  const places = sayPlaces(starts.length, lines);
  const message = `find does not occur as it is written, and where ${but} ignored it occurs ${places}: copy it exactly, or add text around it until it occurs once`;
  return { type: "FindAmbiguous", count: starts.length, lines, message };
}

function carry({ now, edits, pair, maxChars, nameOf }: Attempt, place: Candidate): Made | Problem {
  const line = lineCounter(now.flat)(spanOf(place)[0]);
  const reindented = place.indentation?.apply();
  if (place.indentation !== undefined && reindented === undefined) {
    const message = `find is not in the file with the indentation it has (${sayIndentation(place.indentation.wants)}; line ${line} has ${sayIndentation(place.indentation.has)}), and the replacement can't be shifted alike: it has neither the indentation of find nor that of the file, or may be meant either way`;
    return { ...missing, lines: [line], message };
  }
  const fitting = place.indentation === undefined ? fitted(now.flat, place) : place;
  if ("type" in fitting) return fitting;
  const { find, replace } = reindented ?? fitting;
  const { made: parts, mapped, doubt } = carryOver(now.flat, { ...fitting, find, replace });
  if (doubt !== undefined) {
    const message = `find is in line ${line} but for what no reader sees, and replace has ${codePointOf(doubt)} anew, for which the file has this and other characters there`;
    return { ...missing, lines: [line], message };
  }
  const visitAll = (visit: VisitPlace): void => {
    for (const { from, to, replace } of parts) {
      visit(now.toRaw(from), now.toRaw(to), { find: now.flat.slice(from, to), replace });
    }
  };
  const made = splice(now, visitAll, edits[pair] as FileTextEdit, maxChars);
  if ("type" in made) return made;
  const name = nameOf(pair);
  const differs = place.differs(find).map(([said, lines]) => `${said} (${sayLines(lines)})`);
  const kept = "Lines that the edit does not change were kept as the file has them.";
  const notes = [
    ...(reindented === undefined || place.indentation === undefined
      ? []
      : [
          `The find of ${name} was found in line ${line} with another indentation (it has ${sayIndentation(place.indentation.has)}, find has ${sayIndentation(place.indentation.wants)}); ${reindented.said}.`,
        ]),
    ...(differs.length === 0
      ? []
      : [
          `The find of ${name} was found in line ${line}, where the file differs only in what no reader sees: ${differs.join("; ")}. ${kept}`,
        ]),
    ...(mapped.size === 0
      ? []
      : [
          `New text of ${name} was written with the file's form of: ${[...mapped].map((one) => foldClasses[one]).join("; ")}.`,
        ]),
  ];
  return { ...made, count: 1, notes: [...made.notes, ...notes] };
}

/** Returns a place with halves of the same lines. */
function fitted(text: string, place: FoldedPlace): FoldedPlace | Problem {
  const [from, to] = spanOf(place);
  const halves = { find: place.find.join("\n"), replace: place.replace.join("\n") };
  const fitting = halvesAt(text, from, to, halves, true) ?? cutIndentation;
  if (fitting === halves || "type" in fitting) return "type" in fitting ? fitting : place;
  const more = Math.max(0, fitting.find.length - halves.find.length);
  // Line ends around find that the file has as well: nothing shows here which of them are meant.
  if (fitting.find.length < halves.find.length) return place;
  const lines = place.lines.map((span, row) => (row === 0 ? { ...span, from: span.from - more } : span));
  return { ...place, find: fitting.find.split("\n"), replace: fitting.replace.split("\n"), lines };
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

/** A line number as listings have it: `  12 | `, `12: `, `12→`, or with a tab behind. */
const linePrefix = /^[ \t]{0,12}(\d{1,7})(?: ?[|→│] ?|: |\t)/;

/** A find without the line numbers of a listing. */
interface WithoutLineNumbers {
  text: string;
  lines: number;
  /** The first number with all that is taken off. */
  first: string;
}

/** Undefined unless each line that is not empty begins with a line number, and each number is one more than the number before it. */
function withoutLineNumbers(find: string): WithoutLineNumbers | undefined {
  let [lines, last, text] = [0, 0, ""];
  let first: string | undefined;
  for (const line of linesOf(find)) {
    const [prefix, number] = linePrefix.exec(line) ?? [];
    if (prefix === undefined && line.trim() === "") text += line;
    else if (prefix === undefined || (lines > 0 && Number(number) !== last + 1)) return undefined;
    else {
      first ??= prefix;
      last = Number(number);
      text += line.slice(prefix.length);
      lines++;
    }
  }
  return first === undefined || text.trim() === "" ? undefined : { text, lines, first };
}
