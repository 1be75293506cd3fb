import type { Locale } from "../protocol.ts";

/** How results are written. */
export interface FormatResultsOptions {
  /** UTF-16 units that values, output and messages may take together; the rest is cut, with a note. Default 16,000. */
  maxChars?: number;
  /** Language of what is added: notes, messages that a result lacks. Default `en`. */
  locale?: Locale;
}

/** Says of a field how much of it was cut. */
export const cutNote: Record<Locale, (name: string, shown: number, of: number) => string> = {
  en: (name, shown, of) => `${name}: the first ${shown} of ${of} characters`,
  zh: (name, shown, of) => `${name}：共 ${of} 个字符，只保留前 ${shown} 个`,
};

/** The start of a text, `room` UTF-16 units at most; no character is cut in two. */
export function cutText(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(room - 1)) ? room - 1 : room;
  return text.slice(0, Math.max(0, end));
}

/**
 * Texts cut so that together they take `budget` UTF-16 units at most: what is longer than an even share is cut, so that
 * short texts stay whole and long ones get what those leave. The order stays.
 */
export function fitBudget<Key>(texts: ReadonlyMap<Key, string>, budget: number): Map<Key, string> {
  const byLength = [...texts].sort((a, b) => a[1].length - b[1].length);
  const rooms = new Map<Key, number>();
  let left = budget;
  for (const [index, [key, text]] of byLength.entries()) {
    const room = Math.min(text.length, Math.max(0, Math.floor(left / (byLength.length - index))));
    rooms.set(key, room);
    left -= room;
  }
  return new Map([...texts].map(([key, text]) => [key, cutText(text, rooms.get(key) ?? 0)]));
}
