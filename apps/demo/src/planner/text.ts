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
    const middle = texts.findIndex((text) => text.includes(mark));
    const [english = "", chinese = ""] = texts[middle]?.split(mark) ?? [];
    const parts = zh ? [chinese, ...texts.slice(middle + 1)] : [...texts.slice(0, middle), english];
    const own = zh ? values.slice(middle) : values;
    return parts.map((part, index) => (index === 0 ? part : String(own[index - 1]) + part)).join("");
  };
  return Object.assign(say, { zh, list: (items: readonly unknown[]) => items.join(zh ? "、" : ", ") });
}

/** The language of a request: Chinese as soon as it holds a Han character. */
export function languageOf(text: string): Locale {
  return /\p{Script=Han}/u.test(text) ? "zh" : "en";
}

/** A Markdown table whose columns also line up in a terminal; columns of numbers are right-aligned. */
export function markdownTable(headers: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(cellText));
  const numeric = headers.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"));
  const widths = headers.map((header, column) =>
    Math.max(3, displayWidth(header), ...cells.map((row) => displayWidth(row[column] ?? ""))),
  );
  const pad = (text = "", column: number): string => {
    const space = " ".repeat((widths[column] ?? 0) - displayWidth(text));
    return numeric[column] ? space + text : text + space;
  };
  const line = (row: readonly string[]): string =>
    `| ${widths.map((_, column) => pad(row[column], column)).join(" | ")} |`;
  const rule = widths.map((width, column) => (numeric[column] ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  return [line(headers), line(rule), ...cells.map(line)].join("\n");
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" ? formatNumber(value) : String(value).replaceAll("|", "/").replaceAll("\n", " ");
}

/** Thousands grouped, at most two decimals. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 }).format(value);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The number in a Chinese or Arabic numeral up to 99, as in `前五` or `top 5`. */
export function numeral(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const digits = "零一二三四五六七八九";
  const [, tens, ten, ones] =
    /^([一二三四五六七八九])?(十)?([一二三四五六七八九])?$/.exec(text.replace("两", "二")) ?? [];
  if (!ten) return tens && !ones ? digits.indexOf(tens) : undefined;
  return (tens ? digits.indexOf(tens) : 1) * 10 + (ones ? digits.indexOf(ones) : 0);
}

/** A value as JSON, or the text itself. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
