import { execFileSync } from "node:child_process";

// Pages of figures, as the benchmarks and the slips print and write them.

/** A table as printed and as written to a page. Cells are Markdown. */
export interface Table {
  title: string;
  /** What has to be said about it, before it. */
  note?: string;
  columns: string[];
  rows: string[][];
  /** Columns of words, besides the first: they stand left. */
  words?: number[];
}

/** A figure that has to be reached. */
export interface Bar {
  what: string;
  limit: string;
  measured: string;
  met: boolean;
}

/** Result of one measurement. */
export interface Findings {
  bars: Bar[];
  tables: Table[];
}

/** Returns the table as Markdown under a heading, its first column left and the others right. */
export function markdown({ title, note, columns, rows, words = [] }: Table, heading = "###"): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = `|${columns.map((_, index) => (index === 0 || words.includes(index) ? "---|" : "---:|")).join("")}`;
  return [`${heading} ${title}`, ...(note ? ["", note] : []), "", line(columns), rule, ...rows.map(line)].join("\n");
}

/** Returns the bars as a table, each marked met or missed. */
export function barTable(bars: readonly Bar[]): Table {
  return {
    title: "Bars",
    columns: ["what", "bar", "measured", ""],
    words: [3],
    rows: bars.map(({ what, limit, measured, met }) => [what, limit, measured, met ? "met" : "**missed**"]),
  };
}

/** Returns all tables, and the bars if there are any, as they are printed. */
export function printed({ bars, tables }: Findings): string {
  return [...tables, ...(bars.length > 0 ? [barTable(bars)] : [])].map((table) => `\n${markdown(table)}`).join("\n");
}

/**
 * Returns a page: a text in which `<!-- about -->` stands for lines about the run, `<!-- bars -->` for the bars of all parts, and
 * `<!-- ## part -->` for the tables of one, with headings of that level.
 */
export function page(text: string, about: readonly string[], parts: Readonly<Record<string, Findings>>): string {
  const bars = barTable(Object.values(parts).flatMap((part) => part.bars));
  return text.replace(/<!-- (?:(#+) )?([\w-]+) -->/g, (all, heading: string | undefined, name: string) => {
    if (name === "about") return about.map((line) => `- ${line}`).join("\n");
    if (name === "bars") return markdown(bars, "##");
    const part = parts[name];
    if (part === undefined) throw new Error(`the page has ${all}, and there is no part ${name}`);
    return part.tables.map((table) => markdown(table, heading)).join("\n\n");
  });
}

/** Returns the commit that is checked out at `root`, with the number of changed files in the folders that count, and today's date. */
export function commitLine(root: string, ...folders: string[]): string {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ...folders)
    .split("\n")
    .filter(Boolean).length;
  const more = changed > 0 ? ` with ${changed} changed files` : "";
  return `Commit ${git("rev-parse", "--short", "HEAD")}${more}, ${new Date().toISOString().slice(0, 10)}`;
}
