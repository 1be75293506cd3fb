import { fold } from "./fold.ts";
import { common, indentationOf, isBlank, levelsIn, unitOf } from "./levels.ts";

/** Checks whether a replacement has the file's indentation, not the find's. Undefined where both may be meant. */
export function hasFilesIndentation(
  own: readonly string[],
  file: readonly string[],
  replace: readonly string[],
): boolean | undefined {
  const [ofFind, ofFile, ofReplace] = [own, file, replace].map((lines) => common(levelsIn(lines)));
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
  return !likeFind && isInPlace && !isOver && !isSame(seenLines(replace), seenLines(file)) ? true : undefined;
}

function seenLines(lines: readonly string[]): string[] {
  return lines.filter((line) => !isBlank(line)).map((line) => fold(line).folded);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, row) => line === other[row]);
}
