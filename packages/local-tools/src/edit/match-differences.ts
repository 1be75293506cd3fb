import { sayIndentation } from "./indentation.ts";

/** Differences that are reported. */
const maxReported = 4;
/** Lines that are looked at, and characters of a line that is compared in every way. */
const maxLines = 200;
const maxLineChars = 2_000;
/** Characters of a quoted line. */
const maxQuoted = 120;

/** Ways in which two lines may be the same text all the same, the mildest first. */
const foldings: readonly { name: string; fold: (line: string) => string }[] = [
  { name: "white space at the end of the line", fold: (line) => line.trimEnd() },
  { name: "indentation", fold: (line) => line.trimStart() },
  { name: "the Unicode normalization (composed or decomposed characters)", fold: (line) => line.normalize("NFC") },
  {
    name: "special spaces (no-break or zero-width)",
    fold: (line) => line.replace(/[\u200b\u2060\ufeff]/g, "").replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "),
  },
  { name: "spaces or tabs inside the line", fold: (line) => line.replace(/(\S)\s+/g, "$1 ") },
  { name: "quotes", fold: (line) => line.replace(/["'`´\u2018-\u201f\u00ab\u00bb\u2032\u2033]/g, "'") },
  { name: "dashes", fold: (line) => line.replace(/[\u2010-\u2015\u2212]/g, "-").replaceAll("\u2026", "...") },
  { name: "escapes (find has entities like &lt; or &amp; for characters, or the file has)", fold: withoutEntities },
  { name: "escapes (backslashes)", fold: (line) => line.replaceAll("\\", "") },
  { name: "upper and lower case", fold: (line) => line.toLowerCase() },
  { name: "all white space", fold: (line) => line.replace(/\s+/g, "") },
];

/** Returns what differs between the lines looked for and the lines found, which start at line `first` of the file. */
export function differences(wanted: readonly string[], found: readonly string[], first: number): string[] {
  const reports: string[] = [];
  const sames = new Map<string, number[]>();
  let left = 0;
  for (const [row, column] of pairUp(wanted, found).slice(0, maxLines)) {
    const [want, have] = [
      row === undefined ? undefined : wanted[row],
      column === undefined ? undefined : found[column],
    ];
    const at = first + (column ?? 0);
    if (want !== undefined && have !== undefined) {
      const names = namesOf(want, have, { isFirst: row === 0, isLast: row === wanted.length - 1 });
      if (names !== undefined) {
        if (names.length === 0) continue;
        const name = names.map((one) => sayFolding(one, want, have)).join(" and ");
        const lines = sames.get(name) ?? [];
        lines.push(at);
        sames.set(name, lines);
      } else if (reports.length < maxReported)
        reports.push(`line ${at} is ${quoted(have.trim())}, find has ${quoted(want.trim())}`);
      else left++;
    } else if (reports.length >= maxReported) left++;
    else if (want !== undefined) reports.push(`the file has no line ${quoted(want)} there`);
    else if (have !== undefined) reports.push(`line ${at}, ${quoted(have.trim())}, is not in find`);
  }
  const all = [...[...sames].map(([name, lines]) => `${name} (${sayLines(lines)})`), ...reports];
  if (all.length <= maxReported && left === 0) return all;
  return [...all.slice(0, maxReported), `and ${all.length - Math.min(all.length, maxReported) + left} more`];
}

/** Rows and columns in order: lines that are the same apart from white space and case keep together, others are paired as they come. */
function pairUp(wanted: readonly string[], found: readonly string[]): [number | undefined, number | undefined][] {
  const key = (line: string): string => line.replace(/\s+/g, "").toLowerCase();
  const [rows, columns] = [wanted.map(key), found.map(key)];
  const pairs: [number | undefined, number | undefined][] = [];
  let [row, column] = [0, 0];
  while (row < rows.length && column < columns.length) {
    if (rows[row] === columns[column]) pairs.push([row++, column++]);
    else {
      const [toRow, toColumn] = nextSame(rows, columns, row, column);
      const both = Math.min(toRow - row, toColumn - column);
      for (let n = 0; n < both; n++) pairs.push([row++, column++]);
      while (row < toRow) pairs.push([row++, undefined]);
      while (column < toColumn) pairs.push([undefined, column++]);
    }
  }
  while (row < rows.length) pairs.push([row++, undefined]);
  while (column < columns.length) pairs.push([undefined, column++]);
  return pairs;
}

/** Returns the nearest places, at most 20 lines on, where the same line with content stands in both; else both ends. */
function nextSame(rows: readonly string[], columns: readonly string[], row: number, column: number): [number, number] {
  for (let sum = 1; sum <= 40; sum++) {
    for (let down = Math.max(0, sum - 20); down <= Math.min(sum, 20); down++) {
      const key = rows[row + down];
      if (key !== undefined && key !== "" && key === columns[column + sum - down])
        return [row + down, column + sum - down];
    }
  }
  return [rows.length, columns.length];
}

/** Position of a line within find. It may begin and end inside a line of the file: then only that part must be the same. */
interface Edges {
  isFirst: boolean;
  isLast: boolean;
}

/** Foldings that make two lines the same, none of them for nothing; undefined when all of them don't. */
function namesOf(want: string, have: string, edges: Edges): number[] | undefined {
  if (want.length > maxLineChars || have.length > maxLineChars) return fits(want, have, edges) ? [] : undefined;
  let needed: number[] = [];
  for (const index of [-1, ...foldings.keys()]) {
    if (index !== -1) needed.push(index);
    if (isSame(want, have, edges, needed)) break;
  }
  if (!isSame(want, have, edges, needed)) return undefined;
  for (const index of [...needed]) {
    const others = needed.filter((one) => one !== index);
    if (isSame(want, have, edges, others)) needed = others;
  }
  return needed;
}

function isSame(want: string, have: string, edges: Edges, indexes: readonly number[]): boolean {
  const fold = (line: string): string => indexes.reduce((text, index) => foldings[index]?.fold(text) ?? text, line);
  return fits(fold(want), fold(have), edges);
}

function fits(want: string, have: string, { isFirst, isLast }: Edges): boolean {
  if (want === have) return true;
  if (want.trim() === "") return false;
  if (isFirst && isLast) return have.includes(want);
  return (isFirst && have.endsWith(want)) || (isLast && have.startsWith(want));
}

function sayFolding(index: number, want: string, have: string): string {
  const name = foldings[index]?.name ?? "";
  if (name !== "indentation") return name;
  const [inFind, inFile] = [want, have].map((line) => sayIndentation(/^[ \t]*/.exec(line)?.[0] ?? ""));
  return inFind === inFile ? name : `indentation: the file has ${inFile}, find has ${inFind}`;
}

/** Returns the text for lines, given in order: "line 3", "lines 3 and 5", "12 lines from 3 to 40". */
export function sayLines(lines: readonly number[]): string {
  const [first, last] = [lines[0], lines.at(-1)];
  if (lines.length === 1) return `line ${first}`;
  if (lines.length === 2) return `lines ${first} and ${last}`;
  return `${lines.length} lines from ${first} to ${last}`;
}

function withoutEntities(line: string): string {
  const characters: Record<string, string> = {
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    "#39": "'",
    nbsp: "\u00a0",
    amp: "&",
  };
  return line.replace(/&(lt|gt|quot|apos|#39|nbsp|amp);/g, (_, name: string) => characters[name] ?? "");
}

/** Tabs and other invisible characters show. */
function quoted(line: string): string {
  const text = line.length > maxQuoted ? `${line.slice(0, maxQuoted)}…` : line;
  return JSON.stringify(text);
}
