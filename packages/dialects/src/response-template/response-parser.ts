import { createRecord, type JsonObject, type JsonValue, type Span, ToolglotError } from "@toolglot/core";
import type { ParameterTypes } from "./cast-arguments.ts";
import { behindHit, type Finder, finderOf, type Hit, maxDelimiter, type View } from "./delimiter.ts";
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

/** So much text that was read is kept before it is let go: each chunk costs a copy of it. */
const maxRead = 200;

/** Makes what reads a text by a template. `begins`: a field that is open from the start. */
export function readerOf(
  template: Compiled,
  prefix: string,
  tools: ParameterTypes,
  onEvent: (event: ResponseEvent) => void,
  begins?: Field,
): ResponseParser {
  const { fields, defaults } = template;
  const message: JsonObject = Object.assign(createRecord<JsonValue>(), structuredClone(defaults));
  const initialEvents: ResponseEvent[] = [];
  let emit = (event: ResponseEvent): void => void initialEvents.push(event);
  const watched = (opens: boolean): Watched[] =>
    fields.flatMap((field) => {
      const pattern = opens ? field.open : field.close;
      return pattern ? { opens, field, finder: finderOf(pattern) } : [];
    });
  const rest = fields.find(({ open }) => !open);
  const closers = watched(false);
  const closersOf = (field: Field | undefined): Watched[] => closers.filter((item) => item.field === field);
  /** What counts outside the fields that have an opener. */
  const outside = [...watched(true), ...closersOf(rest)];
  /** What is not yet read, and some of what is. */
  let view: View = { text: "", base: 0 };
  /** Came behind the view. */
  let later = "";
  /** What the prefix added before the text that is fed. */
  let begun = 0;
  let at = 0;
  let current = rest;
  let inside = outside;
  let captures: Readonly<Record<string, string>> = {};
  let body = "";
  let opened = false;
  /** Where a field was last opened by nothing. */
  let openedAt = -1;
  let ended = false;

  /** Returns offsets in the text that is fed. */
  const place = (start: number, end: number): Span => ({ start: start - begun, end: end - begun });

  const emitMalformed = ({ name }: Field, error: string, start: number, end: number, closed: boolean): void =>
    emit({ type: "region_malformed", field: name, error, ...place(start, end), closed });

  const open = (field: Field, start: number, end: number, found: Hit["captures"] = {}): void => {
    current = field;
    inside = field === rest ? outside : closersOf(field);
    captures = found;
    opened = true;
    emit({ type: "region_open", field: field.name, captures, ...place(start, end) });
  };

  /** Ends the region; what follows is the rest's. */
  const close = (start: number, end: number, closed: boolean): void => {
    if (current && opened) {
      try {
        const value = regionValue(body, current, captures, tools);
        addValue(message, current, value);
        emit({ type: "region_close", field: current.name, value, ...place(start, end), closed });
      } catch (error) {
        emitMalformed(current, String(error), start, end, closed);
      }
    }
    current = rest;
    inside = outside;
    captures = {};
    body = "";
    opened = false;
  };

  /** Adds text up to an offset to the region where it stands; nowhere when no field takes the rest. */
  const take = (to: number): void => {
    const text = view.text.slice(at - view.base, to - view.base);
    if (text !== "" && current) {
      if (!opened) open(current, at, at);
      body += text;
      emit({ type: "region_chunk", field: current.name, text, dirty: /json|-/.test(current.content.parser) });
    }
    at = Math.max(at, to);
  };

  /** Reads what can be decided. `final`: nothing comes behind the view. */
  const read = (final: boolean): void => {
    // The first half of a character waits for the other.
    const whole = final ? later : later.replace(/[\ud800-\udbff]$/, "");
    view.text += whole;
    later = later.slice(whole.length);
    for (;;) {
      /** Where text must be held back because a delimiter may stand there. */
      let held = view.base + view.text.length;
      let best: Found | undefined;
      for (const item of inside) {
        const hit = item.finder.next(view, at, final);
        if (hit?.state === "open") held = Math.min(held, hit.start);
        else if (hit && (!best || isBefore({ ...item, hit }, best))) best = { ...item, hit };
      }
      if (!best || best.hit.start >= held) {
        take(held);
        if (final) close(held, held, false);
        // One unit is kept, for what looks at the one before.
        const cut = at - 1 - view.base;
        if (cut > maxRead) view = { text: view.text.slice(cut), base: view.base + cut };
        return;
      }
      const { opens, field, hit } = best;
      const { start, end } = hit;
      take(start);
      if (hit.state === "long") {
        best.finder.pass(hit);
        emitMalformed(field, `a delimiter is longer than ${maxDelimiter} units`, start, start, false);
        continue;
      }
      if (start === end && (opens ? openedAt === start : !opened)) return;
      at = end;
      close(start, opens ? start : end, true);
      if (!opens) continue;
      if (start === end) openedAt = start;
      open(field, start, end, hit.captures);
    }
  };

  const feed = (chunk: string): void => {
    if (typeof chunk !== "string") throw new TypeError("feed takes text");
    if (ended) throw new TypeError(again);
    later += chunk;
    // Long text that is held is looked at again only when a sixteenth more has come.
    const undecided = view.base + view.text.length - at;
    if (undecided < 20 * maxRead || later.length > undecided / 16) read(false);
  };

  for (const { name, open, close } of fields) {
    if ([open, close].some((pattern) => pattern && (pattern.ahead || !pattern.partial)))
      emit({ type: "template_held", code: "dialects/template-held", field: name });
  }
  const start = prefix.slice(answerStart(prefix, template));
  begun = start.length;
  feed(start);
  emit = onEvent;
  if (begins) open(begins, 0, 0);
  return {
    initialEvents,
    feed,
    end() {
      if (ended) throw new TypeError(again);
      read(true);
      ended = true;
      const missing = fields
        .filter(({ name, own }) => own.optional === false && !Object.hasOwn(message, name))
        .map(({ name }) => name);
      if (missing.length > 0) {
        throw new ToolglotError("dialects/response-incomplete", `the response has no ${missing.join(", ")}`, {
          data: { fields: missing },
        });
      }
      for (const name of Object.keys(message)) {
        if (!Object.hasOwn(defaults, name) && isEmpty(message[name])) delete message[name];
      }
      return message;
    },
  };
}

const again = "the text has ended: make a new parser";

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

/** Returns the index where the answer begins in a prompt: behind its last anchor, or at its start when it has none. */
function answerStart(prefix: string, { anchor }: Compiled): number {
  const finder = finderOf(anchor);
  const view = { text: prefix, base: 0 };
  let start = 0;
  for (let hit = finder.nextShort(view, 0, true); hit; hit = finder.nextShort(view, behindHit(hit, prefix), true)) {
    start = hit.end;
  }
  return start;
}

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
