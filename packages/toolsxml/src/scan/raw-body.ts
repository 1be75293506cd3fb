import type { EndOptions } from "@toolglot/core";
import { type Fence, isCutOff, type Source } from "@toolglot/core/text";
import { isBlank, isSpace } from "@toolglot/internal";
import { cdataEnd, cdataStart } from "./body-text.ts";
import type { BodyContext } from "./context.ts";

/** A closing tag that may be the one, as offsets. */
interface Candidate {
  start: number;
  end: number;
}

/** What the bodies of one text know together, so that none of them looks for the same again. */
export class BodyMemory {
  /** Offset from which on a name has no closing tag. */
  readonly gone: Map<string, number> = new Map();
  /** Offset from which on no CDATA is closed. */
  noCdata: number = Number.POSITIVE_INFINITY;
  /** Units that were read again because a guess was wrong. */
  reread = 0;
}

/** Beyond so many units read again, bodies end at the first place where they can. */
export const patience = 65_536;
const restOfTag = /[^<>]{0,300}>/y;
const mayBeRest = /^[^<>]{0,300}$/;
const mayBeTag = /^<(?:\/?[^\s<>/]*|![[CDAT]*)$/;

/**
 * Finds where a raw body ends. Its closing tag is the last one before a tag that fits the grammar behind it. So a closing
 * tag that nothing of the kind follows is data; and so are pairs of the same name that balance. When they don't balance,
 * which the parent's closing tag shows, inner opening tags were data and the first closing tag that fits counts.
 *
 * Most bodies end at the first closing tag: only for others are tags counted.
 */
export class RawBody {
  /** Offsets of the body's end and of its closing tag's. */
  bodyEnd = 0;
  end = 0;
  /** `unclosed`: there is no closing tag, but what follows shows the end. `cut`: the text ends first. */
  outcome: "closed" | "unclosed" | "cut" = "cut";
  /** Another closing tag might have been meant. */
  doubtful = false;
  /** Closing tags of the same name in it that belong to no inner pair; and those of them that end their line. */
  spares = 0;
  lineSpares = 0;
  readonly start: number;
  readonly #name: string;
  readonly #opener: string;
  readonly #context: BodyContext;
  readonly #memory: BodyMemory;
  readonly #fence: Fence | undefined;
  #counts = false;
  /** Offset of the first closing tag. */
  #first = -1;
  /** Ends at the first place where it can. */
  #eager: boolean;
  #candidate: Candidate | undefined;
  #inComment = false;
  #breaks = 0;
  #cdata = -1;
  /** Inner elements of the same name that are open: how many of the parents' names were open at each. */
  #inner: number[] = [];
  #opened: Record<string, number> = {};
  #parents = 0;
  /** Inner elements overlap, so that not all of them are elements. */
  #crossed = false;
  /** The first closing tag of an inner pair that would fit as the body's own. */
  #fitting: Candidate | undefined;
  /** The last closing tag. */
  #last: Candidate | undefined;
  /** The last one of no inner pair, when a line ends behind it. */
  #lineEnd: { at: Candidate; blank: boolean } | undefined;
  /** First places that would show the end of a body without a closing tag. */
  #parent = -1;
  #sibling = -1;
  #innerLine = false;
  /** The tag that was looked at last closes an inner `<tools>`. */
  #shut = false;

  /** `name` as written in the opening tag. */
  constructor(name: string, start: number, context: BodyContext, memory: BodyMemory, fence: Fence | undefined) {
    this.#name = name.toLowerCase();
    this.#opener = `<${name}`;
    this.start = start;
    this.#context = context;
    this.#memory = memory;
    this.#fence = fence;
    this.#eager = memory.reread > patience;
    if (start >= (memory.gone.get(this.#name) ?? Number.POSITIVE_INFINITY)) {
      this.#counts = this.#eager = true;
      this.#first = start;
    }
  }

  /** Text before this offset is the body's, whatever comes. */
  safe(source: Source): number {
    return this.#first < 0 ? source.offset : this.#first;
  }

  /** Reads on; true when the end is found. `end`: no more text comes. */
  read(source: Source, end: EndOptions | undefined): boolean {
    const ended = end !== undefined;
    for (;;) {
      let found: boolean | undefined;
      if (this.#candidate) {
        const fits = this.#looksAhead(source, ended);
        if (fits !== undefined && this.#judge(source, this.#candidate, fits)) return true;
        found = fits === undefined ? undefined : false;
      } else found = this.#counts ? this.#count(source, ended) : this.#search(source, ended);
      if (found) return true;
      if (found === undefined) {
        if (!end) return false;
        if (this.#counts) return this.#atEnd(source, end);
        this.#memory.gone.set(this.#name, this.start);
        this.#startCounting(source);
      }
    }
  }

  /** The quick way: looks for closing tags only. Undefined: more text is needed. */
  #search(source: Source, ended: boolean): false | undefined {
    const { text } = source;
    for (let at = source.at; ; ) {
      const found = text.indexOf("</", at);
      if (found < 0) {
        const end = text.length - (text.endsWith("<") ? 1 : 0);
        if (end > source.at) source.at = end;
        return undefined;
      }
      const end = this.#closingTag(text, found, ended);
      if (end === 0) at = found + 2;
      else if (end < 0) {
        source.at = found;
        return undefined;
      } else {
        this.#first = source.base + found;
        const body = source.slice(this.start, this.#first);
        // Short strings are looked for much faster.
        const mayHold = (text: string): boolean => body.includes(text.slice(0, 2)) && body.includes(text);
        if (mayHold(this.#opener) || mayHold(cdataStart)) this.#startCounting(source);
        else this.#take(source, found, end);
        return false;
      }
    }
  }

  #take(source: Source, start: number, end: number): void {
    this.#candidate = this.#last = { start: source.base + start, end: source.base + end };
    this.#breaks = 0;
    source.at = end;
  }

  /** Index after the body's closing tag at an index; 0 when it is none, -1 when more text decides. */
  #closingTag(text: string, at: number, ended: boolean): number {
    const name = this.#name;
    let end = at + 2 + name.length;
    const written = text.slice(at + 2, end);
    if (written !== name && written.toLowerCase() !== name)
      return !ended && end > text.length && name.startsWith(written.toLowerCase()) ? -1 : 0;
    const limit = Math.min(text.length, end + 64);
    while (end < limit && isSpace(text.charCodeAt(end))) end += 1;
    if (end === text.length) return ended ? 0 : -1;
    return text.charCodeAt(end) === 62 ? end + 1 : 0;
  }

  #startCounting(source: Source): void {
    this.#counts = true;
    this.#candidate = this.#last = undefined;
    source.seek(this.start);
  }

  /** Whether a tag that fits the grammar follows the candidate. Undefined: more text is needed. */
  #looksAhead(source: Source, ended: boolean): boolean | undefined {
    const { text } = source;
    const { follows, following } = this.#context;
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
        if (code === 10) this.#breaks += 1;
      }
      source.at = at;
      if (at >= text.length) return ended || undefined;
      if (text.charCodeAt(at) !== 60) {
        const { mark = "", length = 0 } = this.#fence ?? {};
        if (this.#breaks === 0 || text.charAt(at) !== mark) return false;
        const run = text.slice(at, at + length);
        if (run !== mark.repeat(run.length)) return false;
        return run.length === length || ended || undefined;
      }
      if (text.startsWith("<!--", at)) {
        this.#inComment = true;
        at += 4;
        continue;
      }
      follows.lastIndex = at;
      if (follows.test(text)) return true;
      if (text.length - at > this.#context.longest) return false;
      const rest = text
        .slice(at + 1)
        .toLowerCase()
        .replace(/^[ \t]*(\/?)[ \t]*/, "$1");
      const partial = "!--".startsWith(rest) || following.some((name) => name.startsWith(rest));
      return partial ? ended || undefined : false;
    }
  }

  /** Decides about a candidate; true when it ends the body. */
  #judge(source: Source, candidate: Candidate, fits: boolean): boolean {
    this.#candidate = undefined;
    if (!this.#counts) {
      if (fits) return this.#close(source, candidate);
      this.#startCounting(source);
      return false;
    }
    const inner = this.#inner.length > 0;
    if (fits && !inner) return this.#close(source, candidate);
    if (inner) {
      this.#crossed ||= this.#inner.pop() !== this.#parents;
      if (fits) this.#fitting ??= candidate;
    } else {
      this.spares += 1;
      if (this.#breaks > 0) this.lineSpares += 1;
      this.#lineEnd = this.#breaks > 0 ? { at: candidate, blank: this.#breaks > 1 } : undefined;
    }
    return false;
  }

  #close(source: Source, { start, end }: Candidate): true {
    if (start === this.#lineEnd?.at.start) {
      this.spares -= 1;
      this.lineSpares -= 1;
    }
    this.bodyEnd = start;
    this.end = end;
    this.outcome = "closed";
    source.seek(end);
    return true;
  }

  #endWithout(source: Source, at: number): true {
    this.bodyEnd = this.end = at;
    this.outcome = "unclosed";
    this.#memory.reread += Math.max(0, source.offset - at);
    source.seek(at);
    return true;
  }

  /** The slow way: looks at every tag that counts. */
  #count(source: Source, ended: boolean): boolean | undefined {
    const { text, base } = source;
    const { inner } = this.#context;
    if (this.#cdata >= 0) {
      const close = text.indexOf(cdataEnd, source.at);
      if (close < 0 && !ended) {
        source.at = Math.max(source.at, text.length - 2);
        return undefined;
      }
      if (close < 0) {
        this.#memory.noCdata = this.#cdata;
        this.#memory.reread += source.length - this.#cdata;
        source.seek(this.#cdata + cdataStart.length);
      } else {
        const content = source.slice(this.#cdata + cdataStart.length, base + close);
        // Two sections of two bodies look like this when the first one is not closed.
        if (content.includes(cdataStart) && content.toLowerCase().includes(`</${this.#name}`)) this.doubtful = true;
        source.at = close + cdataEnd.length;
      }
      this.#cdata = -1;
      return false;
    }
    inner.lastIndex = source.at;
    for (let match = inner.exec(text); match; match = inner.exec(text)) {
      const at = match.index;
      const [all, slash, written] = match;
      if (written === undefined) {
        if (base + at >= this.#memory.noCdata) continue;
        this.#cdata = base + at;
        source.at = at + all.length;
        return false;
      }
      this.#shut = false;
      const done = slash
        ? this.#closer(source, at, written.toLowerCase(), ended)
        : this.#openingTag(source, at, at + all.length, written.toLowerCase(), ended);
      if (done !== null) return done;
    }
    const open = text.lastIndexOf("<");
    const partial = open >= source.at && text.length - open <= this.#context.longest && mayBeTag.test(text.slice(open));
    source.at = Math.max(source.at, partial ? open : text.length);
    return undefined;
  }

  /** A closing tag. Null: it decides nothing. */
  #closer(source: Source, at: number, name: string, ended: boolean): boolean | undefined | null {
    const { text, base } = source;
    if (name === this.#name) {
      const end = this.#closingTag(text, at, ended);
      if (end === 0) return null;
      if (end > 0) this.#take(source, at, end);
      else source.at = at;
      return end > 0 ? false : undefined;
    }
    if (!this.#context.parents.has(name)) return null;
    let next = at + 2 + name.length;
    const limit = next + 200;
    while (next < limit && isSpace(text.charCodeAt(next))) next += 1;
    if (next < text.length && text.charCodeAt(next) === 62) {
      next += 1;
      while (next < limit && isBlank(text.charCodeAt(next))) next += 1;
    } else if (next < text.length) return null;
    if (next >= text.length && !ended) {
      source.at = at;
      return undefined;
    }
    const code = text.charCodeAt(next);
    // Behind a parent's closing tag its line ends, or another tag comes: elsewhere it is data.
    const ends = next >= text.length || code === 10 || code === 13 || code === 60;
    const opened = this.#opened[name] ?? 0;
    if (opened > 0) {
      this.#opened[name] = opened - 1;
      this.#parents -= 1;
      this.#shut = ends && name === "tools";
    } else if (ends) {
      source.at = at;
      if (this.#last) return this.#atParent(source);
      if (this.#parent < 0) this.#parent = base + at;
      if (this.#eager) return this.#endWithout(source, this.#sibling < 0 ? base + at : this.#sibling);
    }
    return null;
  }

  /** The parent ends here, so the body has ended before. */
  #atParent(source: Source): true {
    const fitting = this.#fitting;
    if (this.#parent >= 0 && fitting && this.#parent < fitting.start) return this.#endWithout(source, this.#implied());
    const chosen = (fitting ?? this.#last) as Candidate;
    this.doubtful ||= fitting ? this.#innerLine : chosen !== this.#lineEnd?.at;
    this.#memory.reread += source.offset - chosen.end;
    return this.#close(source, chosen);
  }

  #implied(): number {
    return this.#sibling >= 0 && this.#sibling < this.#parent ? this.#sibling : this.#parent;
  }

  /** An opening tag. Null: it decides nothing. */
  #openingTag(source: Source, at: number, from: number, name: string, ended: boolean): boolean | undefined | null {
    const { text, base } = source;
    restOfTag.lastIndex = from;
    if (!restOfTag.test(text)) {
      if (ended || text.length - from > 300 || !mayBeRest.test(text.slice(from))) return null;
      source.at = at;
      return undefined;
    }
    const selfClosing = text.charCodeAt(restOfTag.lastIndex - 2) === 47;
    const parent = this.#context.parents.has(name);
    if (!selfClosing && parent) {
      this.#opened[name] = (this.#opened[name] ?? 0) + 1;
      this.#parents += 1;
    }
    const line = name !== "tools" && this.#beginsLine(source, base + at);
    const sibling = line && (!parent || name === "file");
    if (sibling && this.#lineEnd) {
      // The line with the closing tag ends, and one with a tag begins: text between them is prose.
      return this.#close(source, this.#lineEnd.at);
    }
    if (sibling && this.#eager) {
      if (this.#last) {
        this.doubtful = true;
        return this.#close(source, this.#fitting ?? this.#last);
      }
      source.at = at;
      return this.#endWithout(source, base + at);
    }
    if (sibling && this.#sibling < 0) this.#sibling = base + at;
    if (name === this.#name && !selfClosing && !this.#eager && !this.#commented(source, base + at)) {
      // A call may have ended at the closing tag before, with prose behind it.
      if (this.#inner.length === 0 && this.spares > 0) this.doubtful = true;
      this.#inner.push(this.#parents);
      this.#innerLine ||= line;
    }
    return null;
  }

  #beginsLine(source: Source, offset: number): boolean {
    const before = source.slice(Math.max(this.start, offset - 200), offset);
    return /\n[ \t]*$/.test(before);
  }

  /** Whether an offset stands in a comment that began on its line. */
  #commented(source: Source, offset: number): boolean {
    const before = source.slice(Math.max(this.start, offset - 200), offset);
    return before.lastIndexOf("<!--") > Math.max(before.lastIndexOf("-->"), before.lastIndexOf("\n"));
  }

  /** The text ends. A body whose last closing tag belongs to an inner pair counts as cut off. */
  #atEnd(source: Source, end: EndOptions): true {
    if (this.#last && isStop(end)) return this.#atParent(source);
    // Inner tags that don't balance were data: the last tag of the text closes the block.
    const fitting = this.#fitting;
    if (fitting && this.#shut && !isCutOff(end) && (this.#crossed || this.#inner.length + this.#parents > 0)) {
      this.doubtful = true;
      this.#memory.reread += source.length - fitting.end;
      return this.#close(source, fitting);
    }
    if (this.#lineEnd?.blank) {
      this.doubtful = true;
      this.#memory.reread += source.length - this.#lineEnd.at.end;
      return this.#close(source, this.#lineEnd.at);
    }
    if (this.#parent >= 0) return this.#endWithout(source, this.#implied());
    this.bodyEnd = this.end = source.length;
    return true;
  }
}

/** Whether the stop sequence that the provider took away was the block's closing tag. */
export function isStop({ stopSequence }: EndOptions): boolean {
  return stopSequence !== undefined && /^\s*<\/tools\s*>?/i.test(stopSequence);
}
