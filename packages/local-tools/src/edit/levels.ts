import { linesOf } from "../files/text.ts";

export function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Returns the indentation of a line's level: the lines of a block comment have one space more. */
export function levelOf(line: string): string {
  const indentation = indentationOf(line);
  const spaces = / *$/.exec(indentation)?.[0].length ?? 0;
  return line[indentation.length] === "*" && spaces % 2 === 1 ? indentation.slice(0, -1) : indentation;
}

export function levelsIn(lines: readonly string[]): string[] {
  return lines.filter((line) => !isBlank(line)).map(levelOf);
}

/** Returns one level: a tab, or the largest number of spaces that all are a multiple of; undefined when it is unknown. */
export function unitOf(levels: readonly string[]): string | undefined {
  const all = levels.join("");
  if (all === "") return undefined;
  if (all.includes("\t")) return all.includes(" ") ? undefined : "\t";
  const length = levels.map((level) => level.length).reduce(divisor);
  return length > 1 && length <= 8 ? " ".repeat(length) : undefined;
}

/** Returns what one level usually is in a file: a tab where lines have tabs, else the step by which lines are most often deeper. */
export function usualUnit(text: string, near: string): string | undefined {
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

export function sharedStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

export function isBlank(line: string): boolean {
  return /^\s*$/.test(line);
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}
