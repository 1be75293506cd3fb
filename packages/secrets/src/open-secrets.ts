import { checkKeys, defined } from "@toolglot/internal";
import { HeldValues } from "./held-values.ts";
import { maskCutEdges, maskLineEdges } from "./mask/cut-edges.ts";
import type { Sought } from "./mask/form-index.ts";
import { maskData } from "./mask/mask-data.ts";
import { MaskStream } from "./mask/masker.ts";
import { isMaskable } from "./mask/sought-values.ts";
import { checkName, checkValue, isName, warningsOf } from "./name-and-value.ts";
import type { Waiting } from "./placeholders/placeholder-filler.ts";
import { asksPerson, pathOfStore } from "./store/file-store.ts";
import type { AskValue, SecretEntry, SecretStore, Secrets, SecretsOptions } from "./types.ts";
import { offerValues } from "./values.ts";

/** Values of this scope are known in every other. */
const everywhere = "*";

/**
 * Opens what a host knows of secrets. Reads nothing of the store: a kept value is read when it is first used.
 *
 * @example
 * ```ts
 * const secrets = await openSecrets({ scope: "/home/me/project", ask: terminalAskValue() });
 * await secrets.set("NPM_TOKEN", "npm_0123456789");
 * secrets.mask("token: npm_0123456789"); // "token: ‹NPM_TOKEN›"
 * ```
 *
 * @throws `TypeError` for an unknown option, or one of the wrong kind.
 */
export async function openSecrets(options: SecretsOptions = {}): Promise<Secrets> {
  checkKeys("openSecrets", options, "store:{get,set} scope:text ask:function");
  const { store, scope = everywhere, ask } = options;
  return new OpenedSecrets(store, scope, ask);
}

class OpenedSecrets implements Secrets {
  readonly #held = new HeldValues();
  readonly #store: SecretStore | undefined;
  readonly #scope: string;
  /** The scopes that are known here, the nearest first. */
  readonly #scopes: readonly string[];
  #closed = false;

  constructor(store: SecretStore | undefined, scope: string, ask: AskValue | undefined) {
    this.#store = store;
    this.#scope = scope;
    this.#scopes = [...new Set([scope, everywhere])];
    offerValues(this, {
      ...defined({ ask, storePath: store && pathOfStore(store) }),
      canKeep: store !== undefined,
      fillingTools: new Set(),
      known: () => this.#known(),
      get: (name, waiting) => this.#get(name, waiting),
      hideInner: (inner, name) => this.#held.hideInner(inner, name),
      masker: (used) => this.#masker(used),
      maskPieces: (value) => maskData(value, (text) => this.#maskPieces(text)),
      maskLines: (value) => maskData(value, (text) => this.#maskLines(text)),
      maskInLines: (text) => {
        const masker = this.#masker(new Set(), true);
        return masker.write(text) + masker.end();
      },
      namesIn: (text) => this.#held.sought.namesIn(text),
    });
  }

  async set(
    name: string,
    value: string,
    options: { keep?: boolean; note?: string } = {},
  ): Promise<{ warnings: string[] }> {
    this.#checkOpen();
    checkKeys("set", options, "keep:boolean note:string");
    checkName(name);
    checkValue(value);
    const { keep = false, note } = options;
    const store = this.#store;
    if (keep && store === undefined) throw new TypeError("keep needs a store: openSecrets({ store: fileStore(…) })");
    // Before anything can fail: what was given must never be seen.
    this.#held.sought.add(name, value);
    if (keep) await store?.set(name, this.#scope, { value, ...defined({ note }) });
    this.#held.set(name, { value, note, at: Date.now(), ...(keep && { keptIn: this.#scope }) });
    return { warnings: warningsOf(name, value) };
  }

  async remove(name: string): Promise<boolean> {
    this.#checkOpen();
    const kept = (await this.#kept()).get(name);
    const wasHeld = this.#held.remove(name);
    const wasKept = kept !== undefined && (await this.#store?.remove(name, kept.scope)) === true;
    return wasHeld || wasKept;
  }

  async list(): Promise<SecretEntry[]> {
    this.#checkOpen();
    const entries = new Map<string, SecretEntry>();
    for (const [name, { scope, at, note }] of await this.#kept()) {
      entries.set(name, { name, kept: true, scope, at, maskable: true, ...defined({ note }) });
    }
    for (const [name, { value, note, at, keptIn }] of this.#held.entries()) {
      const where = keptIn === undefined ? { kept: false } : { kept: true, scope: keptIn };
      entries.set(name, { name, ...where, ...defined({ note }), at, maskable: isMaskable(value) });
    }
    return [...entries.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  mask(text: string): string {
    return this.maskData(text);
  }

  masker(): MaskStream {
    return this.#masker();
  }

  maskData<Value>(value: Value): Value {
    const masker = this.masker();
    return maskData(value, (text) => (isMaskable(text) ? masker.write(text) + masker.end() : text));
  }

  close(): void {
    this.#closed = true;
    this.#held.clear();
  }

  #maskPieces(text: string): string {
    const { sought } = this.#held;
    if (sought.isEmpty) return text;
    const masked = this.mask(text);
    if (!text.includes("…")) return masked;
    const cut = (given: string): string => maskCutEdges(given, () => this.#masker(), sought.fragments);
    // Before lines of a value are hidden by themselves, because a piece of the whole value goes over several of them. Where a value
    // holds the mark itself, it is none of a cut.
    const marks = (given: string): number => given.split("…").length;
    return marks(masked) < marks(text) ? cut(masked) : this.mask(cut(text));
  }

  #maskLines(text: string): string {
    const { sought } = this.#held;
    return sought.isEmpty ? text : maskLineEdges(this.#maskPieces(text), sought.fragments);
  }

  /** Creates a masker that writes, of two names with one value, the one that a call used, else the first. */
  #masker(used: ReadonlySet<string> = new Set(), keepsLines = false): MaskStream {
    const nameOf = ({ names }: Sought): string => {
      const sorted = [...names].sort();
      return sorted.find((name) => used.has(name)) ?? sorted[0] ?? "";
    };
    return new MaskStream(this.#held.sought, nameOf, { keepsLines });
  }

  /** Returns all names, with where their values are; no value is read. */
  async #known(): Promise<Map<string, "session" | "kept">> {
    this.#checkOpen();
    const known = new Map<string, "session" | "kept">();
    for (const name of (await this.#kept()).keys()) known.set(name, "kept");
    for (const [name, { keptIn }] of this.#held.entries()) known.set(name, keptIn === undefined ? "session" : "kept");
    return known;
  }

  /** Reads a value by name; unlocks the store for a kept one. */
  async #get(name: string, waiting: Waiting = {}): Promise<{ value: string } | undefined> {
    this.#checkOpen();
    const held = this.#held.get(name);
    if (held !== undefined) return { value: held.value };
    const kept = (await this.#kept()).get(name);
    const found = kept && (await this.#readKept(name, kept.scope, waiting));
    if (found === undefined || kept === undefined) return undefined;
    checkValue(found.value);
    this.#held.set(name, { ...found, at: kept.at, keptIn: kept.scope });
    return { value: found.value };
  }

  async #readKept(
    key: string,
    scope: string,
    { callId = "", wait }: Waiting,
  ): Promise<{ value: string; note?: string } | undefined> {
    const store = this.#store;
    if (store === undefined || wait === undefined || !asksPerson(store)) return await store?.get(key, scope);
    const read = async () => ({ outcome: "known" as const, found: await store.get(key, scope) });
    return (await wait({ callId, for: "value", key }, read)).found;
  }

  /** Returns what the store has for this scope, and of the rest what it has for all. */
  async #kept(): Promise<Map<string, { scope: string; at: number; note?: string }>> {
    const kept = new Map<string, { scope: string; at: number; note?: string }>();
    for (const { name, ...entry } of (await this.#store?.list()) ?? []) {
      if (!isName(name) || !this.#scopes.includes(entry.scope)) continue;
      if (entry.scope === this.#scope || !kept.has(name)) kept.set(name, entry);
    }
    return kept;
  }

  #checkOpen(): void {
    if (this.#closed) throw new TypeError("these secrets were closed");
  }
}
