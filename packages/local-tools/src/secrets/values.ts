import type { Waiting } from "../fill/placeholders.ts";
import type { MaskStream } from "./mask/masker.ts";
import type { AskValue, Secrets } from "./types.ts";

/**
 * What the rest of this package may do with secrets, and no host: read values. A host that could would put them into texts; here they
 * go to where a placeholder stands, and nowhere else.
 */
export interface SecretValues {
  /** Asks the user; undefined when there is nobody to ask. */
  readonly ask?: AskValue;
  /** Whether there is a store. */
  readonly canKeep: boolean;
  /** The file in which a file store keeps its values: never inside of a root. */
  readonly storePath?: string;
  /** All names that have a value here, with where it is. Unlocks nothing. */
  known(): Promise<ReadonlyMap<string, "session" | "kept">>;
  /**
   * The value of a name; undefined when there is none. The first use of a kept value unlocks the store, and throws its errors; `waiting`:
   * how to wait for the person who is asked for a passphrase then.
   */
  get(name: string, waiting?: Waiting): Promise<{ value: string } | undefined>;
  /** A name that a filled script has in the place of a placeholder, as that of a variable: from now on it is masked, too. */
  hideInner(inner: string, name: string): void;
  /** As `Secrets.masker`. Of two names with one value, it writes the one that is in `used`. */
  masker(used?: ReadonlySet<string>): MaskStream;
  /** A masked copy of data whose texts may have been cut, where `…` stands: no part of a value is left at such an edge. */
  maskPieces<Value>(value: Value): Value;
  /** The same, for texts whose lines were taken out of other texts: a line may hold a piece of a value that goes on in the next one. */
  maskLines<Value>(value: Value): Value;
  /** A masked text whose lines have the numbers that they had. */
  maskInLines(text: string): string;
  /** The names whose value, as it is, stands in a text: for variables that must not be inherited, and for what the user types. */
  namesIn(text: string): string[];
}

const offered = new WeakMap<Secrets, SecretValues>();

/** To be called once by what implements {@link Secrets}. */
export function offerValues(secrets: Secrets, values: SecretValues): void {
  offered.set(secrets, values);
}

/** `TypeError` for secrets that `openSecrets` did not make. */
export function valuesOf(secrets: Secrets): SecretValues {
  const values = offered.get(secrets);
  if (values === undefined) throw new TypeError("secrets must come from openSecrets()");
  return values;
}
