/** A table as printed and as written to the page. Cells are Markdown. */
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

/** What one benchmark found. */
export interface Findings {
  bars: Bar[];
  tables: Table[];
}

/** The table as Markdown, its first column left and the others right. */
export function markdown({ title, note, columns, rows, words = [] }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = `|${columns.map((_, index) => (index === 0 || words.includes(index) ? "---|" : "---:|")).join("")}`;
  return [`### ${title}`, ...(note ? ["", note] : []), "", line(columns), rule, ...rows.map(line)].join("\n");
}

/** The bars, each marked met or missed. */
export function barTable(bars: readonly Bar[]): Table {
  return {
    title: "Bars",
    columns: ["what", "bar", "measured", ""],
    words: [3],
    rows: bars.map(({ what, limit, measured, met }) => [what, limit, measured, met ? "met" : "**missed**"]),
  };
}

/** A number with about three digits that count, thousands divided. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** How many times `value` is `base`. */
export function ratio(value: number, base: number): string {
  const times = value / base;
  return Number.isFinite(times) ? `${figure(times)}×` : "–";
}

/** A whole page: introduction, machine, bars, tables, and a closing text. */
export function findingsPage(
  introduction: string,
  machine: readonly string[],
  { bars, tables }: Findings,
  ...after: string[]
): string {
  return `${[
    introduction,
    machine.map((line) => `- ${line}`).join("\n"),
    ...(bars.length > 0 ? [markdown(barTable(bars)).replace("### ", "## ")] : []),
    ...tables.map((table) => markdown(table).replace("### ", "## ")),
    ...after,
  ].join("\n\n")}\n`;
}
