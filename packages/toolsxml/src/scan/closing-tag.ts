import type { EndOptions } from "@toolglot/core";
import type { Fence, Source } from "@toolglot/core/text";
import { isSpace } from "@toolglot/internal";
import type { BodyContext } from "./context.ts";

/** A closing tag that may be the body's own, as offsets. */
export interface Candidate {
  start: number;
  end: number;
}

/** Index after the closing tag of a name (in lower case) at an index; 0 when there is none, -1 when more text decides. */
export function closingTagEnd(text: string, at: number, name: string, ended: boolean): number {
  let end = at + 2 + name.length;
  const written = text.slice(at + 2, end);
  if (written !== name && written.toLowerCase() !== name)
    return !ended && end > text.length && name.startsWith(written.toLowerCase()) ? -1 : 0;
  const limit = Math.min(text.length, end + 64);
  while (end < limit && isSpace(text.charCodeAt(end))) end += 1;
  if (end === text.length) return ended ? 0 : -1;
  return text.charCodeAt(end) === 62 ? end + 1 : 0;
}

/** Lookahead behind a closing tag: does a tag that fits the grammar follow, comments apart? Then the body may end there. */
export class Lookahead {
  /** Line breaks between the closing tag and what follows it. */
  breaks = 0;
  readonly #context: BodyContext;
  readonly #fence: Fence | undefined;
  #inComment = false;

  constructor(context: BodyContext, fence: Fence | undefined) {
    this.#context = context;
    this.#fence = fence;
  }

  /** Another closing tag is tried. */
  reset(): void {
    this.breaks = 0;
    this.#inComment = false;
  }

  /** Undefined: only more text decides. The end of the text fits. */
  fits(source: Source, ended: boolean): boolean | undefined {
    const { text } = source;
    const { follows, following, longest } = this.#context;
    for (let at = source.at; ; ) {
      if (this.#inComment) {
        const close = text.indexOf("-->", at);
        if (close < 0) {
          source.at = Math.max(at, text.length - 2);
          return ended || undefined;
        }
        at = close + 3;
        this.#inComment = false;
      }
      for (; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (!isSpace(code)) break;
        if (code === 10) this.breaks += 1;
      }
      source.at = at;
      if (at >= text.length) return ended || undefined;
      if (text.charCodeAt(at) !== 60) return this.#closesFence(text, at, ended);
      if (text.startsWith("<!--", at)) {
        this.#inComment = true;
        at += 4;
        continue;
      }
      follows.lastIndex = at;
      if (follows.test(text)) return true;
      if (text.length - at > longest) return false;
      const rest = text
        .slice(at + 1)
        .toLowerCase()
        .replace(/^[ \t]*(\/?)[ \t]*/, "$1");
      const partial = "!--".startsWith(rest) || following.some((name) => name.startsWith(rest));
      return partial ? ended || undefined : false;
    }
  }

  #closesFence(text: string, at: number, ended: boolean): boolean | undefined {
    const { mark = "", length = 0 } = this.#fence ?? {};
    if (this.breaks === 0 || text.charAt(at) !== mark) return false;
    const run = text.slice(at, at + length);
    if (run !== mark.repeat(run.length)) return false;
    return run.length === length || ended || undefined;
  }
}

/** Whether the stop sequence that the provider took away was the block's closing tag. */
export function isStop({ stopSequence }: EndOptions): boolean {
  return stopSequence !== undefined && /^\s*<\/tools\s*>?/i.test(stopSequence);
}
