import type { EndOptions } from "@toolglot/core";
import { isCutOff, type Source } from "@toolglot/core/text";
import { isBlank, isSpace } from "@toolglot/internal";
import type { BodyContext, BodyMemory } from "./body-context.ts";
import { cdataEnd, cdataStart } from "./body-text.ts";
import { type Candidate, closingTagEnd, isStop } from "./tag.ts";

/** How a body ends: at a closing tag; without one, where something else shows its end; or cut off with the text. */
export type Ending = { closer: Candidate } | { unclosedAt: number } | { cutAt: number };

/** A closing tag to be tried, an ending, or how to continue. */
type Step = Candidate | Ending | "more" | "again";

const innerTag = /<!\[CDATA\[|<(\/?)([^\s<>/]{1,300})(?=[\s/>])/gi;
const restOfTag = /[^<>]{0,300}>/y;
const mayBeRest = /^[^<>]{0,300}$/;
const mayBeTag = /^<(?:\/?[^\s<>/]*|![[CDAT]*)$/;

/**
 * Reads a body whose end is in doubt: reads every tag that counts, and remembers what may be its end.
 *
 * ```text
 * <replace>two</replce>          the body begins
 * <find>three</find>             a sibling begins a line
 * <replace>four</replace>        an inner pair: its closing tag fits as the body's own
 * </file>                        the parent ends: the pair was none, and that tag ended the body
 * ```
 */
export class TagCounter {
  /** Another closing tag might have been meant. */
  doubtful = false;
  /** Closing tags of the same name that belong to no inner pair; and those of them that end their line. */
  spares = 0;
  lineSpares = 0;
  readonly #name: string;
  readonly #start: number;
  readonly #context: BodyContext;
  readonly #memory: BodyMemory;
  /** The body ends at the first place where it can. */
  readonly #eager: boolean;
  /** Offset of the CDATA that is being read; -1 outside. */
  #cdata = -1;
  /** Inner elements of the same name that are open: how many of the parents' names were open at each. */
  #inner: number[] = [];
  /** Inner elements with a parent's name that are open, by name and together. */
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
  /** An inner element of the same name begins a line. */
  #innerLine = false;
  /** The last tag closes an inner `<tools>`. */
  #shut = false;

  constructor(name: string, start: number, context: BodyContext, memory: BodyMemory, eager: boolean) {
    this.#name = name;
    this.#start = start;
    this.#context = context;
    this.#memory = memory;
    this.#eager = eager;
  }

  /** Reads on to the next tag that decides something. */
  read(source: Source, ended: boolean): Step {
    if (this.#cdata >= 0) return this.#readCdata(source, ended);
    const { text, base } = source;
    const { inner, longest } = this.#context;
    innerTag.lastIndex = source.at;
    for (let match = innerTag.exec(text); match; match = innerTag.exec(text)) {
      const at = match.index;
      const [all, slash, written] = match;
      if (written === undefined) {
        if (base + at >= this.#memory.noCdata) continue;
        this.#cdata = base + at;
        source.at = at + all.length;
        return "again";
      }
      const name = written.toLowerCase();
      if (!inner.has(name)) continue;
      this.#shut = false;
      const step = slash
        ? this.#closingTag(source, at, name, ended)
        : this.#openingTag(source, at, at + all.length, name, ended);
      if (step) return step;
    }
    const open = text.lastIndexOf("<");
    const partial = open >= source.at && text.length - open <= longest && mayBeTag.test(text.slice(open));
    source.at = Math.max(source.at, partial ? open : text.length);
    return "more";
  }

  #readCdata(source: Source, ended: boolean): Step {
    const { text, base } = source;
    const contentStart = this.#cdata + cdataStart.length;
    const close = text.indexOf(cdataEnd, source.at);
    if (close < 0 && !ended) {
      source.at = Math.max(source.at, text.length - 2);
      return "more";
    }
    if (close < 0) {
      this.#memory.noCdata = this.#cdata;
      this.#memory.reread += source.length - this.#cdata;
      source.seek(contentStart);
    } else {
      const content = source.slice(contentStart, base + close);
      // Two sections of two bodies look like this when the first one is not closed.
      if (content.includes(cdataStart) && content.toLowerCase().includes(`</${this.#name}`)) this.doubtful = true;
      source.at = close + cdataEnd.length;
    }
    this.#cdata = -1;
    return "again";
  }

  /** Reads a closing tag. Undefined: it decides nothing. */
  #closingTag(source: Source, at: number, name: string, ended: boolean): Step | undefined {
    const { text, base } = source;
    if (name === this.#name) {
      const end = closingTagEnd(text, at, name, ended);
      if (end === 0) return undefined;
      if (end < 0) {
        source.at = at;
        return "more";
      }
      this.#last = { start: base + at, end: base + end };
      return this.#last;
    }
    if (!this.#context.parents.has(name)) return undefined;
    let next = at + 2 + name.length;
    const limit = next + 200;
    while (next < limit && isSpace(text.charCodeAt(next))) next += 1;
    if (next < text.length && text.charCodeAt(next) === 62) {
      next += 1;
      while (next < limit && isBlank(text.charCodeAt(next))) next += 1;
    } else if (next < text.length) return undefined;
    if (next >= text.length && !ended) {
      source.at = at;
      return "more";
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
      if (this.#eager) return { unclosedAt: this.#sibling < 0 ? base + at : this.#sibling };
    }
    return undefined;
  }

  /** Reads an opening tag. Undefined: it decides nothing. */
  #openingTag(source: Source, at: number, from: number, name: string, ended: boolean): Step | undefined {
    const { text, base } = source;
    const offset = base + at;
    restOfTag.lastIndex = from;
    if (!restOfTag.test(text)) {
      if (ended || text.length - from > 300 || !mayBeRest.test(text.slice(from))) return undefined;
      source.at = at;
      return "more";
    }
    const selfClosing = text.charCodeAt(restOfTag.lastIndex - 2) === 47;
    const parent = this.#context.parents.has(name);
    if (!selfClosing && parent) {
      this.#opened[name] = (this.#opened[name] ?? 0) + 1;
      this.#parents += 1;
    }
    const before = source.slice(Math.max(this.#start, offset - 200), offset);
    const line = name !== "tools" && /\n[ \t]*$/.test(before);
    if (line && (!parent || name === "file")) {
      // The line with the closing tag ends, and one with a tag begins: text between them is prose.
      if (this.#lineEnd) return { closer: this.#lineEnd.at };
      if (this.#eager) {
        if (this.#last) {
          this.doubtful = true;
          return { closer: this.#fitting ?? this.#last };
        }
        source.at = at;
        return { unclosedAt: offset };
      }
      if (this.#sibling < 0) this.#sibling = offset;
    }
    if (name === this.#name && !selfClosing && !this.#eager && !isCommented(before)) {
      // A call may have ended at the closing tag before, with prose behind it.
      if (this.#inner.length === 0 && this.spares > 0) this.doubtful = true;
      this.#inner.push(this.#parents);
      this.#innerLine ||= line;
    }
    return undefined;
  }

  /** Whether a closing tag ends the body, now that it is known what follows it, after so many line breaks. */
  isEnd(candidate: Candidate, fits: boolean, breaks: number): boolean {
    if (this.#inner.length > 0) {
      this.#crossed ||= this.#inner.pop() !== this.#parents;
      if (fits) this.#fitting ??= candidate;
      return false;
    }
    if (fits) return true;
    this.spares += 1;
    if (breaks > 0) this.lineSpares += 1;
    this.#lineEnd = breaks > 0 ? { at: candidate, blank: breaks > 1 } : undefined;
    return false;
  }

  /** Takes the closing tag at an offset as the end: it is none to spare. */
  endAt(offset: number): void {
    if (offset !== this.#lineEnd?.at.start) return;
    this.spares -= 1;
    this.lineSpares -= 1;
  }

  /** Returns the body's ending where its parent ends: it has ended before. */
  #atParent(source: Source): Ending {
    const fitting = this.#fitting;
    if (this.#parent >= 0 && fitting && this.#parent < fitting.start) return { unclosedAt: this.#implied() };
    const chosen = (fitting ?? this.#last) as Candidate;
    this.doubtful ||= fitting ? this.#innerLine : chosen !== this.#lineEnd?.at;
    this.#memory.reread += source.offset - chosen.end;
    return { closer: chosen };
  }

  #implied(): number {
    return this.#sibling >= 0 && this.#sibling < this.#parent ? this.#sibling : this.#parent;
  }

  /** Ends the text. A body whose last closing tag belongs to an inner pair counts as cut off. */
  atTextEnd(source: Source, end: EndOptions): Ending {
    if (this.#last && isStop(end)) return this.#atParent(source);
    // Inner tags that don't balance were data: the last tag of the text closes the block.
    const fitting = this.#fitting;
    if (fitting && this.#shut && !isCutOff(end) && (this.#crossed || this.#inner.length + this.#parents > 0))
      return this.#doubtfulEnd(source, fitting);
    if (this.#lineEnd?.blank) return this.#doubtfulEnd(source, this.#lineEnd.at);
    return this.#parent >= 0 ? { unclosedAt: this.#implied() } : { cutAt: source.length };
  }

  #doubtfulEnd(source: Source, closer: Candidate): Ending {
    this.doubtful = true;
    this.#memory.reread += source.length - closer.end;
    return { closer };
  }
}

/** Whether text behind this stands in a comment that began on its line. */
function isCommented(before: string): boolean {
  return before.lastIndexOf("<!--") > Math.max(before.lastIndexOf("-->"), before.lastIndexOf("\n"));
}
