import { createRecord, type JsonObject, type JsonValue, ToolglotError } from "@toolglot/core";
import type { ParameterTypes } from "./cast-arguments.ts";
import { isPlain } from "./content.ts";
import { behindHit, Finder, type Hit, maxDelimiter, type View } from "./delimiter.ts";
import { addValue, regionValue } from "./region.ts";
import type { Compiled, Field } from "./template.ts";
import type { ResponseEvent, ResponseParser } from "./types.ts";

/** A delimiter that counts where the reader is. */
interface Watched {
  opens: boolean;
  field: Field;
  finder: Finder;
}

interface Found extends Watched {
  hit: Hit;
}

/** So much text that was read is kept before it is let go. */
const maxRead = 4_000;

/** Reads a text by a template. */
export class TemplateReader implements ResponseParser {
  readonly initialEvents: readonly ResponseEvent[];
  readonly #fields: readonly Field[];
  readonly #tools: ParameterTypes;
  /** Members that stay even when they are empty. */
  readonly #defaults: JsonObject;
  readonly #message: JsonObject = createRecord<JsonValue>();
  readonly #rest: Field | undefined;
  /** What counts outside the fields that have an opener. */
  readonly #openers: readonly Watched[];
  readonly #closers: ReadonlyMap<Field, Watched>;
  #tell: (event: ResponseEvent) => void;
  /** What is not yet read, and some of what is. */
  #view: View = { text: "", base: 0 };
  /** Came behind the view, while it is known that nothing in the view can be decided. */
  #later = "";
  #awaited: { finder: Finder; view: View } | undefined;
  /** The first half of a character whose other half has not come. */
  #half = "";
  /** What the prefix added before the text that is fed. */
  readonly #begun: number;
  #at = 0;
  #current: Field | undefined;
  #captures: Readonly<Record<string, string>> = {};
  #body = "";
  #opened = false;
  /** Where a field was last opened by nothing. */
  #openedAt = -1;
  #ended = false;

  /** @param begins A field that is open from the start. */
  constructor(
    template: Compiled,
    prefix: string,
    tools: ParameterTypes,
    onEvent: (event: ResponseEvent) => void,
    begins?: Field,
  ) {
    this.#fields = template.fields;
    this.#tools = tools;
    this.#defaults = template.defaults;
    Object.assign(this.#message, JSON.parse(JSON.stringify(template.defaults)));
    const watched = (field: Field, opens: boolean): Watched[] => {
      const pattern = opens ? field.open : field.close;
      return pattern ? [{ opens, field, finder: new Finder(pattern) }] : [];
    };
    this.#rest = this.#fields.find(({ open }) => !open);
    this.#closers = new Map(this.#fields.flatMap((field) => watched(field, false).map((item) => [field, item])));
    this.#openers = [
      ...this.#fields.flatMap((field) => watched(field, true)),
      ...(this.#rest ? [this.#closers.get(this.#rest)].filter((item) => item !== undefined) : []),
    ];
    this.#current = this.#rest;
    const events: ResponseEvent[] = [];
    this.#tell = (event) => void events.push(event);
    for (const { name, open, close } of this.#fields) {
      if ([open, close].some((pattern) => pattern && (pattern.ahead || !pattern.partial))) {
        this.#tell({ type: "template_held", code: "dialects/template-held", field: name });
      }
    }
    const begun = prefix.slice(answerStart(prefix, template));
    this.#begun = begun.length;
    this.feed(begun);
    this.initialEvents = events;
    this.#tell = onEvent;
    if (begins) this.#open(begins, { state: "found", start: 0, end: 0, captures: {} }, false);
  }

  feed(chunk: string): void {
    if (typeof chunk !== "string") throw new TypeError("feed takes text");
    if (this.#ended) throw new TypeError("the text has ended: make a new parser");
    const text = this.#half + chunk;
    const last = text.charCodeAt(text.length - 1);
    const whole = text.length - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    this.#half = text.slice(whole);
    if (this.#add(text.slice(0, whole))) this.#read(false);
  }

  end(): JsonObject {
    if (this.#ended) throw new TypeError("the text has ended: make a new parser");
    this.#view.text += this.#later + this.#half;
    this.#read(true);
    this.#ended = true;
    const message = this.#message;
    const missing = this.#fields.filter(({ name, optional }) => !optional && !Object.hasOwn(message, name));
    if (missing.length > 0) {
      const fields = missing.map(({ name }) => name);
      throw new ToolglotError("dialects/response-incomplete", `the response has no ${fields.join(", ")}`, {
        data: { fields },
      });
    }
    for (const name of Object.keys(message)) {
      if (!Object.hasOwn(this.#defaults, name) && isEmpty(message[name])) delete message[name];
    }
    return message;
  }

  /** Takes text in, and returns whether there is something to read. */
  #add(text: string): boolean {
    const awaited = this.#awaited;
    if (!awaited) {
      this.#view.text += text;
      return true;
    }
    this.#later += text;
    awaited.view.text += text;
    const hit = awaited.finder.nextShort(awaited.view, this.#at, false);
    if (!hit || hit.state === "open") {
      awaited.view = without(awaited.view, awaited.finder.needed);
      return false;
    }
    this.#view.text += this.#later;
    this.#later = "";
    this.#awaited = undefined;
    return true;
  }

  /** Reads what can be decided. `final`: nothing comes behind the view. */
  #read(final: boolean): void {
    for (;;) {
      const { best, held, awaited } = this.#next(final);
      const hit = best?.hit;
      if (!best || !hit || hit.start >= held) {
        this.#take(held);
        if (final) this.#close(held, held, false);
        else if (awaited) this.#awaited = { finder: awaited, view: without({ ...this.#view }, awaited.needed) };
        this.#view = without(this.#view, this.#at - maxDelimiter);
        return;
      }
      this.#take(hit.start);
      if (hit.state === "long") {
        best.finder.pass(hit);
        const error = `a delimiter is longer than ${maxDelimiter} units`;
        this.#tellMalformed(best.field, error, hit.start, hit.start, false);
        continue;
      }
      const nothing = hit.start === hit.end;
      if (nothing && (best.opens ? this.#openedAt === hit.start : !this.#opened)) return;
      this.#at = hit.end;
      this.#close(hit.start, best.opens ? hit.start : hit.end, true);
      if (best.opens) this.#open(best.field, hit, nothing);
    }
  }

  /** Returns the next delimiter, and where text must be held back because one may stand there. */
  #next(final: boolean): { best: Found | undefined; held: number; awaited: Finder | undefined } {
    const closer = this.#current && this.#closers.get(this.#current);
    const watched = this.#current === this.#rest ? this.#openers : closer ? [closer] : [];
    let best: Found | undefined;
    let awaited: Finder | undefined;
    let held = this.#view.base + this.#view.text.length;
    for (const item of watched) {
      const hit = item.finder.next(this.#view, this.#at, final);
      if (hit?.state === "open") {
        held = Math.min(held, hit.start);
        if (item.finder.ahead) awaited = item.finder.ahead;
      } else if (hit && (!best || isBefore({ ...item, hit }, best))) best = { ...item, hit };
    }
    return { best, held, awaited };
  }

  /** Adds text up to an offset to the region where it stands; nowhere when no field takes the rest. */
  #take(to: number): void {
    const { text, base } = this.#view;
    const piece = text.slice(this.#at - base, to - base);
    const field = this.#current;
    if (piece !== "" && field) {
      if (!this.#opened) {
        this.#tell({ type: "region_open", field: field.name, captures: {}, ...this.#place(this.#at, this.#at) });
      }
      this.#opened = true;
      this.#body += piece;
      this.#tell({ type: "region_chunk", field: field.name, text: piece, dirty: !isPlain(field.content.parser) });
    }
    this.#at = Math.max(this.#at, to);
  }

  #open(field: Field, { start, end, captures }: Hit, nothing: boolean): void {
    if (nothing) this.#openedAt = start;
    this.#current = field;
    this.#captures = captures;
    this.#opened = true;
    this.#tell({ type: "region_open", field: field.name, captures, ...this.#place(start, end) });
  }

  /** Ends the region; what follows is the rest's. */
  #close(start: number, end: number, closed: boolean): void {
    const field = this.#current;
    if (field && this.#opened) {
      try {
        const value = regionValue(this.#body, field, this.#captures, this.#tools);
        addValue(this.#message, field, value);
        this.#tell({ type: "region_close", field: field.name, value, ...this.#place(start, end), closed });
      } catch (error) {
        this.#tellMalformed(field, String(error), start, end, closed);
      }
    }
    this.#current = this.#rest;
    this.#captures = {};
    this.#body = "";
    this.#opened = false;
  }

  #tellMalformed({ name }: Field, error: string, start: number, end: number, closed: boolean): void {
    this.#tell({ type: "region_malformed", field: name, error, ...this.#place(start, end), closed });
  }

  /** Returns offsets in the text that is fed. */
  #place(start: number, end: number): { start: number; end: number } {
    return { start: start - this.#begun, end: end - this.#begun };
  }
}

/** Of two delimiters the earlier one comes first, then the longer one, then what opens. */
function isBefore(one: Found, other: Found): boolean {
  const length = ({ hit }: Found): number => (hit.state === "long" ? -1 : hit.end - hit.start);
  const order =
    one.hit.start - other.hit.start ||
    length(other) - length(one) ||
    Number(other.opens) - Number(one.opens) ||
    (one.field.name < other.field.name ? -1 : 1);
  return order < 0;
}

/** Returns a view without the text before an offset, as soon as that is worth it. */
function without(view: View, offset: number): View {
  const cut = offset - view.base;
  return cut > maxRead ? { text: view.text.slice(cut), base: offset } : view;
}

/** Returns the index where the answer begins in a prompt: behind its last anchor, or at its start when it has none. */
function answerStart(prefix: string, { anchor }: Compiled): number {
  const finder = new Finder(anchor);
  const view = { text: prefix, base: 0 };
  let start = 0;
  for (let hit = finder.nextShort(view, 0, true); hit; hit = finder.nextShort(view, behindHit(hit, prefix), true)) {
    start = hit.end;
  }
  return start;
}

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
