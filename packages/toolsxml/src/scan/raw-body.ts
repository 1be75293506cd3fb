import type { EndOptions } from "@toolglot/core";
import type { Fence, Source } from "@toolglot/core/text";
import type { BodyContext, BodyMemory } from "./body-context.ts";
import { cdataStart } from "./body-text.ts";
import { type Candidate, closingTagEnd, Lookahead } from "./tag.ts";
import { type Ending, TagCounter } from "./tag-counter.ts";

/**
 * Finds where a raw body ends. Its closing tag is the last one before a tag that fits the grammar behind it. So a closing
 * tag that nothing of the kind follows is data; and so are pairs of the same name that balance. When they don't balance,
 * which the parent's closing tag shows, inner opening tags were data and the first closing tag that fits counts.
 *
 * ```text
 * <command>echo "</command>"     a candidate, but text follows it: the body is in doubt from here
 * ls</command>                   a candidate, and </tools> follows: the end
 * </tools>
 * ```
 *
 * Most bodies end at the first closing tag. Only for others does reading roll back to the body's start, to count tags
 * (tag-counter.ts).
 */
export class RawBody {
  /** Offsets of the body's end and of its closing tag's. */
  bodyEnd = 0;
  end = 0;
  /** `unclosed`: there is no closing tag, but what follows shows the end. `cut`: the text ends first. */
  outcome: "closed" | "unclosed" | "cut" = "cut";
  readonly start: number;
  readonly #name: string;
  readonly #opener: string;
  readonly #context: BodyContext;
  readonly #memory: BodyMemory;
  readonly #lookahead: Lookahead;
  /** Offset of the first closing tag. */
  #first = -1;
  /** The closing tag that may end the body, while the text behind it is read. */
  #candidate: Candidate | undefined;
  #counter: TagCounter | undefined;

  /** `name` as written in the opening tag. */
  constructor(name: string, start: number, context: BodyContext, memory: BodyMemory, fence: Fence | undefined) {
    this.#name = name.toLowerCase();
    this.#opener = `<${name}`;
    this.start = start;
    this.#context = context;
    this.#memory = memory;
    this.#lookahead = new Lookahead(context, fence);
    if (start < (memory.gone.get(this.#name) ?? Number.POSITIVE_INFINITY)) return;
    this.#counter = new TagCounter(this.#name, start, context, memory, true);
    this.#first = start;
  }

  /** Whether another closing tag might have been meant. */
  get doubtful(): boolean {
    return this.#counter?.doubtful === true;
  }

  /** Closing tags of the same name in it that belong to no inner pair. */
  get spares(): number {
    return this.#counter?.spares ?? 0;
  }

  /** Those of them that end their line. */
  get lineSpares(): number {
    return this.#counter?.lineSpares ?? 0;
  }

  /** Returns the offset before which text is the body's, whatever comes. */
  safe(source: Source): number {
    return this.#first < 0 ? source.offset : this.#first;
  }

  /** Reads on; true when the end is found. `end`: no more text comes. */
  read(source: Source, end: EndOptions | undefined): boolean {
    const ended = end !== undefined;
    for (;;) {
      if (this.#candidate) {
        const fits = this.#lookahead.fits(source, ended);
        if (fits === undefined) return false;
        if (this.#judge(source, this.#candidate, fits)) return true;
        continue;
      }
      const counter = this.#counter;
      const step = counter ? counter.read(source, ended) : this.#search(source, ended);
      if (typeof step === "object") {
        if (!("start" in step)) return this.#finish(source, step);
        this.#try(source, step);
      } else if (step === "more") {
        if (!end) return false;
        if (counter) return this.#finish(source, counter.atTextEnd(source, end));
        this.#memory.gone.set(this.#name, this.start);
        this.#rollBack(source);
      }
    }
  }

  /** For a body whose end is known without reading: its tag closes itself. */
  closeAt(offset: number): void {
    this.bodyEnd = this.end = offset;
    this.outcome = "closed";
  }

  /** Searches for closing tags only: the quick way. */
  #search(source: Source, ended: boolean): Candidate | "more" | "again" {
    const { text } = source;
    for (let at = source.at; ; ) {
      const found = text.indexOf("</", at);
      if (found < 0) {
        const end = text.length - (text.endsWith("<") ? 1 : 0);
        if (end > source.at) source.at = end;
        return "more";
      }
      const end = closingTagEnd(text, found, this.#name, ended);
      if (end === 0) at = found + 2;
      else if (end < 0) {
        source.at = found;
        return "more";
      } else {
        this.#first = source.base + found;
        const body = source.slice(this.start, this.#first);
        // Searching for short strings is much faster.
        const mayHold = (text: string): boolean => body.includes(text.slice(0, 2)) && body.includes(text);
        if (!mayHold(this.#opener) && !mayHold(cdataStart)) return { start: this.#first, end: source.base + end };
        this.#rollBack(source);
        return "again";
      }
    }
  }

  /** Looks at what follows a closing tag. */
  #try(source: Source, candidate: Candidate): void {
    this.#candidate = candidate;
    this.#lookahead.reset();
    source.seek(candidate.end);
  }

  /** Decides about a candidate, now that what follows it is known; true when it ends the body. */
  #judge(source: Source, candidate: Candidate, fits: boolean): boolean {
    this.#candidate = undefined;
    const counter = this.#counter;
    if (counter ? counter.isEnd(candidate, fits, this.#lookahead.breaks) : fits)
      return this.#finish(source, { closer: candidate });
    if (!counter) this.#rollBack(source);
    return false;
  }

  /** Reads the body again, and counts tags: the first closing tag is not simply the end. */
  #rollBack(source: Source): void {
    this.#counter = new TagCounter(this.#name, this.start, this.#context, this.#memory, this.#memory.reread > patience);
    this.#candidate = undefined;
    source.seek(this.start);
  }

  #finish(source: Source, ending: Ending): true {
    if ("closer" in ending) {
      const { start, end } = ending.closer;
      this.#counter?.endAt(start);
      this.bodyEnd = start;
      this.end = end;
      this.outcome = "closed";
      source.seek(end);
    } else if ("unclosedAt" in ending) {
      this.bodyEnd = this.end = ending.unclosedAt;
      this.outcome = "unclosed";
      this.#memory.reread += Math.max(0, source.offset - this.end);
      source.seek(this.end);
    } else this.bodyEnd = this.end = ending.cutAt;
    return true;
  }
}

/** Beyond so many units read again, bodies end at the first place where they can. */
export const patience = 65_536;
