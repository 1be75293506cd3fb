import type { Span } from "@toolglot/core";
import { foreignCloser } from "@toolglot/core/text";
import { cdataEnd, cdataStart } from "./body-text.ts";

/** What in a body, as it was written, shows that its text may not be what was meant: indices. */
export interface BodyDoubts {
  /** CDATA that was begun twice: it holds the tag of an element of the block with CDATA, or an opener of its own element. */
  cdata?: Span | undefined;
  /** It ends with closers of another call format. */
  closer?: Span | undefined;
}

const begunAgain = /<([^\s<>/]{1,64})(?:\s[^<>]{0,300})?>\s{0,99}<!\[CDATA\[/g;

/**
 * Returns the doubts about a body. `name`: the element's own, lower-cased. `isOwn`: whether an element of the block has a lower-cased name.
 */
export function bodyDoubts(raw: string, name: string, isOwn: (name: string) => boolean): BodyDoubts {
  const end = raw.trimEnd().length;
  const text = raw.endsWith(cdataEnd, end) ? raw.slice(0, end - cdataEnd.length) : raw;
  return {
    cdata: raw.includes(cdataStart) ? begunTwice(raw, name, isOwn) : undefined,
    closer: foreignCloser(text, "toolsxml"),
  };
}

function begunTwice(raw: string, name: string, isOwn: (name: string) => boolean): Span | undefined {
  for (let at = raw.indexOf(cdataStart); at >= 0; ) {
    const start = at + cdataStart.length;
    const end = raw.indexOf(cdataEnd, start);
    if (end < 0) return undefined;
    const text = raw.slice(start, end);
    for (const { 0: found, 1: tag = "", index } of text.matchAll(begunAgain))
      if (isOwn(tag.toLowerCase())) return { start: start + index, end: start + index + found.length };
    const lone = loneOpener(text, name);
    if (lone !== undefined) return { start: start + lone, end: start + lone + name.length + 1 };
    at = raw.indexOf(cdataStart, end);
  }
  return undefined;
}

/** Returns the index of an opening tag of a name that begins a line, when more of them open in a text than close. */
function loneOpener(text: string, name: string): number | undefined {
  const lower = text.toLowerCase();
  if (!lower.includes(`<${name}`)) return undefined;
  let first: number | undefined;
  let open = 0;
  for (let at = lower.indexOf("<"); at >= 0; at = lower.indexOf("<", at + 1)) {
    const closes = lower.charCodeAt(at + 1) === 47;
    const from = at + (closes ? 2 : 1);
    if (!lower.startsWith(name, from) || !/[\s>]/.test(lower.charAt(from + name.length))) continue;
    open += closes ? -1 : 1;
    if (!closes) first ??= at;
  }
  return open > 0 ? first : undefined;
}
