import { linesOf } from "../files/text.ts";
import { fold } from "./fold.ts";
import { indentationOf, isBlank, levelOf, levelsIn, sharedStart, unitOf, usualUnit } from "./levels.ts";

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

/** Returns what stands for an indentation; undefined when it is unknown. */
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
  // A find that begins behind the indentation of its first line has no information about that.
  const isCut = rows[0] === 0 && first === "" && firstFound !== "" && wants.some((indentation) => indentation !== "");
  const rest = isCut && !isShifted(lines, rows.slice(1)) ? mapOf(lines, rows.slice(1), text) : undefined;
  return rest && { ...said, apply: () => reindent(lines, rows.slice(1), rest, firstFound) };
}

/**
 * Returns a replacement for a find that begins behind its line's indentation `own`: without it where the replacement has it again, and
 * shows that it stands for the line's, not for more. A change of nothing but indentation stays as it is.
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

/** Returns the text for an indentation: "2 tabs", "4 spaces", "no indentation". */
export function sayIndentation(indentation: string): string {
  const runs = indentation.match(/ +|\t+/g) ?? [];
  if (runs.length === 0) return "no indentation";
  if (runs.length > 4) return JSON.stringify(indentation.slice(0, 40));
  return runs
    .map((run) => `${run.length} ${run[0] === "\t" ? "tab" : "space"}${run.length === 1 ? "" : "s"}`)
    .join(", ");
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

/** Returns the first line of a replacement whose find begins behind its line's indentation. */
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

/** Checks whether rows are deeper, or less deep, by the same spaces: that has no bearing on a first line that was cut. */
function isShifted({ find, found }: IndentedLines, rows: readonly number[]): boolean {
  const pairs = rows.map((row) => [find, found].map((lines) => levelOf(lines[row] as string)) as [string, string]);
  const isOther = pairs.some(([own, its]) => own !== its);
  return isOther && !pairs.flat().join("").includes("\t") && shiftOf(pairs) !== undefined;
}

/** Returns the map that these rows show. */
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
    const times = Math.max(own.length, its.length) / Math.min(own.length, its.length);
    // Spaces for half, or twice, as many: levels in another unit, or lines that are deeper.
    const isOther = unit !== undefined && unitOfFile !== undefined && unit !== unitOfFile;
    const isDoubtful = times === 2 || times === 4 || (unit !== unitOfFile && times === Number.POSITIVE_INFINITY);
    // Spaces behind tabs are half levels, or none.
    const isMixed = own !== its && its.includes("\t") && unit !== "\t" && /^\t+ {2,}[^\s*]/m.test(text);
    if (isMixed) return (indentation) => seen.get(indentation);
    if (isDoubtful && unit !== "\t" && unitOfFile !== "\t") return (indentation) => seen.get(indentation);
    if (isOther && (unit === "\t" || unitOfFile === "\t")) {
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

/** Checks whether a replacement has the file's indentation, not the find's. Undefined where both may be meant. */
function hasFilesIndentation(
  own: readonly string[],
  file: readonly string[],
  replace: readonly string[],
): boolean | undefined {
  const [ofFind, ofFile, ofReplace] = [own, file, replace].map((lines) => sharedIndentation(lines));
  if (ofReplace === undefined) return false;
  const [unit, unitOfFile, unitOfReplace] = [own, file, replace].map((lines) => unitOf(levelsIn(lines)));
  // Lines that stay, where their indentation tells whose it is.
  const known = (line: string): string => fold(line).folded.trim();
  const rows = new Map<string, number>();
  for (const [row, name] of own.map(known).entries()) rows.set(name, rows.has(name) ? -1 : row);
  let [likeFind, likeFile, likeNone] = [false, false, false];
  const levels = new Set<string>();
  // Nothing new stands before it that it could be a part of.
  const [start, begun, there] = [replace, own, file].map((lines) => lines.find((line) => !isBlank(line)) ?? "");
  const isFirst =
    known(start as string).startsWith(known(begun as string)) &&
    indentationOf(start as string) === indentationOf(there as string);
  for (const line of replace) {
    const row = rows.get(known(line)) ?? -1;
    const [mine, its] = [own[row], file[row]].map((one) => indentationOf(one ?? ""));
    if (isBlank(line) || mine === its) continue;
    likeFind ||= indentationOf(line) === mine;
    likeFile ||= indentationOf(line) === its;
    likeNone ||= row !== -1 && ![mine, its].includes(indentationOf(line));
    if (indentationOf(line) === its) levels.add(its);
  }
  // Less deep than what it stands before: the lines behind it may be a part of it.
  const isOver =
    !isFirst &&
    (there as string) !== "" &&
    indentationOf(start as string).length < indentationOf(there as string).length;
  const isInPlace = ofReplace.startsWith(ofFile ?? "");
  if (ofReplace === ofFind && ofFind !== ofFile) {
    return (likeFile || isFirst) && !likeFind && (isInPlace || isFirst || levels.size > 1) ? undefined : false;
  }
  // A level that the file has not is one of find's, whatever stands in it.
  const isWhole = (level: string): boolean => unitOfFile === undefined || level.replaceAll(unitOfFile, "") === "";
  if (ofFind === ofFile && unit !== unitOfFile && !levelsIn(replace).every(isWhole)) return false;
  if (likeFile && likeNone) return undefined;
  // New text alone, as deep as lines of the file.
  const [levelsOfFind, levelsOfFile] = [own, file].map((lines) => new Set(levelsIn(lines))) as [
    Set<string>,
    Set<string>,
  ];
  const isOfFile = levelsIn(replace).every(
    (level) => levelsOfFile.has(level) && (unit !== unitOfFile || !levelsOfFind.has(level)),
  );
  if (!likeFind && !likeFile && isOfFile && ofReplace !== ofFile) return undefined;
  const hasItsUnit = unitOfFile !== undefined && unitOfReplace === unitOfFile && unit !== unitOfFile && !likeFind;
  if (!likeFile && !hasItsUnit && (ofReplace !== ofFile || ofFind === ofFile)) return false;
  return !likeFind && isInPlace && !isOver && seen(replace) !== seen(file) ? true : undefined;
}

/** Returns the indentation that all lines with content begin with; undefined without any. */
function sharedIndentation(lines: readonly string[]): string | undefined {
  const levels = levelsIn(lines);
  return levels.length === 0 ? undefined : levels.reduce(sharedStart);
}

/** Returns what of lines is seen. */
function seen(lines: readonly string[]): string {
  const shown = lines.filter((line) => !isBlank(line));
  return shown.map((line) => fold(line).folded).join("\n");
}
