import { isSpace } from "@toolglot/internal";
import { type LookForText, last, more } from "./marks.ts";

const bar = 0xff5c;
const isBar = (unit: number): boolean => unit === bar || unit === 0x2016 || unit === 124;

/**
 * Looks for texts with parts that vary. The bars of DeepSeek's tokens may be U+2016, ASCII or doubled, and U+2581 an underscore: that is what
 * copies and tokenizers make of them.
 */
export const variedAt: LookForText = (text, start, wanted, ended, variable) => {
  let at = start;
  let looksAlike = false;
  let varied: string | undefined;
  for (let index = 0; index < wanted.length; index += 1) {
    const want = wanted.charCodeAt(index);
    if (want === 32) {
      while (isSpace(text.charCodeAt(at))) at += 1;
      continue;
    }
    if (want === 0) {
      const lead = wanted.slice(index + 1, wanted.indexOf("\0", index + 1));
      index += lead.length + 1;
      const known = variable?.value;
      const from = at;
      if (known !== undefined) {
        if (text.length - at < known.length && !ended && known.startsWith(text.slice(at))) return more;
        at += text.startsWith(known, at) ? known.length : 0;
      } else if (text.startsWith(lead, at)) {
        at += lead.length;
        while (at - from < 16 + lead.length && /[A-Za-z0-9]/.test(text.charAt(at))) at += 1;
        if (at >= text.length && !ended) return more;
        if (at === from + lead.length) at = from;
      }
      varied = text.slice(from, at);
      continue;
    }
    if (at >= text.length) return ended ? 0 : more;
    const unit = text.charCodeAt(at);
    if (unit !== want) {
      if (!((want === bar && isBar(unit)) || (want === 0x2581 && unit === 95))) return 0;
      looksAlike = true;
    }
    at += 1;
    if (want === bar && isBar(text.charCodeAt(at))) {
      at += 1;
      looksAlike = true;
    }
  }
  if (variable && varied !== undefined) variable.value ??= varied;
  last.looksAlike = looksAlike;
  return at;
};
