import { andThen, canonicalJson } from "@toolglot/internal";
import type { MaybePromise, ValidatorFactory } from "@toolglot/schema";
import { sha256Digest } from "../digest/sha256.ts";
import { type Fault, fault } from "../frames/fault.ts";
import { featuresOnRequest } from "../frames/features.ts";
import type { AliasRow, Feature } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { SessionRecord } from "../store/frame-types.ts";
import type { RouterStore } from "../store/types.ts";
import { Entries } from "./entries.ts";
import { registerCapability } from "./register.ts";
import type { AnyCapability, CapabilityRegistry, RegisteredCapability, SyncedCatalog } from "./types.ts";
import { createViews, deltaOf, nextEntries, servedRows, type View } from "./views.ts";

/** Options of {@link Registry}. */
export interface RegistryOptions {
  /** Keeps epochs and alias views; sessions point to their view. */
  store: Pick<RouterStore, "catalog" | "sessions">;
  capabilities?: readonly AnyCapability[];
  /** Engine for argument schemas. Default: one without code generation. */
  validator?: ValidatorFactory;
  /** What is always denied to a principal is not in their catalog. It must not throw. Default: nothing is denied. */
  isDenied?(principal: Principal, registered: RegisteredCapability): boolean;
  /** READs of MEDIUM risk that are `pure` need no key. Default false. */
  keylessReads?: boolean;
  /** Any older epoch is a mismatch. Default false: it is fine as long as number, `cap_id` and digest hold. */
  strictEpoch?: boolean;
}

/** The capabilities of a router, by `cap_id`, and the numbers that sessions know them by. */
export class Registry implements CapabilityRegistry {
  readonly #store: RegistryOptions["store"];
  readonly #isDenied: NonNullable<RegistryOptions["isDenied"]>;
  readonly #strictEpoch: boolean;
  readonly #views: ReturnType<typeof createViews>;
  readonly #entries: Entries;
  /** Visible capabilities by the roles that see them; dropped at each change. */
  #seen = new Map<string, readonly RegisteredCapability[]>();
  /** Of all active capabilities; undefined after a change. */
  #digest: string | undefined;
  #known: { digest: string; epoch: number } | undefined;
  /** The highest epoch of any router on the store, as far as the store was asked for it. */
  #highest = 0;

  /** Throws `TypeError` when a definition is malformed, or its `capId` or name is taken. */
  constructor(options: RegistryOptions) {
    const { store, validator, isDenied = () => false, keylessReads = false, strictEpoch = false } = options;
    this.#store = store;
    this.#isDenied = isDenied;
    this.#strictEpoch = strictEpoch;
    this.#views = createViews(store.catalog);
    this.#entries = new Entries((capability) => registerCapability(capability, validator, { keylessReads }));
    this.#entries.add(options.capabilities ?? []);
  }

  register(...capabilities: AnyCapability[]): void {
    this.#entries.add(capabilities);
    this.#changed();
  }

  /**
   * Adds a capability of the router's own. It comes after all others, so that theirs are the numbers from 0, and only
   * while `when` returns true for the number of others.
   */
  addBuiltIn(capability: AnyCapability, when?: (others: number) => boolean): void {
    this.#entries.add([capability], { when });
    this.#changed();
  }

  unregister(capId: string): boolean {
    if (!this.#entries.remove(capId)) return false;
    this.#changed();
    return true;
  }

  get(capId: string): RegisteredCapability | undefined {
    return this.#entries.find(capId)?.registered;
  }

  visible(principal: Principal): RegisteredCapability[] {
    return this.#numbered(principal).filter((registered) => !this.#isDenied(principal, registered));
  }

  /** Rises with each change in this router, also with one that brings an earlier catalog back. */
  async epoch(): Promise<number> {
    for (;;) {
      const wanted = this.#digestOfAll();
      if (this.#known?.digest === wanted) return this.#known.epoch;
      const found = await this.#store.catalog.epoch(wanted, (this.#known?.epoch ?? 0) + 1);
      // Another caller may have asked meanwhile: both were given the same number.
      if (this.#known === undefined || found > this.#known.epoch) this.#known = { digest: wanted, epoch: found };
    }
  }

  async openView(principal: Principal): Promise<string> {
    const { list } = await this.#snapshot(principal);
    return (await this.#views.next(undefined, nextEntries([], list))).id;
  }

  async sync(session: SessionRecord, principal: Principal, knownEpoch: number | null = null): Promise<SyncedCatalog> {
    const who = { tenant: session.tenant, principal: session.principal };
    const isServed = session.features.includes("CATALOG_DELTA");
    let from = session.view;
    for (;;) {
      const { epoch, list } = await this.#snapshot(principal);
      const before = await this.#views.read(from);
      const entries = nextEntries(before?.entries ?? [], list);
      const rows = this.#rows(entries, list, principal, session);
      const view = await this.#views.next(before, entries, isServed ? servedRows(epoch, rows) : undefined);
      const synced: SyncedCatalog = { epoch, rows };
      if (view.id === from || (await this.#store.sessions.setView(session.id, from, view.id))) {
        const { served, entries: old = [] } = before ?? {};
        if (isServed && served !== undefined && served.epoch === knownEpoch) synced.delta = deltaOf(served, old, rows);
        return synced;
      }
      // Somebody else synced the session: the next round starts from their view.
      const fresh = await this.#store.sessions.read(session.id, who);
      if (fresh === undefined) return synced;
      from = fresh.view;
    }
  }

  resolve(
    session: SessionRecord,
    principal: Principal,
    call: Parameters<CapabilityRegistry["resolve"]>[2],
    catalogEpoch: number | null,
  ): MaybePromise<RegisteredCapability | Fault> {
    // Mostly all is known; the store is asked only after a change.
    const isKnown = this.#digest !== undefined && this.#known?.digest === this.#digest;
    return andThen(isKnown ? (this.#known?.epoch as number) : this.epoch(), (current) =>
      andThen(this.#learnHighest(current, catalogEpoch), () =>
        andThen(this.#views.read(session.view), (view) => this.#meant(view, current, principal, call, catalogEpoch)),
      ),
    );
  }

  /** Asks the store for the highest epoch when a call names one that is above all that are known. */
  #learnHighest(current: number, catalogEpoch: number | null): MaybePromise<void> {
    if (this.#strictEpoch || catalogEpoch === null || catalogEpoch <= Math.max(current, this.#highest)) return;
    return this.#store.catalog.highestEpoch().then((highest) => {
      this.#highest = Math.max(this.#highest, highest);
    });
  }

  #changed(): void {
    this.#seen = new Map();
    this.#digest = undefined;
  }

  /**
   * Returns the capabilities with a number in a principal's sessions. A call of a denied one gets the reason, so it has
   * a number too.
   */
  #numbered(principal: Principal): readonly RegisteredCapability[] {
    const roles = canonicalJson([...principal.roles].sort());
    let list = this.#seen.get(roles);
    if (list === undefined) {
      const active = this.#entries.active().map(({ registered }) => registered);
      list = active.filter((registered) => sees(principal, registered));
      if (this.#seen.size >= 256) this.#seen.clear();
      this.#seen.set(roles, list);
    }
    return list;
  }

  #digestOfAll(): string {
    this.#digest ??= sha256Digest(
      canonicalJson(
        this.#entries
          .active()
          .map(({ row, registered: { definition } }) => [row, definition.description, definition.roles ?? null]),
      ),
    );
    return this.#digest;
  }

  /** Returns the epoch and the capabilities of that epoch, although the registry may change while the store answers. */
  async #snapshot(principal: Principal): Promise<{ epoch: number; list: readonly RegisteredCapability[] }> {
    for (;;) {
      const epoch = await this.epoch();
      if (this.#known?.digest === this.#digestOfAll()) return { epoch, list: this.#numbered(principal) };
    }
  }

  #rows(
    entries: View["entries"],
    list: readonly RegisteredCapability[],
    principal: Principal,
    { features }: SessionRecord,
  ): AliasRow[] {
    const isPlain = !features.some((feature) => featuresOnRequest.includes(feature as Feature));
    const offered = list.filter((registered) => !this.#isDenied(principal, registered));
    const shown = new Set(offered.map(({ capId }) => capId));
    const found: AliasRow[] = [];
    for (const [idx, { cap_id, gone }] of entries.entries()) {
      const row = gone === true || !shown.has(cap_id) ? undefined : this.#entries.find(cap_id)?.row;
      if (row === undefined) continue;
      const { idempotency_required: hint, ...plain } = row;
      const hints = hint === undefined || isPlain ? {} : { idempotency_required: hint };
      found.push({ idx, ...plain, ...hints, arg_template: { ...row.arg_template } });
    }
    return found;
  }

  /** Returns the capability that a number and a name stand for in a view, at the current epoch. */
  #meant(
    view: View | undefined,
    current: number,
    principal: Principal,
    call: Parameters<CapabilityRegistry["resolve"]>[2],
    catalogEpoch: number | null,
  ): RegisteredCapability | Fault {
    // Of another router's catalog it may be, in the middle of a deployment; what counts is what the number stands for.
    const isNobodys = catalogEpoch !== null && catalogEpoch > Math.max(current, this.#highest);
    if (isNobodys || (this.#strictEpoch && catalogEpoch !== null && catalogEpoch !== current)) {
      return fault("TRP_1003", `catalog_epoch ${catalogEpoch} is not this router's, which is ${current}`);
    }
    const alias = view?.entries[call.idx];
    const registered = this.get(call.cap_id);
    // The router that synced last marked it as gone: in this router it may still be, or be again, under its number.
    const isSame = alias !== undefined && alias.cap_id === call.cap_id;
    // One answer for all of these, so that it does not reveal what there is.
    if (!isSame || registered === undefined || !sees(principal, registered)) {
      return fault("TRP_1003", `idx ${call.idx} does not stand for ${call.cap_id} in this session's catalog`);
    }
    const { schema_digest: given } = call;
    if (given === registered.schemaDigest) return registered;
    // Whether its schema has changed is nothing for those who may not have it: their answer is the denial.
    if (this.#isDenied(principal, registered)) return registered;
    if (given !== undefined && given !== null) {
      return fault("TRP_2007", `schema_digest is not the one of ${call.cap_id} any more`);
    }
    if (alias.digest !== registered.schemaDigest) {
      return fault("TRP_1003", `${call.cap_id} has changed since this session last synced its catalog`);
    }
    return registered;
  }
}

function sees(principal: Principal, { definition }: RegisteredCapability): boolean {
  const { roles } = definition;
  return roles === undefined || roles.some((role) => principal.roles.includes(role));
}
