import { behindHit, finderOf, type Hit, type Pattern, patternOf } from "./delimiter.ts";

/** What finds the tags of `xml-inline`: all of one; or, where the value is any text between two patterns, these. */
export type TagPattern = readonly [whole: Pattern] | readonly [before: Pattern, after: Pattern];

/** A pattern whose value is the shortest text between two others, which take linear time, whatever the text. */
const between = /^(?!\(\?[a-z])(.+)\(\?P?<value>\.\*\?\)(.+)$/s;

/**
 * Returns what finds the tags of `xml-inline`.
 *
 * @throws TypeError for a pattern without a group `key`, for what JavaScript can't do, and for what may take too long; `where` begins its
 * message.
 */
export function tagPatternOf(source: string, where: string): TagPattern {
  const found = splitPattern(source, where) ?? ([patternOf(source, where, 1)] as const);
  if (!found.some(({ names }) => names.includes("key"))) throw new TypeError(`${where} must have a group "key"`);
  return found;
}

function splitPattern(source: string, where: string): TagPattern | undefined {
  const [, before, after] = between.exec(source) ?? [];
  if (!before || !after || /(?<!\\)\|/.test(source)) return undefined;
  try {
    return [patternOf(before, where), patternOf(after, where)];
  } catch {
    // The two belong together, as in "<(?P<key>\w+)>(?P<value>.*?)</(?P=key)>".
    return undefined;
  }
}

/** Yields the tags of a text. */
export function* eachTag(
  text: string,
  [before, after]: TagPattern,
): Generator<readonly [key: string | undefined, value: string]> {
  const view = { text, base: 0 };
  // A value is often longer than a delimiter; how much all of them together may cost is bounded.
  const openers = finderOf(before, after ? 0 : 64 * text.length);
  const closers = after && finderOf(after);
  for (let from = 0; ; ) {
    const open = openers.nextShort(view, from, true);
    const close: Hit | undefined = open && closers ? closers.nextShort(view, open.end, true) : open;
    if (!open || !close) return;
    const { key, value } = { ...close.captures, ...open.captures };
    yield [key, closers ? text.slice(open.end, close.start) : (value ?? "")];
    from = behindHit({ ...close, start: open.start }, text);
  }
}
