import type { Locale } from "@toolglot/core";

/** The language of a request: Chinese as soon as it holds a Han character. */
export function languageOf(text: string): Locale {
  return /\p{Script=Han}/u.test(text) ? "zh" : "en";
}

/** Columns a text takes in a terminal: East Asian characters take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{M}/u.test(character)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}

/** A Markdown table whose columns also line up in a terminal; columns of numbers are right-aligned. */
export function markdownTable(headers: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(cellText));
  const numeric = headers.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"));
  const widths = headers.map((header, column) =>
    Math.max(3, displayWidth(header), ...cells.map((row) => displayWidth(row[column] ?? ""))),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(row[column] ?? "", width, numeric[column] === true)).join(" | ")} |`;
  const rule = widths.map((width, column) => (numeric[column] ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [line(headers), `| ${rule.join(" | ")} |`, ...cells.map(line)].join("\n");
}

function pad(text: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return right ? space + text : text + space;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" ? formatNumber(value) : String(value).replaceAll("|", "/").replaceAll("\n", " ");
}

/** Thousands grouped, at most two decimals. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 }).format(value);
}

/** A value as Python and JavaScript both write it, for a TOML literal string: it never holds three quotes in a row. */
export function literal(value: string | number): string {
  if (typeof value === "number") return String(value);
  return JSON.stringify(value)
    .replaceAll("''", "\\u0027\\u0027")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** The number in a Chinese or Arabic numeral up to 99, as in `前五` or `top 5`. */
export function numeral(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const digits = "零一二三四五六七八九";
  const value = text.replace("两", "二");
  const match = /^([一二三四五六七八九])?(十)?([一二三四五六七八九])?$/.exec(value);
  if (!match || value === "") return undefined;
  const [, tens, ten, ones] = match;
  if (!ten) return tens ? digits.indexOf(tens) : undefined;
  return (tens ? digits.indexOf(tens) : 1) * 10 + (ones ? digits.indexOf(ones) : 0);
}
