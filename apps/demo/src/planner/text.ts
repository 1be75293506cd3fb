import type { Locale } from "@toolglot/core";
import { displayWidth } from "@toolglot/internal";

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
  const columns = headers.map((header, at) => {
    const isNumeric = rows.length > 0 && rows.every((row) => typeof row[at] === "number");
    const texts = [header, ...rows.map((row) => cellText(row[at]))];
    const width = Math.max(3, ...texts.map((text) => displayWidth(text)));
    const [head, ...cells] = texts.map((text) => {
      const space = " ".repeat(width - displayWidth(text));
      return isNumeric ? space + text : text + space;
    });
    return [head, isNumeric ? `${"-".repeat(width - 1)}:` : "-".repeat(width), ...cells];
  });
  const lines = ["", "", ...rows].map((_, line) => columns.map((column) => column[line]).join(" | "));
  return lines.map((line) => `| ${line} |`).join("\n");
}

function cellText(value: unknown): string {
  if (typeof value === "number") return formatNumber(value);
  return String(value ?? "–")
    .replaceAll("|", "/")
    .replaceAll("\n", " ");
}

/** Thousands grouped, at most two decimals. */
export const formatNumber = (value: number): string =>
  new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 }).format(value);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The number in a Chinese or Arabic numeral up to 99, as in `前五` or `top 5`. */
export function numeral(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const parts = text.replace("两", "二").split("十");
  const [tens = 0, ones] = parts.map((sign) => "零一二三四五六七八九".indexOf(sign));
  if (tens < 0 || (ones ?? 0) < 0 || parts.length > 2) return undefined;
  return ones === undefined ? tens || undefined : (tens || 1) * 10 + ones;
}

/** A text itself, or a value as JSON. */
export const plainText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** A value as JSON, or the text itself. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
