import type { Masker } from "./mask/masker.ts";

/** What a host knows of secrets: no method returns a value, and all of them are hidden in texts. */
export interface Secrets {
  /**
   * Sets a value under a name, for this session, or with `keep` in the store as well. A known name gets the new value from the next
   * call on; the old one stays masked until {@link Secrets.close}.
   *
   * @throws `TypeError` for a name that is none, a value that a shell can't hold, and `keep` without a store.
   */
  set(name: string, value: string, options?: { keep?: boolean; note?: string }): Promise<{ warnings: string[] }>;
  /** Forgets a name, here and in the store; the value stays masked until {@link Secrets.close}. False when the name is not known. */
  remove(name: string): Promise<boolean>;
  /** Returns what is known, by name: never a value, and without a passphrase. */
  list(): Promise<SecretEntry[]>;
  /** Returns a whole text with `‹NAME›` in place of every known value, in every form in which programs print values. */
  mask(text: string): string;
  /**
   * Creates a masker for a text that comes in pieces.
   *
   * @example
   * ```ts
   * const masker = secrets.masker();
   * for await (const piece of stream) process.stdout.write(masker.write(piece));
   * process.stdout.write(masker.end());
   * ```
   */
  masker(): Masker;
  /** Returns a copy of plain data with all its strings and keys masked. */
  maskData<Value>(value: Value): Value;
  /** Forgets everything. Nothing is masked any more. */
  close(): void;
}

/** An entry of {@link Secrets.list}. */
export interface SecretEntry {
  name: string;
  /** Whether the value is in the store. */
  kept: boolean;
  /** For which project it is kept; `*`: for all. */
  scope?: string;
  /** What the user noted, as far as it is known without a passphrase. */
  note?: string;
  /** When it was set, in milliseconds since 1970. */
  at: number;
  /** False for a value that is known to be too short to be looked for. */
  maskable: boolean;
}

/** Options of {@link openSecrets}. */
export interface SecretsOptions {
  /** Where values are kept. Default: nowhere. */
  store?: SecretStore;
  /** Whose values those are: the real path of a project. Default `*`, all projects. Values of `*` are known in every scope. */
  scope?: string;
  /** Asks the user for a value. Default: nobody is asked. */
  ask?: AskValue;
}

/** Asks the user for a value; undefined when the user cancels. */
export type AskValue = (request: ValueRequest, context: { signal: AbortSignal }) => Promise<ValueAnswer | undefined>;

/** What the user is asked. */
export interface ValueRequest {
  key: string;
  /** A model's words, one line. */
  reason: string;
  /** A model's words as well. */
  note?: string;
  /** Where a value of that name is known from. */
  known?: "session" | "kept";
  /** Whether there is a store for it. */
  canKeep: boolean;
}

/** The user's answer: a value, or that the known one will do. */
export type ValueAnswer = { value: string; keep?: boolean; note?: string } | { use: "known" };

/** Keeps values from one run to the next. */
export interface SecretStore {
  readonly kind: "keychain" | "file" | (string & {});
  /** Returns what there is, without values. `note` only when the store is unlocked already. */
  list(): Promise<{ name: string; scope: string; at: number; note?: string }[]>;
  get(name: string, scope: string): Promise<{ value: string; note?: string } | undefined>;
  set(name: string, scope: string, entry: { value: string; note?: string }): Promise<void>;
  remove(name: string, scope: string): Promise<boolean>;
}
