import { canonicalJson, checkKeys } from "@toolglot/internal";
import type { ValidatorFactory } from "@toolglot/schema";
import { sha256Digest } from "../digest/sha256.ts";
import { type Fault, fault } from "../frames/fault.ts";
import { featuresOnRequest } from "../frames/features.ts";
import type { AliasRow, Feature } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { SessionRecord } from "../store/session-types.ts";
import type { RouterStore } from "../store/types.ts";
import { firstSentence } from "./first-sentence.ts";
import { registerCapability } from "./register.ts";
import type { AnyCapability, CapabilityRegistry, RegisteredCapability, SyncedCatalog } from "./types.ts";
import { createViews, deltaOf, nextEntries, servedRows, type View } from "./views.ts";

/** Options of {@link createRegistry}. */
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

/** What {@link createRegistry} gives: a registry that also takes what comes with the router. */
export interface BuiltInRegistry extends CapabilityRegistry {
  /**
   * Adds a capability of the router's own. It comes after all others, so that theirs are the numbers from 0, and only
   * while `when` says so (given how many others there are).
   */
  addBuiltIn(capability: AnyCapability, when?: (others: number) => boolean): void;
}

interface Entry {
  registered: RegisteredCapability;
  row: Omit<AliasRow, "idx">;
  when?: (others: number) => boolean;
}

/**
 * The capabilities of a router, by `cap_id`, and the numbers that sessions know them by. `TypeError` when a definition is
 * malformed, or its `capId` or name is taken.
 */
export function createRegistry(options: RegistryOptions): BuiltInRegistry {
  checkKeys(
    "createRegistry",
    options,
    "store:object capabilities:object[] validator:function isDenied:function keylessReads:boolean strictEpoch:boolean",
  );
  const { store, validator, isDenied, keylessReads = false, strictEpoch = false } = options;
  const views = createViews(store.catalog);
  const own = new Map<string, Entry>();
  const builtIn = new Map<string, Entry>();
  const names = new Set<string>();
  /** Visible capabilities by the roles that see them; dropped at each change. */
  let seen = new Map<string, readonly RegisteredCapability[]>();
  let digest: string | undefined;
  let known: { digest: string; epoch: number } | undefined;
  /** The highest epoch that any router on the store has given out, as far as it was asked for. */
  let highest = 0;

  const isActive = ({ when }: Entry): boolean => when === undefined || when(own.size);
  const find = (capId: string): Entry | undefined => {
    const entry = own.get(capId) ?? builtIn.get(capId);
    return entry !== undefined && isActive(entry) ? entry : undefined;
  };

  function changed(): void {
    seen = new Map();
    digest = undefined;
  }

  function makeEntries(capabilities: readonly AnyCapability[]): Entry[] {
    const newIds = new Set<string>();
    const newNames = new Set<string>();
    return capabilities.map((capability) => {
      const registered = registerCapability(capability, validator, { keylessReads });
      const { capId, definition } = registered;
      if (own.has(capId) || builtIn.has(capId) || newIds.has(capId)) {
        throw new TypeError(`${capId} is registered already; a changed capability takes the next version number`);
      }
      if (names.has(definition.name) || newNames.has(definition.name)) {
        throw new TypeError(`${capId}: the name ${definition.name} is taken by another capability`);
      }
      newIds.add(capId);
      newNames.add(definition.name);
      return { registered, row: rowOf(registered) };
    });
  }

  function add(to: Map<string, Entry>, entries: readonly Entry[]): void {
    for (const entry of entries) {
      to.set(entry.registered.capId, entry);
      names.add(entry.registered.definition.name);
    }
    changed();
  }

  /** What has a number in a principal's sessions. A call of what is denied gets the reason, so it has a number too. */
  function numbered(principal: Principal): readonly RegisteredCapability[] {
    const roles = canonicalJson([...principal.roles].sort());
    let list = seen.get(roles);
    if (list === undefined) {
      const active = [...own.values(), ...builtIn.values()].filter(isActive);
      list = active.map(({ registered }) => registered).filter((registered) => sees(principal, registered));
      if (seen.size >= 256) seen.clear();
      seen.set(roles, list);
    }
    return list;
  }

  /** Whether the policy lets the principal have it, for some arguments at some time. */
  const isOffered = (principal: Principal, registered: RegisteredCapability): boolean =>
    isDenied?.(principal, registered) !== true;

  function digestOfAll(): string {
    const active = [...own.values(), ...builtIn.values()].filter(isActive);
    digest ??= sha256Digest(
      canonicalJson(
        active.map(({ row, registered }) => [
          row,
          registered.definition.description,
          registered.definition.roles ?? null,
        ]),
      ),
    );
    return digest;
  }

  /** Rises with each change in this router, also with one that brings an earlier catalog back. */
  async function epoch(): Promise<number> {
    for (;;) {
      const wanted = digestOfAll();
      if (known?.digest === wanted) return known.epoch;
      const found = await store.catalog.epoch(wanted, (known?.epoch ?? 0) + 1);
      // Another caller may have asked meanwhile: both were given the same number.
      if (known === undefined || found > known.epoch) known = { digest: wanted, epoch: found };
    }
  }

  /** The epoch and what belongs to it, although the registry may change while the store answers. */
  async function snapshot(principal: Principal): Promise<{ epoch: number; list: readonly RegisteredCapability[] }> {
    for (;;) {
      const current = await epoch();
      if (known?.digest === digestOfAll()) return { epoch: current, list: numbered(principal) };
    }
  }

  function rows(
    entries: View["entries"],
    list: readonly RegisteredCapability[],
    principal: Principal,
    { features }: SessionRecord,
  ): AliasRow[] {
    const isPlain = !features.some((feature) => featuresOnRequest.includes(feature as Feature));
    const offered = list.filter((registered) => isOffered(principal, registered));
    const shown = new Set(offered.map(({ capId }) => capId));
    const found: AliasRow[] = [];
    for (const [idx, { cap_id, gone }] of entries.entries()) {
      const row = gone === true || !shown.has(cap_id) ? undefined : find(cap_id)?.row;
      if (row === undefined) continue;
      const { idempotency_required: hint, ...plain } = row;
      const hints = hint === undefined || isPlain ? {} : { idempotency_required: hint };
      found.push({ idx, ...plain, ...hints, arg_template: { ...row.arg_template } });
    }
    return found;
  }

  /** What a number and a name stand for in a view, at the current epoch. */
  function meant(
    view: View | undefined,
    current: number,
    principal: Principal,
    call: Parameters<CapabilityRegistry["resolve"]>[2],
    catalogEpoch: number | null,
  ): RegisteredCapability | Fault {
    // Of another router's catalog it may be, in the middle of a deployment; what counts is what the number stands for.
    const isNobodys = catalogEpoch !== null && catalogEpoch > Math.max(current, highest);
    if (isNobodys || (strictEpoch && catalogEpoch !== null && catalogEpoch !== current)) {
      return fault("TRP_1003", `catalog_epoch ${catalogEpoch} is not this router's, which is ${current}`);
    }
    const alias = view?.entries[call.idx];
    const registered = find(call.cap_id)?.registered;
    // That it is gone was said of the router that synced last: here it may still be, or be again, under its number.
    const isSame = alias !== undefined && alias.cap_id === call.cap_id;
    // One answer for all of these, so that it does not reveal what there is.
    if (!isSame || registered === undefined || !sees(principal, registered)) {
      return fault("TRP_1003", `idx ${call.idx} does not stand for ${call.cap_id} in this session's catalog`);
    }
    const { schema_digest: given } = call;
    if (given === registered.schemaDigest) return registered;
    // Whether its schema has changed is nothing for those who may not have it: their answer is the denial.
    if (!isOffered(principal, registered)) return registered;
    if (given !== undefined && given !== null) {
      return fault("TRP_2007", `schema_digest is not the one of ${call.cap_id} any more`);
    }
    if (alias.digest !== registered.schemaDigest) {
      return fault("TRP_1003", `${call.cap_id} has changed since this session last synced its catalog`);
    }
    return registered;
  }

  add(own, makeEntries(options.capabilities ?? []));

  return {
    register(...capabilities) {
      add(own, makeEntries(capabilities));
    },
    addBuiltIn(capability, when) {
      const [entry] = makeEntries([capability]);
      if (entry !== undefined) add(builtIn, [when === undefined ? entry : { ...entry, when }]);
    },
    unregister(capId) {
      const entry = own.get(capId) ?? builtIn.get(capId);
      if (entry === undefined) return false;
      own.delete(capId);
      builtIn.delete(capId);
      names.delete(entry.registered.definition.name);
      changed();
      return true;
    },
    get: (capId) => find(capId)?.registered,
    visible: (principal) => numbered(principal).filter((registered) => isOffered(principal, registered)),
    epoch,
    async openView(principal) {
      const { list } = await snapshot(principal);
      return (await views.next(undefined, nextEntries([], list))).id;
    },
    async sync(session, principal, knownEpoch = null) {
      const who = { tenant: session.tenant, principal: session.principal };
      const isServed = session.features.includes("CATALOG_DELTA");
      let from = session.view;
      for (;;) {
        const { epoch: current, list } = await snapshot(principal);
        const before = await views.read(from);
        const entries = nextEntries(before?.entries ?? [], list);
        const found = rows(entries, list, principal, session);
        const view = await views.next(before, entries, isServed ? servedRows(current, found) : undefined);
        const synced: SyncedCatalog = { epoch: current, rows: found };
        if (view.id === from || (await store.sessions.setView(session.id, from, view.id))) {
          const { served, entries: old = [] } = before ?? {};
          if (isServed && served !== undefined && served.epoch === knownEpoch) {
            synced.delta = deltaOf(served, old, found);
          }
          return synced;
        }
        // Somebody else synced the session: theirs is the view to go on from.
        const fresh = await store.sessions.read(session.id, who);
        if (fresh === undefined) return synced;
        from = fresh.view;
      }
    },
    async resolve(session, principal, call, catalogEpoch) {
      // Mostly both are known; the store is asked only after a change.
      const current = digest !== undefined && known?.digest === digest ? known.epoch : await epoch();
      if (!strictEpoch && catalogEpoch !== null && catalogEpoch > Math.max(current, highest)) {
        highest = Math.max(highest, await store.catalog.highestEpoch());
      }
      return meant(await views.read(session.view), current, principal, call, catalogEpoch);
    },
  };
}

function sees(principal: Principal, { definition }: RegisteredCapability): boolean {
  const { roles } = definition;
  return roles === undefined || roles.some((role) => principal.roles.includes(role));
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
    // Said where it is not what 9.1 makes of risk and class.
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
