import { linesOf } from "../files/text.ts";

/** A find's lines at a place, what the place has for each, and the lines that are to stand there. Without line ends. */
interface IndentedLines {
  find: readonly string[];
  found: readonly string[];
  replace: readonly string[];
}

/** The find and the replacement with the indentation of the file, and what was done about it. */
interface Reindented {
  find: string[];
  replace: string[];
  said: string;
}

/** What stands for an indentation; undefined: nothing says it. */
type Indent = (indentation: string) => string | undefined;

/**
 * Reads which indentation of the file each indentation of a find stands for. It must be one map, in which what is deeper stays deeper: all
 * lines shifted alike, or whole levels in another unit. Undefined when there is none, so that the place is another text.
 */
export function readIndentation(
  lines: IndentedLines,
  text: string,
): { has: string; wants: string; apply(): Reindented | undefined } | undefined {
  const [first, firstFound] = [lines.find[0] ?? "", lines.found[0] ?? ""].map(indentationOf) as [string, string];
  const rows = lines.find.flatMap((line, row) => (isBlank(line) ? [] : [row]));
  if (rows.length === 0) return undefined;
  const whole = mapOf(lines, rows, text);
  const [has, wants] = [lines.found, lines.find].map((all) => rows.map((row) => indentationOf(all[row] as string)));
  const at = rows.findIndex((_, index) => has?.[index] !== wants?.[index]);
  if (has === undefined || wants === undefined || at === -1) return undefined;
  const said = { has: has[at] as string, wants: wants[at] as string };
  if (whole !== undefined) return { ...said, apply: () => reindent(lines, rows, whole, undefined) };
  // A find that begins behind the indentation of its first line says nothing about that.
  const isCut = rows[0] === 0 && first === "" && firstFound !== "" && wants.some((indentation) => indentation !== "");
  const rest = isCut ? mapOf(lines, rows.slice(1), text) : undefined;
  return rest && { ...said, apply: () => reindent(lines, rows.slice(1), rest, firstFound) };
}

/**
 * A replacement for a find that begins behind its line's indentation `own`: without it where the replacement has it again, and shows that it
 * stands for the line's, not for more. A change of nothing but indentation stays as it is.
 */
export function withoutDoubled(own: string, find: string, replace: string): string {
  const [first = "", ...rest] = linesOf(replace);
  if (own === "" || indentationOf(find) !== "" || indentationOf(first) !== own || replace === own + find)
    return replace;
  const content = rest.filter((line) => !isBlank(line));
  // The find's other lines have all of their indentation, and so have those of the replacement that are as deep.
  const others = new Set(
    linesOf(find)
      .slice(1)
      .filter((line) => !isBlank(line))
      .map(indentationOf),
  );
  if (others.size === 0) others.add(own);
  const isOnce = content.length === 0 || content.some((line) => others.has(indentationOf(line)));
  return isOnce ? replace.slice(own.length) : replace;
}

/** Says an indentation: "2 tabs", "4 spaces", "no indentation". */
export function sayIndentation(indentation: string): string {
  const runs = indentation.match(/ +|\t+/g) ?? [];
  if (runs.length === 0) return "no indentation";
  if (runs.length > 4) return JSON.stringify(indentation.slice(0, 40));
  return runs
    .map((run) => `${run.length} ${run[0] === "\t" ? "tab" : "space"}${run.length === 1 ? "" : "s"}`)
    .join(", ");
}

function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/**
 * Writes find and replacement with the file's indentation. A replacement that has it already stays as it is. Undefined where it has
 * neither, or may be meant in both ways. `cut`: the file's indentation of a first line that find has from behind it on.
 */
function reindent(
  { find, found, replace }: IndentedLines,
  rows: readonly number[],
  indent: Indent,
  cut: string | undefined,
): Reindented | undefined {
  const [own, file] = [find, found].map((lines) => rows.map((row) => lines[row] as string)) as [string[], string[]];
  const isChanged = own.some((line, row) => indentationOf(line) !== indentationOf(file[row] as string));
  const behind = cut === undefined ? replace : replace.slice(1);
  const isLiteral = !isChanged || hasFilesIndentation(own, file, behind);
  if (isLiteral === undefined) return undefined;
  const same: Indent = (indentation) => indentation;
  const head = cut === undefined ? [] : [cutLine(replace[0] ?? "", cut, isLiteral ? same : indent)];
  const written = [...head, ...(isLiteral ? behind : behind.map((line) => withIndentation(line, indent)))];
  if (written.includes(undefined)) return undefined;
  const [unit, unitOfFile] = [own, file].map((lines) => unitOf(levelsIn(lines)));
  const isShift = unit === unitOfFile || unit === undefined || unitOfFile === undefined;
  return {
    find: find.map((line, row) => {
      if (isBlank(line)) return (isLiteral ? line : withIndentation(line, indent)) ?? line;
      return indentationOf(found[row] as string) + line.trimStart();
    }),
    replace: written as string[],
    said: isLiteral
      ? "the replacement has the file's, and was written as it is"
      : isShift
        ? "the replacement was shifted alike"
        : `a level is ${sayIndentation(unitOfFile)} in the file and ${sayIndentation(unit)} in find; the replacement got the file's`,
  };
}

/** Whether a replacement has the file's indentation, not the find's. Undefined where both may be meant. */
function hasFilesIndentation(
  own: readonly string[],
  file: readonly string[],
  replace: readonly string[],
): boolean | undefined {
  const [ofFind, ofFile, ofReplace] = [own, file, replace].map((lines) => common(levelsIn(lines)));
  if (ofReplace === undefined) return false;
  const [unit, unitOfFile, unitOfReplace] = [own, file, replace].map((lines) => unitOf(levelsIn(lines)));
  // Lines that stay, where their indentation tells whose it is.
  const rows = new Map(own.map((line, row) => [line.trim(), row]).reverse() as [string, number][]);
  let [likeFind, likeFile] = [false, false];
  for (const line of replace) {
    const row = rows.get(line.trim()) ?? -1;
    const [mine, its] = [own[row], file[row]].map((one) => indentationOf(one ?? ""));
    if (isBlank(line) || mine === its) continue;
    likeFind ||= indentationOf(line) === mine;
    likeFile ||= indentationOf(line) === its;
  }
  const isInPlace = ofReplace.startsWith(ofFile ?? "");
  if (ofReplace === ofFind && ofFind !== ofFile) return likeFile && !likeFind && isInPlace ? undefined : false;
  // A level that the file has not is one of find's, whatever stands in it.
  const isWhole = (level: string): boolean => unitOfFile === undefined || level.replaceAll(unitOfFile, "") === "";
  if (ofFind === ofFile && unit !== unitOfFile && !levelsIn(replace).every(isWhole)) return false;
  const hasItsUnit = unitOfFile !== undefined && unitOfReplace === unitOfFile && unit !== unitOfFile && !likeFind;
  if (!likeFile && !hasItsUnit && (ofReplace !== ofFile || ofFind === ofFile)) return false;
  return !likeFind && isInPlace && !isSame(replace, file) ? true : undefined;
}

/** The first line of a replacement whose find begins behind its line's indentation. */
function cutLine(line: string, cut: string, indent: Indent): string | undefined {
  return indentationOf(line) === "" || isBlank(line) || line.startsWith(cut)
    ? cut + line.trimStart()
    : withIndentation(line, indent);
}

function withIndentation(line: string, indent: Indent): string | undefined {
  if (isBlank(line)) return line === "" ? "" : (indent(line) ?? line);
  const [own, rest] = [levelOf(line), line.slice(levelOf(line).length)];
  const wanted = indent(own);
  return wanted === undefined ? undefined : wanted + rest;
}

/** The map that these rows show. */
function mapOf({ find, found, replace }: IndentedLines, rows: readonly number[], text: string): Indent | undefined {
  const seen = new Map<string, string>();
  for (const row of rows) {
    const [own, its] = [levelOf(find[row] as string), levelOf(found[row] as string)];
    const [more, moreInFile] = [find, found].map((lines) => indentationOf(lines[row] as string).length);
    if ((seen.get(own) ?? its) !== its || (more ?? 0) - own.length !== (moreInFile ?? 0) - its.length) return undefined;
    seen.set(own, its);
  }
  const pairs = [...seen].sort(([one], [other]) => one.length - other.length);
  const news = replace.filter((line) => !isBlank(line) && !seen.has(levelOf(line)));
  const indent = shiftOf(pairs) ?? levelsOf(pairs);
  if (indent === undefined) return undefined;
  const [[own, its]] = pairs as [[string, string]];
  if (pairs.length === 1 && own !== its && news.length > 0) {
    // Only one level was seen: what a level is, the replacement and the file must say.
    const [unit, unitOfFile] = [
      unitOf(levelsIn([...rows.map((row) => find[row] as string), ...replace])),
      usualUnit(text, its),
    ];
    if (unit !== undefined && unitOfFile !== undefined && unit !== unitOfFile) {
      const isLevel = own === "" || own.length / unit.length === its.length / unitOfFile.length;
      const more = isLevel ? levelsOf([...pairs, [own + unit, its + unitOfFile]]) : undefined;
      return (indentation) => seen.get(indentation) ?? more?.(indentation);
    }
  }
  return (indentation) => seen.get(indentation) ?? indent(indentation);
}

/** All lines are shifted alike: what they share is exchanged. */
function shiftOf(pairs: readonly (readonly [string, string])[]): Indent | undefined {
  const wanted = pairs.map(([own]) => own).reduce(sharedStart);
  const found = pairs.map(([own, its]) =>
    its.slice(0, Math.max(0, its.length - own.length + wanted.length)),
  )[0] as string;
  if (pairs.some(([own, its]) => its !== found + own.slice(wanted.length))) return undefined;
  const [off, on] = found.endsWith(wanted)
    ? ["", found.slice(0, found.length - wanted.length)]
    : wanted.endsWith(found)
      ? [wanted.slice(0, wanted.length - found.length), ""]
      : [wanted, found];
  return (indentation) => (indentation.startsWith(off) ? on + indentation.slice(off.length) : undefined);
}

/** Whole levels in another unit: each step deeper is as many times deeper in the file. */
function levelsOf(pairs: readonly (readonly [string, string])[]): Indent | undefined {
  const [[own, its]] = pairs as [[string, string]];
  const steps = pairs.slice(1).map(([deeper, deeperInFile], at) => {
    const [before, beforeInFile] = pairs[at] as [string, string];
    const isDeeper = deeper.startsWith(before) && deeperInFile.startsWith(beforeInFile);
    return isDeeper ? ([deeper.slice(before.length), deeperInFile.slice(beforeInFile.length)] as const) : undefined;
  });
  const [units, unitsOfFile] = [0, 1].map((side) => unitOf(steps.map((step) => step?.[side as 0 | 1] ?? " "))) as [
    string | undefined,
    string | undefined,
  ];
  if (units === undefined || unitsOfFile === undefined) return undefined;
  const levels = (step: string | undefined, unit: string): number => (step?.length ?? 0) / unit.length;
  if (steps.some((step) => levels(step?.[0], units) !== levels(step?.[1], unitsOfFile))) return undefined;
  return (indentation) => {
    const [more, less] = [indentation.startsWith(own), own.startsWith(indentation)];
    const count = levels(indentation, units) - levels(own, units);
    const isWhole = (more || less) && Number.isInteger(count) && /^( *|\t*)$/.test(indentation.slice(own.length));
    if (!isWhole || (count > 0 && indentation.at(-1) !== units[0])) return undefined;
    const length = its.length + count * unitsOfFile.length;
    return count >= 0 ? its + unitsOfFile.repeat(count) : length < 0 ? undefined : its.slice(0, length);
  };
}

/** What one level is: a tab, or the largest number of spaces that all are a multiple of; undefined when nothing says it. */
function unitOf(levels: readonly string[]): string | undefined {
  const all = levels.join("");
  if (all === "") return undefined;
  if (all.includes("\t")) return all.includes(" ") ? undefined : "\t";
  const length = levels.map((level) => level.length).reduce(divisor);
  return length > 1 && length <= 8 ? " ".repeat(length) : undefined;
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

/** What one level usually is in a file: a tab where lines have tabs, else by how much lines are most often deeper than those before. */
function usualUnit(text: string, near: string): string | undefined {
  if (near.includes("\t")) return "\t";
  const counts = new Map<string, number>();
  let before = "";
  for (const line of linesOf(text)) {
    if (isBlank(line)) continue;
    const level = levelOf(line);
    const step = level.startsWith(before) ? level.slice(before.length) : "";
    if (step.length > 1 || step === "\t") counts.set(step, (counts.get(step) ?? 0) + 1);
    before = level;
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0];
}

/** The indentation of a line's level: the lines of a block comment have one space more. */
function levelOf(line: string): string {
  const indentation = indentationOf(line);
  return line[indentation.length] === "*" && indentation.endsWith(" ") ? indentation.slice(0, -1) : indentation;
}

function levelsIn(lines: readonly string[]): string[] {
  return lines.filter((line) => !isBlank(line)).map(levelOf);
}

/** The indentation that all lines with content begin with. */
function common(levels: readonly string[]): string | undefined {
  return levels.length === 0 ? undefined : levels.reduce(sharedStart);
}

function sharedStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, row) => line === other[row]);
}

function isBlank(line: string): boolean {
  return /^\s*$/.test(line);
}
