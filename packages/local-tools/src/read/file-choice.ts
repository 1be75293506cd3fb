import { localError } from "../errors.ts";
import { type IgnoreRule, parseIgnoreLine, verdict } from "../files/ignore-rules.ts";
import { inMessage } from "../messages.ts";

/** As many patterns as braces may make. */
const mostAlternatives = 100;
const longestGlob = 1000;

/** Whether a search opens a file. Paths in segments: from the searched folder, and from the first root. */
export type FileChoice = (below: readonly string[], shown: readonly string[]) => boolean;

/**
 * Reads a `glob`: patterns as in .gitignore, several with commas or line ends between them, `{a,b}` for either. What one
 * fits is chosen, and everything in a folder that it fits; `!` takes out again; the last that fits decides. With only `!`
 * patterns all else is chosen. A pattern with a slash counts from the searched folder or from the first root.
 */
export function fileChoice(glob: string | undefined): FileChoice {
  const patterns = glob === undefined ? [] : splitPatterns(glob);
  if (patterns.length === 0) return () => true;
  const rules = patterns.map((pattern) => {
    const rule = parseIgnoreLine(pattern);
    if (rule === undefined) throw localError("InvalidPattern", `glob: ${inMessage(pattern)} can't match any file.`);
    return rule;
  });
  const otherwise = rules.every((rule) => rule.negated);
  return (below, shown) => chosen(rules, below) ?? chosen(rules, shown) ?? otherwise;
}

/** What the last pattern says that fits the path or a folder on it. */
function chosen(rules: readonly IgnoreRule[], path: readonly string[]): boolean | undefined {
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at] as IgnoreRule;
    for (let length = path.length; length > 0; length--) {
      if (verdict([rule], path.slice(0, length), length < path.length) !== undefined) return !rule.negated;
    }
  }
  return undefined;
}

function splitPatterns(glob: string): string[] {
  if (glob.length > longestGlob) throw localError("InvalidPattern", `glob: longer than ${longestGlob} characters.`);
  const patterns = splitOutside(glob, (char) => char === "," || char === "\n")
    .map((pattern) => pattern.trim().replace(/^(!?)\.\//, "$1/"))
    .filter((pattern) => pattern !== "");
  const all: string[] = [];
  for (const pattern of patterns) {
    const pending = [pattern];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const either = firstBraces(next);
      if (either === undefined) all.push(next);
      else pending.push(...either.reverse());
      if (all.length + pending.length > mostAlternatives) {
        throw localError(
          "InvalidPattern",
          `glob: ${inMessage(pattern)} stands for more than ${mostAlternatives} patterns.`,
        );
      }
    }
  }
  return all;
}

/** The alternatives of the first `{a,b}`; undefined when there is none. */
function firstBraces(pattern: string): string[] | undefined {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === "\\") start++;
    else if (pattern[start] === "{") {
      const end = closing(pattern, start);
      if (end === undefined) continue;
      const choices = splitOutside(pattern.slice(start + 1, end), (char) => char === ",");
      if (choices.length > 1) return choices.map((choice) => pattern.slice(0, start) + choice + pattern.slice(end + 1));
    }
  }
  return undefined;
}

function closing(pattern: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "{") depth++;
    else if (pattern[at] === "}" && --depth === 0) return at;
  }
  return undefined;
}

/** Splits where no brace is open; an open one that is never closed doesn't count. */
function splitOutside(text: string, splits: (char: string) => boolean): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === "\\") at++;
    else if (char === "{") at = closing(text, at) ?? at;
    else if (splits(char)) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...pieces, text.slice(start)];
}
