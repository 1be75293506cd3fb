import type { MaskStream } from "./mask/masker.ts";
import type { ValueSource } from "./placeholders/placeholder-filler.ts";
import type { AskValue, Secrets } from "./types.ts";

/**
 * The values themselves, for whoever carries calls out. A host has no use for them, and would put them into texts; an executor writes
 * them where a placeholder stands, and nowhere else.
 */
export interface SecretValues extends ValueSource {
  /** Asks the user; undefined when there is nobody to ask. */
  readonly ask?: AskValue;
  /** Whether there is a store. */
  readonly canKeep: boolean;
  /** The file in which a file store keeps its values: never inside of a root. */
  readonly storePath?: string;
  /** Returns all names that have a value here, with where it is. Unlocks nothing. */
  known(): Promise<ReadonlyMap<string, "session" | "kept">>;
  /** Tools that fill in their own placeholders: {@link valueMiddleware} lets their calls through as they are. */
  readonly fillingTools: Set<string>;
  /** Masks from now on a name that a filled script has in the place of a placeholder, such as that of a variable. */
  hideInner(inner: string, name: string): void;
  /** Creates a masker, as `Secrets.masker`. Of two names with one value, it writes the one that is in `used`. */
  masker(used?: ReadonlySet<string>): MaskStream;
  /** Returns a masked copy of data whose texts may have been cut, where `…` stands: no part of a value is left at such an edge. */
  maskPieces<Value>(value: Value): Value;
  /** Returns the same, for texts whose lines were taken out of other texts: a line may hold a piece of a value that continues in the next one. */
  maskLines<Value>(value: Value): Value;
  /** Returns a masked text whose lines have the numbers that they had. */
  maskInLines(text: string): string;
  /** Returns the names whose value, as it is, stands in a text: for variables that must not be inherited, and for what the user types. */
  namesIn(text: string): string[];
}

const offered = new WeakMap<Secrets, SecretValues>();

/** Registers the values of secrets; called once by what implements {@link Secrets}. */
export function offerValues(secrets: Secrets, values: SecretValues): void {
  offered.set(secrets, values);
}

/**
 * Returns the values of secrets. Throws `TypeError` for secrets that `openSecrets` did not make.
 *
 * @example
 * ```ts
 * const secrets = await openSecrets();
 * await secrets.set("TOKEN", "npm_0123456789");
 * const found = await valuesOf(secrets).get("TOKEN"); // { value: "npm_0123456789" }
 * ```
 */
export function valuesOf(secrets: Secrets): SecretValues {
  const values = offered.get(secrets);
  if (values === undefined) throw new TypeError("secrets must come from openSecrets()");
  return values;
}
