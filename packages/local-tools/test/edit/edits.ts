import { oneOf } from "./sources.ts";

/** An edit of a file as it was meant: the find stands there exactly once. */
export interface Hunk {
  file: string;
  after: string;
  find: string;
  replace: string;
  /** Which edit it is, of which file. */
  name: string;
}

/** Lines that an edit sees, the first of which is the one it begins with; what takes their place. Undefined: not here. */
type Edit = (lines: readonly string[], random: () => number, level: string) => readonly string[] | undefined;

const indentationOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";
const isBlank = (line: string): boolean => line.trim() === "";
const deeper = (one: string, other: string): string =>
  [one, other].map(indentationOf).sort((a, b) => b.length - a.length)[0] as string;
/** A change of the first line. */
const inLine =
  (change: (line: string, random: () => number) => string | undefined): Edit =>
  ([line = "", ...rest], random) => {
    const changed = change(line, random);
    return changed === undefined || changed === line ? undefined : [changed, ...rest];
  };
const replacing = (pattern: RegExp, by: string): Edit => inLine((line) => line.replace(pattern, by));
/** The first line and those behind it down to a blank one, or a few. */
const blockOf = (lines: readonly string[], most = 5): readonly string[] => {
  const blank = lines.findIndex(isBlank);
  return lines.slice(0, Math.min(most, blank === -1 ? lines.length : blank));
};
const onBlock =
  (change: (block: readonly string[], level: string) => readonly string[] | undefined, least = 1): Edit =>
  (lines, _, level) => {
    const block = blockOf(lines);
    const changed = block.length < least ? undefined : change(block, level);
    return changed && [...changed, ...lines.slice(block.length)];
  };
const eachLine = (change: (line: string, level: string) => string): Edit =>
  onBlock((block, level) => block.map((line) => change(line, level)));

/** What people and models do to files. */
export const edits: Readonly<Record<string, Edit>> = {
  "renames a symbol": replacing(/[A-Za-z_]\w{2,}/, "renamed_symbol"),
  "renames a symbol in several lines": onBlock((block) => {
    const word = /[A-Za-z_]\w{2,}/.exec(block[0] ?? "")?.[0];
    return word === undefined ? undefined : block.map((line) => line.replaceAll(word, `${word}Next`));
  }),
  "inserts a line": ([line = "", next = "", ...rest]) => [line, `${deeper(line, next)}added(1);`, next, ...rest],
  "inserts several lines": ([line = "", next = "", ...rest], _, level) => {
    const own = deeper(line, next);
    return [line, `${own}for each of them {`, `${own}${level}added("x - y", 'z');`, `${own}}`, next, ...rest];
  },
  "inserts a blank line": ([line = "", ...rest]) => (isBlank(line) ? undefined : [line, "", ...rest]),
  "deletes a line": ([line = "", ...rest]) => (isBlank(line) ? undefined : rest),
  "deletes several lines": onBlock((block) => block.slice(3), 4),
  "deletes the first lines of a block": onBlock((block) => block.slice(1), 3),
  "deletes a blank line": ([line = "", ...rest]) => (isBlank(line) ? rest : undefined),
  "changes a number": replacing(/\d+/, "4711"),
  "changes a text between quotes": inLine((line) => line.replace(/(["'])[^"'\\]*\1/, "$1another text$1")),
  "changes an operator": replacing(/ (?:[-+*/<>]|={1,3}|&&|\|\|) /, " != "),
  "changes other quotes": inLine((line) => line.replace(/"([^"'\\]*)"/, "'$1'")),
  "indents a block": eachLine((line, level) => level + line),
  "takes a level off a block": onBlock((block, level) =>
    block.every((line) => line.startsWith(level)) ? block.map((line) => line.slice(level.length)) : undefined,
  ),
  "moves lines down": onBlock((block) => [...block.slice(2), ...block.slice(0, 2)], 4),
  "swaps two lines": onBlock(([one = "", other = "", ...rest]) => [other, one, ...rest], 2),
  "writes a line twice": ([line = "", ...rest]) => (isBlank(line) ? undefined : [line, line, ...rest]),
  "wraps lines in braces": onBlock((block, level) => {
    const own = indentationOf(block[0] ?? "");
    return [`${own}if (ready) {`, ...block.map((line) => level + line), `${own}}`];
  }),
  "wraps lines without braces": onBlock((block, level) => [
    `${indentationOf(block[0] ?? "")}if ready:`,
    ...block.map((line) => level + line),
  ]),
  "unwraps lines": onBlock((block, level) => {
    const own = indentationOf(block[0] ?? "") + level;
    const inner = block.slice(1).filter((line) => line.startsWith(own));
    return inner.length === 0
      ? undefined
      : block.slice(1).map((line) => (line.startsWith(own) ? line.slice(level.length) : line));
  }, 2),
  "adds a parameter": replacing(/\((?=[^)])/, "(added, "),
  "takes a parameter out": replacing(/\(\w+, /, "("),
  "changes an import": inLine((line) =>
    /^\s*(?:import|from|use|require|#include|const .*require)\b/.test(line)
      ? line.replace(/(\w+)(?=\W*$)/, "$1_other")
      : undefined,
  ),
  "makes a comment of lines": eachLine((line) => `${indentationOf(line)}# ${line.trimStart()}`),
  "adds a comment behind a line": inLine((line) => (isBlank(line) ? undefined : `${line} // checked`)),
  "adds words of other scripts": inLine((line) => (isBlank(line) ? undefined : `${line} größer 数据 🙂`)),
  "adds typographic signs": inLine((line) => (isBlank(line) ? undefined : `${line} “so” – it’s…`)),
  "adds signs of markup": inLine((line) => (isBlank(line) ? undefined : `${line} <b>a && b</b>`)),
  "writes tabs for spaces": eachLine((line) => line.replace(/^(?: {4}| {2})+/, "\t")),
  "writes spaces for tabs": eachLine((line) => line.replace(/^\t+/, (tabs) => "    ".repeat(tabs.length))),
  "adds blanks at a line's end": inLine((line) => `${line}  `),
  "takes blanks off line ends": eachLine((line) => line.trimEnd()),
  "adds a blank within a line": replacing(/\w \w/, "x  y"),
  "joins two lines": onBlock(([one = "", other = "", ...rest]) => [`${one} ${other.trimStart()}`, ...rest], 2),
  "splits a line": ([line = "", ...rest], _, level) => {
    const at = line.indexOf(" ", indentationOf(line).length + 3);
    return at === -1
      ? undefined
      : [line.slice(0, at), indentationOf(line) + level + line.slice(at).trimStart(), ...rest];
  },
  "writes a block anew": onBlock((block) => {
    const own = indentationOf(block[0] ?? "");
    return [`${own}all of this`, `${own}is new`];
  }),
  "changes capitals": inLine((line) => line.replace(/[a-z]\w{3,}/, (word) => word.toUpperCase())),
  "changes three lines": onBlock(
    (block) => block.map((line, at) => (at % 2 === 0 ? line.replace(/\w+$|\w+(?=\W*$)/, "$&X") : line)),
    3,
  ),
  "takes a word out": replacing(/(?<=\S )\w+ /, ""),
};

/** Where in a file it is done, besides anywhere. */
const places: Readonly<Record<string, (lines: readonly string[], random: () => number) => number>> = {
  anywhere: (lines, random) => Math.floor(random() * lines.length),
  "at the start": () => 0,
  "at the end": (lines) => lines.length - 1 - (lines.at(-1) === "" ? 1 : 0),
  "in a line that is there twice": (lines, random) => {
    const [from, seen] = [Math.floor(random() * lines.length), new Set(lines.slice(0, -1))];
    const isTwice = (line: string): boolean => seen.has(line) && lines.indexOf(line) !== lines.lastIndexOf(line);
    const at = lines.findIndex((line, index) => index >= from && !isBlank(line) && isTwice(line));
    return at === -1 ? from : at;
  },
};

/** Files in other forms than they came in. */
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text.replace(/\n+$/, ""),
  (text) => text.replace(/^ +/gm, (all) => "\t".repeat(Math.ceil(all.length / 4))),
  (text) => text.replace(/^(?: {2})+/gm, (all) => all.repeat(2)),
];

/** By how much a line is most often deeper than the one before it. */
function levelOf(lines: readonly string[]): string {
  const counts = new Map<string, number>();
  const depths = lines.filter((line) => !isBlank(line)).map(indentationOf);
  for (const [row, depth] of depths.entries()) {
    const before = depths[row - 1] ?? "";
    const step = depth.startsWith(before) ? depth.slice(before.length) : "";
    if (step.length > 1 || step === "\t") counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "    ";
}

/** So many edits of a file, as somebody writes them: whole lines with or without the last end, or a part of one line. */
export function hunksOf(source: string, names: readonly string[], random: () => number): Hunk[] {
  const file = oneOf(forms, random)(source.replaceAll("\r\n", "\n"));
  const lines = file.split("\n");
  const level = levelOf(lines);
  return names.flatMap((name) => {
    for (let tries = 0; tries < 60; tries++) {
      const place = oneOf([places.anywhere, ...Object.values(places)], random) as (typeof places)[string];
      const at = place(lines, random) + (tries < 5 ? 0 : tries - 5);
      const changed = at < lines.length ? edits[name]?.(lines.slice(at), random, level) : undefined;
      const after = changed && [...lines.slice(0, at), ...changed].join("\n");
      const hunk = after === undefined || after === file ? undefined : hunkOf(file, after, random);
      if (hunk !== undefined) return [{ ...hunk, name, file, after: after as string }];
    }
    return [];
  });
}

/** The halves of an edit, with lines around what changes until find stands there once. */
function hunkOf(file: string, after: string, random: () => number): Pick<Hunk, "find" | "replace"> | undefined {
  const [olds, news] = [file.split("\n"), after.split("\n")];
  let [head, tail] = [0, 0];
  const shorter = Math.min(olds.length, news.length);
  while (head < shorter && olds[head] === news[head]) head++;
  while (tail < shorter - head && olds.at(-1 - tail) === news.at(-1 - tail)) tail++;
  let [above, below] = [Math.floor(random() * 4), Math.floor(random() * 4)];
  const isWhole = random() < 0.5;
  for (let more = 0; more < 12; more++) {
    const [from, behind] = [Math.max(0, head - above), Math.max(0, tail - below)];
    const hasEnd = isWhole && behind > 0 ? "\n" : "";
    const [find, replace] = [olds, news].map((all) => {
      const own = all.slice(from, all.length - behind);
      return own.length === 0 ? "" : own.join("\n") + hasEnd;
    }) as [string, string];
    const place = file.indexOf(find);
    const isOnce =
      !/^[ \t]*(?:\n|$)|(?:^|\n)[ \t]+$/.test(find.replace(/^\n/, "")) &&
      place !== -1 &&
      file.indexOf(find, place + 1) === -1;
    // What is written there must be what was meant: lines that are taken out go with their ends.
    if (isOnce && file.slice(0, place) + replace + file.slice(place + find.length) === after) return { find, replace };
    if (random() < 0.5) above++;
    else below++;
  }
  return undefined;
}
