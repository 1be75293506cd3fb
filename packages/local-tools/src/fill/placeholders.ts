import type { ExecutorContext } from "@toolglot/core";
import { localError } from "../errors.ts";
import { unknownValue, valueLocked } from "./refusals.ts";
import type { Placeholder } from "./word-reader.ts";

/**
 * `$KARYI{NAME}`, and with a second `$` before it the literal text. Whatever stands in the braces, and when they are never closed:
 * bash would read `$KARYI` as an unset variable, and send the rest.
 */
const placeholder = /\$(\$?)KARYI\{([^}\n]{0,200}\}?)/g;

const validName = /^([A-Za-z_][A-Za-z0-9_]{0,63})\}$/;

/** The placeholders of a call: where each stands in a text, and how it is written. */
export interface FoundPlaceholder extends Placeholder {
  written: string;
}

/** The placeholders of a text, in order. One whose name can't be one has an empty name. */
export function placeholdersOf(text: string): FoundPlaceholder[] {
  if (!text.includes("KARYI{")) return [];
  return [...text.matchAll(placeholder)].map(({ 0: written, 1: dollar, 2: rest = "", index: start }) => {
    const name = dollar === "" ? (validName.exec(rest)?.[1] ?? "") : undefined;
    return { start, end: start + written.length, name, written };
  });
}

/** The placeholders that a call asks to be filled in, as they are written, anywhere in its texts and keys. */
export function placeholdersIn(input: unknown): string[] {
  return [...new Set(namesIn(input).map(({ written }) => written))];
}

/** The same with the names of their values. */
export function namesIn(input: unknown): { name: string; written: string }[] {
  const found: { name: string; written: string }[] = [];
  mapTexts(input, (text) => {
    for (const { name, written } of placeholdersOf(text)) if (name !== undefined) found.push({ name, written });
    return text;
  });
  return found;
}

/** A copy with each placeholder of its texts as `fill` gives it, and `$$KARYI{NAME}` as the literal text that it stands for. */
function fillTexts<Input>(input: Input, fill: (name: string, written: string) => string): Input {
  return mapTexts(input, (text) =>
    text.replace(placeholder, (written: string, dollar: string, rest: string) =>
      dollar === "" ? fill(validName.exec(rest)?.[1] ?? "", written) : written.slice(1),
    ),
  ) as Input;
}

/** The call with `$$KARYI{NAME}` as the literal text that it stands for. */
export function unescapePlaceholders<Input>(input: Input): Input {
  return fillTexts(input, (_name, written) => written);
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return value.includes("KARYI{") ? change(value) : value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    Object.defineProperty(copy, key.includes("KARYI{") ? change(key) : key, {
      value: mapTexts(item, change),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

/** Where values come from. */
export interface ValueSource {
  /** All names that have a value, with where it is. Unlocks nothing. */
  known(): Promise<ReadonlyMap<string, unknown>>;
  /** The value, which may ask for a passphrase. Undefined for an unknown name; rejects with `ValueLocked`. */
  get(name: string, waiting?: Waiting): Promise<{ value: string } | undefined>;
}

/** How a call waits for a person, where the time is measured. */
export interface Waiting {
  callId?: string;
  wait?: ExecutorContext["wait"];
}

/** Values by their names, read for one call. */
export type Values = ReadonlyMap<string, string>;

/** What has no values: every placeholder is refused. */
const nothing: ValueSource = { known: async () => new Map(), get: async () => undefined };

/**
 * Where placeholders become values, for every protocol: each call of `LocalTools` comes through here, and nothing else fills any in.
 * A call has its placeholders checked first (without unlocking anything), then the policy decides about it as it is written, then
 * its values are read, and then they are put in their places.
 */
export class Door {
  readonly #source: ValueSource;

  constructor(source: ValueSource = nothing) {
    this.#source = source;
  }

  /** The names that a call asks for. Rejects with `UnknownValue` when one of them has no value. */
  async check(input: unknown): Promise<string[]> {
    const asked = namesIn(input);
    if (asked.length === 0) return [];
    const known = await this.#source.known();
    const unknown = asked.filter(({ name }) => !known.has(name));
    if (unknown.length > 0)
      throw unknownValue(
        unknown.map(({ written }) => written),
        known.keys(),
      );
    return [...new Set(asked.map(({ name }) => name))];
  }

  /** The values themselves. Unlocks what they are kept in; rejects with `ValueLocked` where that fails. */
  async read(names: readonly string[], waiting: Waiting = {}): Promise<Values> {
    const values = new Map<string, string>();
    for (const name of names) {
      const found = await this.#source.get(name, waiting).catch((error: unknown) => {
        throw valueLocked(name, error);
      });
      if (found === undefined) throw unknownValue([`$KARYI{${name}}`], []);
      values.set(name, found.value);
    }
    return values;
  }

  /** Names of values that stand masked in texts, as a model has read them: `‹NAME›`. */
  async maskedNames(texts: readonly string[]): Promise<string[]> {
    const found = texts.flatMap((text) =>
      [...text.matchAll(/‹([A-Za-z_][A-Za-z0-9_]{0,63})›/g)].map(([, name = ""]) => name),
    );
    if (found.length === 0) return [];
    const known = await this.#source.known();
    return [...new Set(found)].filter((name) => known.has(name));
  }

  /** What is typed for a program. A value with a line end would press Enter. */
  typed(data: string, values: Values): string {
    return fillTexts(data, (name) => {
      const value = values.get(name) ?? "";
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      if (!/[\u0000-\u001f\u007f]/.test(value)) return value;
      throw localError(
        "ValuePlace",
        `$KARYI{${name}} holds control characters, which can't be typed. Nothing was typed.`,
        {
          hint: "Use it in a command, as a file or as standard input of the program.",
        },
      );
    });
  }

  /** Any other part of a call. `quote`: makes a value literal where the text is a pattern. */
  filled<Input>(input: Input, values: Values, quote: (value: string) => string = (value) => value): Input {
    return fillTexts(input, (name) => quote(values.get(name) ?? ""));
  }
}

/** What a call means where nothing is filled in: throws `UnknownValue` for a placeholder, and undoes the doubled dollars. */
export function withoutValues<Input>(input: Input): Input {
  const asked = namesIn(input);
  if (asked.length > 0)
    throw unknownValue(
      asked.map(({ written }) => written),
      [],
    );
  return unescapePlaceholders(input);
}

/** Keys of a call stay as they are written. */
export function refuseKeys(input: unknown): void {
  if (typeof input !== "object" || input === null) return;
  for (const [key, value] of Object.entries(input)) {
    if (!Array.isArray(input) && placeholdersOf(key).some(({ name }) => name !== undefined)) {
      throw localError("InvalidInput", `A key can't be a placeholder: ${key}. Nothing was run.`);
    }
    refuseKeys(value);
  }
}
