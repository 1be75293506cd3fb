import type { Pattern } from "./pattern.ts";

/** Finds the next place in a text, from an offset on, around which a line may fit; -1: there is none. */
export type LineFinder = (text: string, from: number) => number;

/**
 * A quick way to the lines that an expression may fit: it may stop at lines that don't, and passes none that do. It looks for the texts
 * that a line must hold, or else runs the expression on many lines at once; where neither can be done it stops at each line.
 */
export function lineFinder({ source = "", flags = "", needles }: Pattern): LineFinder {
  const [only] = needles ?? [];
  if (only !== undefined && needles?.length === 1 && !flags.includes("i"))
    return (text, from) => text.indexOf(only, from);
  const quick = needles?.map((text) => text.replace(/[\\^$.|?*+()[\]{}/]/g, "\\$&")).join("|") ?? withinLines(source);
  if (quick === undefined) return (text, from) => (from < text.length ? from : -1);
  const regex = new RegExp(quick, `${flags.replace("s", "")}gm`);
  return (text, from) => {
    regex.lastIndex = from;
    return regex.exec(text)?.index ?? -1;
  };
}

/**
 * An expression for a text of many lines that fits wherever the given one fits a single line, and never goes on to a next line, which could
 * take very long. Undefined where that isn't sure: lookarounds see beyond the line, and some classes hold a line end.
 */
function withinLines(source: string): string | undefined {
  let isSure = /^[ -\u{10ffff}]*$/u.test(source);
  let inClass: "[" | "[^" | undefined;
  const tokens = /\\[\s\S]|\(\?(?:<?[=!]|[a-z-]+:)|\[\^?|\]|\./g;
  const rewritten = source.replace(tokens, (token) => {
    if (inClass !== undefined) {
      if (token === "]") inClass = undefined;
      else if (inClass === "[" && /^\\[^dwS\W_]/.test(token)) isSure = false;
      return token;
    }
    if (token === "[" || token === "[^") {
      inClass = token;
      return token === "[" ? token : "[^\\n";
    }
    if (token === ".") return "[^\\n]";
    if (token === "\\s") return "[^\\S\\n]";
    if (token === "\\D" || token === "\\W") return `[^${token.toLowerCase()}\\n]`;
    if (/^\(|^\\[^bdwStvf\W_]/.test(token)) isSure = false;
    return token;
  });
  return isSure ? rewritten : undefined;
}
