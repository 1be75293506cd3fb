import type { ExecutorContext, ToolCall, ToolError, ToolErrorInfo } from "@toolglot/core";
import { valueError } from "../errors.ts";
import { fillTexts, namesIn, placeholder, placeholdersOf, unescapePlaceholders } from "./placeholders.ts";
import { type Asked, unknownValue, valueLocked, valueNotAllowed } from "./refusals.ts";

/** Where values come from: `valuesOf(secrets)`. */
export interface ValueSource {
  /** Returns all names that have a value, with where it is. Unlocks nothing. */
  known(): Promise<ReadonlyMap<string, unknown>>;
  /** Returns the value, which may ask for a passphrase. Undefined for an unknown name; rejects with the store's errors. */
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
 * Fills values into calls. A call has its placeholders checked first (`names`, which unlocks nothing), then a policy decides about it as
 * it is written, then its values are read (`values`), and then they are put in their places (`fill`, `typed`, `scriptWithValues`).
 *
 * @example
 * ```ts
 * const filler = new PlaceholderFiller(valuesOf(secrets));
 * const values = await filler.values(await filler.names(call.input));
 * await send(filler.fill(call.input, values));
 * ```
 */
export class PlaceholderFiller {
  readonly #source: ValueSource;

  constructor(source: ValueSource = nothing) {
    this.#source = source;
  }

  /** Returns the names that a call asks for. Rejects with `UnknownValue` when one of them has no value. */
  async names(input: unknown): Promise<string[]> {
    const asked = namesIn(input);
    if (asked.length === 0) return [];
    const known = await this.#source.known();
    const unknown = asked.filter(({ name }) => !known.has(name));
    if (unknown.length > 0) throw unknownValue(unknown, known.keys());
    return [...new Set(asked.map(({ name }) => name))];
  }

  /** Reads the values. Unlocks what they are kept in; rejects with `ValueLocked` where that fails. */
  async values(names: readonly string[], waiting: Waiting = {}): Promise<Values> {
    const values = new Map<string, string>();
    for (const name of names) {
      const found = await this.#source.get(name, waiting).catch((error: unknown) => {
        throw valueLocked(name, error);
      });
      if (found === undefined) throw unknownValue([{ name, written: placeholder(name) }]);
      values.set(name, found.value);
    }
    return values;
  }

  /** Returns the names of values that stand masked in texts, as a model has read them: `‹NAME›`. */
  async maskedNames(texts: readonly string[]): Promise<string[]> {
    const found = texts.flatMap((text) => [...text.matchAll(/‹(\w{1,64})›/g)].map(([, name = ""]) => name));
    if (found.length === 0) return [];
    const known = await this.#source.known();
    return [...new Set(found)].filter((name) => known.has(name));
  }

  /** Returns what is typed for a program. Throws `ValuePlace` for control characters: a value with a line end would press Enter. */
  typed(data: string, values: Values): string {
    return fillTexts(data, (name) => {
      const value = values.get(name) ?? "";
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      if (!/[\u0000-\u001f\u007f]/.test(value)) return value;
      const message = `${placeholder(name)} holds control characters, which can't be typed. Nothing was typed.`;
      throw valueError("ValuePlace", message, "Use it in a command, as a file or as standard input of the program.");
    });
  }

  /** Returns any other part of a call with its values. `quote`: makes a value literal where the text is a pattern. */
  fill<Input>(input: Input, values: Values, quote: (value: string) => string = (value) => value): Input {
    return fillTexts(input, (name) => quote(values.get(name) ?? ""));
  }
}

/** Returns a call where nothing is filled in, with its doubled dollars undone. Throws `UnknownValue` for a placeholder. */
export function withoutValues<Input>(input: Input): Input {
  const asked = namesIn(input);
  if (asked.length > 0) throw unknownValue(asked);
  return unescapePlaceholders(input);
}

/** Throws `InvalidInput` for a key of a call that is a placeholder: keys stay as they are written. */
export function refuseKeys(input: unknown): void {
  if (typeof input !== "object" || input === null) return;
  for (const [key, value] of Object.entries(input)) {
    if (!Array.isArray(input) && placeholdersOf(key).some(({ name }) => name !== undefined)) {
      throw valueError("InvalidInput", `A key can't be a placeholder: ${key}. Nothing was run.`);
    }
    refuseKeys(value);
  }
}

/** What the values of a block of calls are checked with. */
export interface BlockCheck {
  /** Undefined: there are none. */
  values: ValueSource | undefined;
  /** Whether a tool fills in its placeholders here. */
  isLocal: (name: string) => boolean;
  /** Foreign tools get placeholders as they are written, unfilled. */
  foreignValues: boolean;
}

/** Why a call can't have the values that it asks for. */
type Problem = (asked: Asked, tool: string) => ToolError | undefined;

/**
 * Returns why nothing of a block may run, for each of its calls; undefined when it may. Those around a call that is refused may assume that it
 * ran. Nobody is asked for a value before this: a block that asks for one and uses it at once is refused.
 */
export async function checkBlock(
  calls: readonly ToolCall[],
  { values, isLocal, foreignValues }: BlockCheck,
): Promise<ToolErrorInfo[] | undefined> {
  const used = calls.map(({ input }) => namesIn(input));
  if (used.every((names) => names.length === 0)) return undefined;
  const refuse = (others: string, problem: Problem): ToolErrorInfo[] | undefined => {
    const errors = used.map((asked, index) =>
      asked.length === 0 ? undefined : problem(asked, calls[index]?.name ?? ""),
    );
    const first = errors.find((error) => error !== undefined);
    const type = String(first?.data.type);
    return (
      first &&
      errors.map((error) => ({ type, message: error?.message ?? `Not run: another call of this block ${others}` }))
    );
  };
  const keys = new Set(
    calls.filter(({ name }) => name === "get_value").map(({ input }) => (input as { key?: unknown }).key),
  );
  const known = (await values?.known()) ?? new Map<string, unknown>();
  const refused =
    refuse("uses a value that is still asked for.", (asked) => {
      const pending = asked.find(({ name }) => keys.has(name));
      return pending && valuePending(pending.name);
    }) ??
    refuse("asks for a value that is not known.", (asked) => {
      const unknown = asked.filter(({ name }) => !known.has(name));
      return unknown.length === 0 ? undefined : unknownValue(unknown, known.keys(), "Nothing of this block was run.");
    }) ??
    refuse("gives a value to a tool that may not have it.", (asked, tool) =>
      foreignValues || tool === "get_value" || isLocal(tool) ? undefined : valueNotAllowed(asked, tool),
    );
  if (refused) return refused;
  for (const { name } of used.flat()) {
    try {
      // The first use of a kept value unlocks where it is.
      await values?.get(name);
    } catch (error) {
      return refuse("uses a value that can't be read.", () => valueLocked(name, error));
    }
  }
  return undefined;
}

function valuePending(name: string): ToolError {
  const message = `${name} is asked for in this block: write ${placeholder(name)} from the next turn on. Nothing of this block was run.`;
  return valueError("ValuePending", message);
}
