import { fitsPath, parseSegment, type Segment } from "./glob.ts";

/** A line of an ignore file, as {@link https://git-scm.com/docs/gitignore} defines it. */
export interface IgnoreRule {
  /** `!`: what it fits is not left out. */
  negated: boolean;
  /** A slash at the end: only directories fit. */
  directory: boolean;
  /** A slash elsewhere: it is about the whole path, not any name on it. */
  anchored: boolean;
  segments: readonly Segment[];
}

/** Lines of one file that count; nobody writes more. */
const maxRules = 5000;
const ignoresCase = process.platform === "win32" || process.platform === "darwin";

/** Reads an ignore file. Lines that can't match anything are left out. */
export function parseIgnoreFile(text: string): IgnoreRule[] {
  return text
    .replace(/^\ufeff/, "")
    .split("\n")
    .slice(0, maxRules)
    .map((line) => parseIgnoreLine(line.endsWith("\r") ? line.slice(0, -1) : line))
    .filter((rule) => rule !== undefined);
}

/** Reads one pattern; undefined for a comment, an empty line and what can't match. */
export function parseIgnoreLine(line: string): IgnoreRule | undefined {
  if (line.startsWith("#")) return undefined;
  let text = withoutSpacesAtEnd(line);
  const negated = text.startsWith("!");
  if (negated) text = text.slice(1);
  const directory = text.endsWith("/");
  if (directory) text = text.slice(0, -1);
  const anchored = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "") return undefined;
  // A quoted slash is a slash.
  text = text.replace(/\\([\s\S])/g, (both, char: string) => (char === "/" ? char : both));
  if (ignoresCase) text = text.toLowerCase();
  // A `**` in a pattern without slashes is a `*`.
  const names = anchored ? text.split("/") : [text.replace(/\*+/g, "*")];
  const segments: Segment[] = [];
  for (const name of names) {
    const segment = parseSegment(name);
    if (segment === undefined) return undefined;
    if (!(segment.deep && segments.at(-1)?.deep)) segments.push(segment);
  }
  return { negated, directory, anchored, segments };
}

/** Spaces at the end don't count unless they are quoted with a backslash. */
function withoutSpacesAtEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  let slashes = 0;
  while (line[end - 1 - slashes] === "\\") slashes++;
  return line.slice(0, slashes % 2 === 1 && end < line.length ? end + 1 : end);
}

/** Returns the rules' decision on a path below their folder: the last one that fits decides. Its folders are not looked at. */
export function verdict(
  rules: readonly IgnoreRule[],
  path: readonly string[],
  isDirectory: boolean,
): boolean | undefined {
  // Most folders say nothing.
  if (rules.length === 0) return undefined;
  const folded = ignoresCase ? path.map((name) => name.toLowerCase()) : path;
  const name = folded.slice(-1);
  const last = rules.findLast(
    (rule) => (isDirectory || !rule.directory) && fitsPath(rule.segments, rule.anchored ? folded : name),
  );
  return last === undefined ? undefined : !last.negated;
}
