import type { Locale } from "@toolglot/core";
import { displayWidth } from "../view/display-width.ts";

/** Writes a text in the language of the request: English stands first, then ` ‖ `, then Chinese. */
export interface Say {
  (texts: TemplateStringsArray, ...values: unknown[]): string;
  zh: boolean;
  /** Items side by side: with commas, as the language has them. */
  list(items: readonly unknown[]): string;
}

const mark = " ‖ ";

/** How texts are written in a language. */
export function sayIn(language: Locale): Say {
  const zh = language === "zh";
  const say = (texts: TemplateStringsArray, ...values: unknown[]): string => {
    // Each value stands as its number until it is known which half is wanted.
    const whole = texts.reduce((text, part, index) => `${text}\0${index - 1}\0${part}`);
    const own = whole.split(mark)[zh ? 1 : 0] ?? "";
    return own.replaceAll(/\0(\d+)\0/g, (_, index: string) => String(values[Number(index)]));
  };
  return Object.assign(say, { zh, list: (items: readonly unknown[]) => items.join(zh ? "、" : ", ") });
}

/** The language of a request: Chinese as soon as it holds a Han character. */
export const languageOf = (text: string): Locale => (/\p{Script=Han}/u.test(text) ? "zh" : "en");

/** A Markdown table whose columns also line up in a terminal; columns of numbers are right-aligned. */
export function markdownTable(headers: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = [headers, ...rows.map((row) => row.map(cellText))];
  const columns = headers.map((_, at) => {
    const width = Math.max(3, ...cells.map((row) => displayWidth(row[at] ?? "")));
    return { width, numeric: rows.length > 0 && rows.every((row) => typeof row[at] === "number") };
  });
  const lines = cells.map((row) =>
    columns.map(({ width, numeric }, at) => {
      const [text = "", space] = [row[at], " ".repeat(width - displayWidth(row[at] ?? ""))];
      return numeric ? space + text : text + space;
    }),
  );
  const rule = columns.map(({ width, numeric }) => (numeric ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [lines[0] ?? [], rule, ...lines.slice(1)].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" ? formatNumber(value) : String(value).replaceAll("|", "/").replaceAll("\n", " ");
}

/** Thousands grouped, at most two decimals. */
export const formatNumber = (value: number): string =>
  new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 }).format(value);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The number in a Chinese or Arabic numeral up to 99, as in `前五` or `top 5`. */
export function numeral(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const digit = (sign: string | undefined, none: number): number =>
    sign ? "零一二三四五六七八九".indexOf(sign) : none;
  const [, tens, ten, ones] =
    /^([一二三四五六七八九])?(十)?([一二三四五六七八九])?$/u.exec(text.replace("两", "二")) ?? [];
  if (!ten) return tens && !ones ? digit(tens, 0) : undefined;
  return digit(tens, 1) * 10 + digit(ones, 0);
}

/** A value as JSON, or the text itself. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
