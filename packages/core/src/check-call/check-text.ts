import { closersIn, isCutCloser, prefix, quoteMark, tokenMark } from "./marks.ts";
import type { Found } from "./types.ts";

const name = `[^\\s<>"'=:|]{1,100}`;
const element = (names: string, more = "[^<>]{0,200}"): string => `<${prefix}(?:${names})${more}>`;
/** An argument's beginning behind a closer, with its name in one of the groups. */
const opener = new RegExp(
  `[\\s,]{0,99}(?:${element("parameter|param|value", `\\s{0,9}(?:=|[^<>]{0,99}\\bname\\s{0,9}=)\\s{0,9}["']?(${name})[^<>]{0,200}`)}` +
    `|${element("arg_key")}\\s*(${name})(?:\\s*</?${prefix}arg_(?:type[^<>]*>[^<>]*|[kv][^<>]*>))*` +
    `|<(${name})>|<\\|open\\|>argument[^<>]{0,99}\\bkey="(${name})"[^<>]*<\\|sep\\|>` +
    `|["']?(${name})(?:${quoteMark}|["'])?\\s{0,9}[:=]\\s{0,9}(?:${quoteMark}|["'])?)\\n?`,
  "yi",
);
/** Marks that stand for a value, or around one. A lone closer is none of these: it has leaked. */
const marked = new RegExp(
  `^\\s*(?:(${quoteMark})(?:(?!\\1)[\\s\\S])*(?:\\1\\s*)?|(?:(?:${tokenMark})[^<>\\n]*|(?!.*(?:end|close|eo[mt]|call\\|)))(?:${tokenMark})\\s*)$`,
  "i",
);

/** No mark is longer. */
const longest = 160;

/**
 * Looks for damage in one text of a call. Linear.
 *
 * @param own Names of its arguments and of its tool, in lower case: their elements are marks in it.
 * @param lacking Arguments that the call lacks.
 */
export function checkText(
  text: string,
  own: readonly string[],
  lacking: readonly string[],
  marks: readonly string[],
): Found | undefined {
  if (marked.test(text)) return { code: "marker-in-value", at: 0 };
  const seen = text.trimEnd();
  const last = seen.length;
  const cut = /(?:<[^<>]*|\]<\][^<>]*>?)$/.exec(seen.slice(-longest))?.[0] ?? "";

  const swallowed: { name: string; value: string }[] = [];
  let at = -1;
  let valueFrom = 0;
  const endValue = (end: number): void => {
    const swallower = swallowed.at(-1);
    if (swallower) swallower.value = text.slice(valueFrom, end).replace(/\n$/, "");
  };
  /** Takes the argument that begins at a place, when the call lacks it. */
  const argument = (from: number, closer: number): void => {
    opener.lastIndex = from;
    const found = opener.exec(text)?.slice(1).find(Boolean);
    if (!found || !lacking.includes(found)) return;
    if (at < 0) at = closer;
    endValue(closer);
    swallowed.push({ name: found, value: "" });
    valueFrom = opener.lastIndex;
  };
  // A string in JSON or Python that ends, and was not opened in the text.
  const quote = text.search(/["']\s{0,9},/);
  if (text.indexOf(text.charAt(quote)) === quote) argument(quote + 1, quote);

  /** Closers with nothing between them: where the first begins, the first that nothing opened, and the last ends. */
  let start = -1;
  let unopened = -1;
  let end = -longest;
  const isGap = (from: number): boolean => from < end + longest && /^[\s,}\]]*$/.test(text.slice(end, from));
  const endRun = (): void => {
    if (end >= 0 && (unopened >= 0 || at >= 0)) argument(end, unopened < 0 ? start : unopened);
  };
  const isOpened = closersIn(text, own, marks, (from, to, isUnopened) => {
    if (!isGap(from)) {
      endRun();
      start = from;
      unopened = -1;
    }
    end = to;
    if (isUnopened && unopened < 0) unopened = from;
  });
  endRun();
  if (at >= 0) {
    endValue(end === last && start >= valueFrom ? start : text.length);
    return { code: "swallowed-argument", at, swallowed };
  }
  const cutAt = last - cut.length;
  const behind = isGap(cutAt);
  if (end !== last && !isCutCloser(cut, behind, own, isOpened)) return undefined;
  at = (end === last || behind) && unopened >= 0 ? unopened : cutAt;
  return at < last ? { code: "leaked-closer", at } : undefined;
}
