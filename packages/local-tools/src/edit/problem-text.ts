import { cutText } from "@toolglot/core/results";
import { defined } from "@toolglot/internal";
import { type LocalErrorType, localError } from "../errors.ts";
import { counted } from "../messages.ts";
import { nearestMatch } from "./nearest-match.ts";

export interface EditProblem {
  /** Which pair, from 0. */
  pair: number;
  type: Extract<LocalErrorType, "FindMissing" | "FindAmbiguous" | "EmptyFind" | "TooLarge" | "InvalidInput">;
  /** One sentence, without the file's name. */
  message: string;
  /** How often `find` occurs; at most `maxCounted`. */
  count?: number;
  /** Lines of the first occurrences, from 1, as the pairs before left the text. */
  lines?: number[];
  /** `find` was not there, and nothing explains it yet: the text it was looked for in. */
  searched?: string;
  /** What may be done about it, where there is more to say than for every problem of its type. */
  hint?: string;
}

export type Problem = Omit<EditProblem, "pair">;

/** Places are counted so far. */
export const maxCounted = 10_000;
/** Lines that are named. */
export const maxNamedLines = 6;

/** Returns a text with how often something occurs, and in which lines: the first of them are named. */
export function sayPlaces(count: number, lines: readonly number[]): string {
  const times = count === maxCounted ? `at least ${counted(count)}` : `${count}`;
  const named = [...lines, ...(count > maxNamedLines ? ["more"] : [])];
  const list = named.length === 1 ? named.join("") : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
  return `${times} times, in line${named.length === 1 ? "" : "s"} ${list}`;
}

export function tooLarge(maxChars: number): Problem {
  return { type: "TooLarge", message: `the file would become larger than ${counted(maxChars)} characters` };
}

/** Problem of one file of a set, or with one of its pairs. */
export interface FileProblem extends Omit<EditProblem, "pair" | "type" | "searched"> {
  type: LocalErrorType;
  /** As the model should call the file. */
  path: string;
  /** How to call the pair: "pair 1"; undefined when the file itself is the problem. */
  pair?: string;
  /** For `find` texts that are not there: what was looked for, and in which text. Left out for files whose content is not to be shown. */
  missing?: { find: string; text: string };
}

/** Problems that are reported in full, and matches that are shown. */
const maxReported = 20;
const maxMatches = 5;
/** Lines and characters of one match. */
const maxMatchLines = 15;
const maxMatchChars = 1_500;

/** Returns one refusal for all problems of a set of edits, with the type of the first. `mask` hides values in texts that are quoted. */
export function editRefusal(
  problems: readonly [FileProblem, ...FileProblem[]],
  mask: (text: string) => string = (text) => text,
): Error {
  const [first] = problems;
  let matches = 0;
  const reports = problems.slice(0, maxReported).map((problem) => {
    const where = problem.pair === undefined ? problem.path : `${problem.path}, ${problem.pair}`;
    const sentence = problem.pair === undefined ? problem.message : `${where}: ${problem.message}.`;
    if (problem.missing === undefined || matches >= maxMatches) return { sentence, match: [] };
    matches++;
    return { sentence, match: matchText(mask(problem.missing.text), mask(problem.missing.find)) };
  });
  const only = reports.length === 1 && reports[0] !== undefined ? reports[0] : undefined;
  const rest = problems.length - reports.length;
  const text = [
    ...(only === undefined
      ? [
          `${problems.length} problems; nothing was written.`,
          ...reports.flatMap(({ sentence, match }) => [`- ${sentence}`, ...match]),
        ]
      : [`${only.sentence} Nothing was written.`, ...only.match]),
    ...(rest > 0 ? [`- and ${rest} more of the kind.`] : []),
  ].join("\n");
  const facts = problems.map(({ type, path, pair, count, lines }) => ({
    type,
    path,
    ...defined({ pair, count, lines }),
  }));
  return localError(first.type, text, { problems: facts, ...hintFor(first) });
}

function hintFor({ type, hint }: FileProblem): { hint?: string } {
  if (hint !== undefined) return { hint };
  if (type === "FindMissing")
    return { hint: "Copy find from the file as it is now, with its white space, or read the file again." };
  if (type === "FindAmbiguous") return { hint: "Add lines around it to find until it occurs once, or set all." };
  return {};
}

/** Around a match. No code fences: protocols take the power from fences in results, and a model would copy what that leaves. */
const openingLine = "----- as it is -----";
const closingLine = "----- end -----";

/** Returns the nearest match, as it is in the file, and what differs. */
function matchText(text: string, find: string): string[] {
  const nearest = nearestMatch(text, find);
  if (nearest === undefined) return ["Nothing in the file is like it."];
  const { from, to, match, differs } = nearest;
  const lines = match.split("\n").slice(0, maxMatchLines);
  let shown = lines.join("\n");
  if (shown.length > maxMatchChars) shown = `${cutText(shown, maxMatchChars)}…`;
  const left = to - from + 1 - lines.length;
  const what = differs.length === 0 ? "" : `, where this differs: ${differs.join("; ")}`;
  return [
    from === to ? `The nearest is line ${from}${what}:` : `The nearest are lines ${from}–${to}${what}:`,
    openingLine,
    shown,
    ...(left > 0 ? [`… ${left} more line${left === 1 ? "" : "s"}`] : []),
    closingLine,
  ];
}
