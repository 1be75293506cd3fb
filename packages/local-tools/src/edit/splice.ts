import { type Problem, tooLarge } from "./edit-problems.ts";
import { type FlatText, replacementFor } from "./line-ends.ts";
import type { FileTextEdit } from "./types.ts";

/** What came of one pair. */
export interface Made {
  text: string;
  count: number;
  notes: string[];
}

type FindReplace = Pick<FileTextEdit, "find" | "replace">;

/** Takes a place in the raw text, with what it holds and gets unless that is the pair's find and replace; false ends the visits. */
export type VisitPlace = (from: number, to: number, own?: FindReplace) => boolean | undefined;

/** Writes replacements at places, given in order, with the line ends of the file. */
export function splice(
  text: FlatText,
  each: (visit: VisitPlace) => void,
  pair: FindReplace,
  maxChars: number,
): Made | Problem {
  // Who names the line ends themselves means them.
  const verbatim = /^[\r\n]+$/.test(pair.find) && (pair.find + pair.replace).includes("\r");
  const chunks: string[] = [];
  let parts: string[] = [];
  let [end, length, count, adapted] = [0, text.raw.length, 0, false];
  each((from, to, { find, replace } = pair) => {
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
