import type { AliasRow } from "../frames/types.ts";
import { firstSentence } from "./first-sentence.ts";
import type { AnyCapability, RegisteredCapability } from "./types.ts";

/** A capability with its row in the catalog. */
export interface Entry {
  registered: RegisteredCapability;
  row: Omit<AliasRow, "idx">;
  /** Of a built-in: whether it is active while there are so many others. */
  when?: ((others: number) => boolean) | undefined;
}

/** The capabilities of a registry: the host's, and after them the router's own. */
export class Entries {
  readonly #own = new Map<string, Entry>();
  readonly #builtIn = new Map<string, Entry>();
  readonly #names = new Set<string>();
  readonly #register: (capability: AnyCapability) => RegisteredCapability;

  constructor(register: (capability: AnyCapability) => RegisteredCapability) {
    this.#register = register;
  }

  /** Adds all or none. Throws `TypeError` for a malformed one, and for a `capId` or name that is taken. */
  add(capabilities: readonly AnyCapability[], builtIn?: Pick<Entry, "when">): void {
    const ids = new Set<string>();
    const names = new Set<string>();
    const made = capabilities.map((capability) => {
      const registered = this.#register(capability);
      const { capId, definition } = registered;
      if (this.#own.has(capId) || this.#builtIn.has(capId) || ids.has(capId)) {
        throw new TypeError(`${capId} is registered already; a changed capability takes the next version number`);
      }
      if (this.#names.has(definition.name) || names.has(definition.name)) {
        throw new TypeError(`${capId}: the name ${definition.name} is taken by another capability`);
      }
      ids.add(capId);
      names.add(definition.name);
      return { registered, row: rowOf(registered), ...builtIn };
    });
    for (const entry of made) (builtIn === undefined ? this.#own : this.#builtIn).set(entry.registered.capId, entry);
    for (const name of names) this.#names.add(name);
  }

  remove(capId: string): boolean {
    const entry = this.#own.get(capId) ?? this.#builtIn.get(capId);
    if (entry === undefined) return false;
    this.#own.delete(capId);
    this.#builtIn.delete(capId);
    return this.#names.delete(entry.registered.definition.name);
  }

  /** Returns an active entry. */
  find(capId: string): Entry | undefined {
    const entry = this.#own.get(capId) ?? this.#builtIn.get(capId);
    return entry !== undefined && this.#isActive(entry) ? entry : undefined;
  }

  /** Returns the active entries, in order of their numbers in a new session. */
  active(): Entry[] {
    return [...this.#own.values(), ...this.#builtIn.values()].filter((entry) => this.#isActive(entry));
  }

  #isActive({ when }: Entry): boolean {
    return when === undefined || when(this.#own.size);
  }
}

function rowOf({
  capId,
  definition,
  argTemplate,
  schemaDigest,
  keyRequired,
}: RegisteredCapability): Omit<AliasRow, "idx"> {
  const { riskTier, ioClass } = definition;
  return {
    // Present where it is not what 9.1 makes of risk and class.
    ...(!keyRequired && (ioClass === "WRITE" || riskTier !== "LOW") && { idempotency_required: false }),
    cap_id: capId,
    name: definition.name,
    desc: firstSentence(definition.description),
    risk_tier: riskTier,
    io_class: ioClass,
    arg_template: argTemplate as Record<string, string>,
    schema_digest: schemaDigest,
  };
}
