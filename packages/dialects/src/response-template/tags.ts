import { behindHit, Finder, type Hit, type Pattern, patternOf } from "./delimiter.ts";

/** What finds the tags of `xml-inline`. */
export interface TagPattern {
  whole: Pattern;
  /** Where the value is any text between two patterns: these. They find the tags in linear time, whatever the text. */
  around?: readonly [before: Pattern, after: Pattern];
}

/** A pattern whose value is the shortest text between two others. */
const between = /^(.+)\(\?P?<value>\.\*\?\)(.+)$/s;

/**
 * Returns what finds the tags of `xml-inline`.
 *
 * @throws TypeError for a pattern without a group `key`, and for what JavaScript can't do; `where` begins its message.
 */
export function tagPatternOf(source: string, where: string): TagPattern {
  const whole = patternOf(source, where);
  if (!whole.names.includes("key")) throw new TypeError(`${where} must have a group "key": (?P<key>…)`);
  const [, before, after] = between.exec(source) ?? [];
  if (before === undefined || after === undefined || /^\(\?[a-z]/.test(source)) return { whole };
  try {
    const around = [patternOf(before, where), patternOf(after, where)] as const;
    return around.some(({ choice }) => choice) ? { whole } : { whole, around };
  } catch {
    // The two belong together, as in "<(?P<key>\w+)>(?P<value>.*?)</(?P=key)>".
    return { whole };
  }
}

/** Yields the tags of a text. */
export function* eachTag(text: string, { whole, around }: TagPattern): Generator<{ key?: string; value: string }> {
  const view = { text, base: 0 };
  const [before, after] = around ?? [whole];
  // A value is often longer than a delimiter; how much all of them together may cost is bounded.
  const openers = new Finder(before, around ? 0 : 64 * text.length);
  const closers = after && new Finder(after);
  for (let from = 0; ; ) {
    const open = openers.nextShort(view, from, true);
    const close: Hit | undefined = open && closers ? closers.nextShort(view, open.end, true) : open;
    if (!open || !close) return;
    const { key, value } = { ...close.captures, ...open.captures };
    yield {
      ...(key !== undefined && { key }),
      value: closers ? text.slice(open.end, close.start) : (value ?? ""),
    };
    from = behindHit({ ...close, start: open.start }, text);
  }
}
