import type { Pattern } from "./pattern.ts";

/** Finds the next place in a text, from an offset on, around which a line may fit; -1: there is none. */
export type LineFinder = (text: string, from: number) => number;

/**
 * Returns a quick way to the lines that an expression may fit: it may stop at lines that don't, and passes none that do. It looks for the texts
 * that a line must hold, or else runs the expression on many lines at once; where neither can be done it stops at each line.
 */
export function lineFinder({ flags = "", lines, needles }: Pattern): LineFinder {
  const [only] = needles ?? [];
  if (only !== undefined && needles?.length === 1 && !flags.includes("i"))
    return (text, from) => text.indexOf(only, from);
  const quick = needles?.map((text) => text.replace(/[\\^$.|?*+()[\]{}/]/g, "\\$&")).join("|") ?? lines;
  if (quick === undefined) return (text, from) => (from < text.length ? from : -1);
  const regex = new RegExp(quick, `${flags}gm`);
  return (text, from) => {
    regex.lastIndex = from;
    return regex.exec(text)?.index ?? -1;
  };
}
