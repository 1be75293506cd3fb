import { type JsonValue, sanitizeErrorMessage } from "@toolglot/core";
import { pointerStep } from "./pointer.ts";

/** Bytes found in a value; `place` puts something where they were. */
export interface FoundBinary {
  bytes: Uint8Array;
  /** JSON pointer. */
  path: string;
  place(value: JsonValue): void;
}

/** What became of a value. */
export interface SafeJson {
  data: JsonValue;
  /** The JSON text takes no more UTF-8 bytes than this. Binaries not counted. */
  bytesAtMost: number;
  /** Where something is not as it was: `/rows/3/id: a big integer, as text`. */
  notes: string[];
  binaries: FoundBinary[];
}

const maxDepth = 50;
const maxValues = 1_000_000;
const maxNotes = 8;

/**
 * Any value as JSON that shares nothing with it. Never throws. As `JSON.stringify` has it: `undefined` members are left
 * out, `toJSON` is obeyed, dates are ISO text. Named in `notes`: big integers (text), NaN and infinities (null), maps
 * (objects, or arrays of pairs), sets (arrays), errors (their class and cleaned message), functions and symbols (left out,
 * null in arrays), lone surrogates (U+FFFD), what goes round in a circle, throws when it is read, is nested more than 50 levels deep,
 * or comes after 1,000,000 values (a word in brackets). Bytes are given apart, null in their place.
 */
export function toSafeJson(value: unknown): SafeJson {
  return new SafeWriter().run(value);
}

/** What a value becomes a part of. */
type Holder = JsonValue[] | Record<string, JsonValue>;

class SafeWriter {
  readonly #notes: string[] = [];
  #unnamed = 0;
  readonly #binaries: FoundBinary[] = [];
  readonly #parents: object[] = [];
  readonly #at: (string | number)[] = [];
  #bytes = 0;
  #values = 0;

  run(value: unknown): SafeJson {
    const root: Record<string, JsonValue> = {};
    root.data = this.#convert(value, root, "data") ?? null;
    if (this.#unnamed > 0) this.#notes.push(`and ${this.#unnamed} more values are not as they were`);
    const binaries = this.#binaries;
    const notes = this.#notes;
    if (binaries.length === 0) return { data: root.data, bytesAtMost: this.#bytes, notes, binaries };
    return {
      get data(): JsonValue {
        return root.data as JsonValue;
      },
      bytesAtMost: this.#bytes,
      notes,
      binaries,
    };
  }

  /** Undefined for what has no form in JSON. */
  #convert(value: unknown, holder: Holder, key: string | number): JsonValue | undefined {
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "number":
        this.#bytes += 24;
        // Minus zero is 0 in JSON text.
        if (Number.isFinite(value)) return value === 0 ? 0 : value;
        this.#note(`${value}, which JSON does not have`);
        return null;
      case "boolean":
        this.#bytes += 5;
        return value;
      case "bigint":
        this.#note("a big integer, as text");
        return this.#text(String(value));
      case "undefined":
        return undefined;
      case "object":
        if (value === null) {
          this.#bytes += 4;
          return null;
        }
        return this.#object(value, holder, key);
      default:
        this.#note(`a ${typeof value}, left out`);
        return undefined;
    }
  }

  #object(value: object, holder: Holder, key: string | number): JsonValue | undefined {
    if (this.#parents.includes(value)) return this.#instead("[circular]", "inside itself");
    if (this.#parents.length >= maxDepth)
      return this.#instead("[too deep]", `nested more than ${maxDepth} levels deep`);
    if (this.#values > maxValues) return this.#instead("[too many]", `after ${maxValues} values`);
    const depth = this.#at.length;
    this.#parents.push(value);
    try {
      return this.#members(value, holder, key);
    } catch {
      this.#at.length = depth;
      return this.#instead("[unreadable]", "throws when it is read");
    } finally {
      this.#parents.pop();
    }
  }

  #members(value: object, holder: Holder, key: string | number): JsonValue | undefined {
    if (Array.isArray(value)) return this.#list(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null;
    if (!isPlain) {
      const bytes = bytesOf(value);
      if (bytes !== undefined) {
        this.#binaries.push({ bytes, path: this.#pointer(), place: (placed) => setOwn(holder, key, placed) });
        this.#bytes += 64;
        return null;
      }
    }
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") {
      const json: unknown = toJSON.call(value, String(this.#at.at(-1) ?? ""));
      if (json === value) return this.#record(value);
      return this.#convert(json, holder, key);
    }
    if (!isPlain) {
      const special = this.#special(value, holder, key);
      if (special !== unknownClass) return special;
    }
    return this.#record(value);
  }

  #special(value: object, holder: Holder, key: string | number): JsonValue | undefined | typeof unknownClass {
    if (value instanceof Map) {
      const entries = [...value];
      const asObject = entries.every(([key]) => typeof key === "string");
      this.#note(asObject ? "a Map, as an object" : "a Map, as an array of pairs");
      if (!asObject) return this.#list(entries);
      const record = Object.create(null) as Record<string, unknown>;
      for (const [key, member] of entries) record[key as string] = member;
      return this.#record(record);
    }
    if (value instanceof Set) {
      this.#note("a Set, as an array");
      return this.#list([...value]);
    }
    if (value instanceof Error) {
      this.#note("an Error, as its class and message");
      const { name, message } = value;
      return this.#record({ error: String(name).slice(0, 80), message: sanitizeErrorMessage(String(message)) });
    }
    if (value instanceof RegExp) return this.#text(String(value));
    if (value instanceof Promise) return this.#instead("[unreadable]", "a promise that nobody waited for");
    if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) {
      return this.#convert(value.valueOf(), holder, key);
    }
    if (ArrayBuffer.isView(value)) return this.#list([...(value as unknown as Iterable<unknown>)]);
    if (typeof (value as { next?: unknown }).next === "function" && Symbol.iterator in value) {
      this.#note("an iterator, as an array");
      return this.#list(taken(value as unknown as Iterable<unknown>));
    }
    return unknownClass;
  }

  #list(items: readonly unknown[]): JsonValue {
    const copy: JsonValue[] = [];
    this.#bytes += 2 + items.length;
    for (let index = 0; index < items.length; index++) {
      if (++this.#values > maxValues) {
        this.#note(`only the first ${index} of ${items.length} items: more than ${maxValues} values`);
        break;
      }
      this.#at.push(index);
      copy.push(this.#convert(items[index], copy, index) ?? this.#nothing());
      this.#at.pop();
    }
    return copy;
  }

  #nothing(): null {
    this.#bytes += 4;
    return null;
  }

  #record(members: object): JsonValue {
    const copy: Record<string, JsonValue> = {};
    this.#bytes += 2;
    for (const key of Object.keys(members)) {
      if (++this.#values > maxValues) {
        this.#note(
          `the members from ${JSON.stringify(key.slice(0, 40))} on are left out: more than ${maxValues} values`,
        );
        break;
      }
      this.#at.push(key);
      const member = this.#member(members as Record<string, unknown>, copy, key);
      this.#at.pop();
      if (member === undefined) continue;
      this.#bytes += key.length * 6 + 4;
      setOwn(copy, key, member);
    }
    return copy;
  }

  #member(members: Record<string, unknown>, holder: Holder, key: string): JsonValue | undefined {
    let value: unknown;
    try {
      value = members[key];
    } catch {
      return this.#instead("[unreadable]", "throws when it is read");
    }
    return this.#convert(value, holder, key);
  }

  #text(text: string): string {
    this.#bytes += text.length * 6 + 2;
    if (!surrogate.test(text) || !loneSurrogate.test(text)) return text;
    this.#note("half characters (lone surrogates), as U+FFFD");
    return text.replace(loneSurrogates, "\ufffd");
  }

  #instead(word: string, note: string): string {
    this.#bytes += word.length + 2;
    this.#note(note);
    return word;
  }

  #note(what: string): void {
    if (this.#notes.length >= maxNotes) this.#unnamed++;
    else this.#notes.push(`${this.#pointer() || "data"}: ${what}`);
  }

  #pointer(): string {
    return this.#at.map(pointerStep).join("");
  }
}

const unknownClass = Symbol("unknown class");
/** Most texts have none: this is the cheaper question. */
const surrogate = /[\ud800-\udfff]/;
const loneSurrogate = /\p{Surrogate}/u;
const loneSurrogates = /\p{Surrogate}/gu;

function setOwn(holder: Holder, key: string | number, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
  } else (holder as Record<string | number, JsonValue>)[key] = value;
}

/** The bytes of a value that is nothing but bytes; other typed arrays are lists of numbers. */
function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (value instanceof DataView) {
    return new Uint8Array(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength) as ArrayBuffer);
  }
  return undefined;
}

function taken(items: Iterable<unknown>): unknown[] {
  const all: unknown[] = [];
  for (const item of items) {
    all.push(item);
    if (all.length >= 100_000) break;
  }
  return all;
}
