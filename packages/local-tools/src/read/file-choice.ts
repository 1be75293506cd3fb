import { localError } from "../errors.ts";
import { expandBraces, splitOutsideBraces } from "../files/glob.ts";
import { type IgnoreRule, parseIgnoreLine, verdict } from "../files/ignore-rules.ts";
import { inMessage } from "../messages.ts";

/** As many patterns as braces may make. */
const maxAlternatives = 100;
const maxGlobLength = 1000;

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

/** Returns the choice of the last pattern that fits the path or a folder on it. */
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
  if (glob.length > maxGlobLength) throw localError("InvalidPattern", `glob: longer than ${maxGlobLength} characters.`);
  const patterns = splitOutsideBraces(glob, (char) => char === "," || char === "\n")
    .map((pattern) => pattern.trim().replace(/^(!?)\.\//, "$1/"))
    .filter((pattern) => pattern !== "");
  const all: string[] = [];
  for (const pattern of patterns) {
    const either = expandBraces(pattern, maxAlternatives - all.length);
    if (either === undefined) {
      throw localError(
        "InvalidPattern",
        `glob: ${inMessage(pattern)} stands for more than ${maxAlternatives} patterns.`,
      );
    }
    all.push(...either);
  }
  return all;
}
