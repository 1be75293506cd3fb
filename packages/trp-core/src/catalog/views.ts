import type { JsonObject } from "@toolglot/core";
import { canonicalJson, isObject } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { sha256Base64url, sha256Hex } from "../digest/sha256.ts";
import type { AliasRow } from "../frames/types.ts";
import type { CatalogStore } from "../store/types.ts";
import type { RegisteredCapability, SyncedCatalog } from "./types.ts";

/** What a number stands for in a session. Numbers are never used again: what is gone keeps its own. */
export interface Alias {
  readonly cap_id: string;
  /** As it was when the session last synced. */
  readonly digest: string;
  readonly gone?: true;
}

/** The numbers of a session: a list whose places are the numbers. Immutable; the id is made from the content. */
export interface View {
  readonly id: string;
  readonly entries: readonly Alias[];
  /** What the session was given last, when it may ask for changes of it. */
  readonly served?: Served;
}

/** The rows of a catalog as a session was given them. */
export interface Served {
  readonly epoch: number;
  /** By number: a short digest of the row. */
  readonly rows: Readonly<Record<string, string>>;
}

/** Alias views, kept in the store and remembered by id. */
export interface Views {
  /** Undefined when the store has none of this id. */
  read(id: string): MaybePromise<View | undefined>;
  /** The view that follows, with entries of {@link nextEntries}. */
  next(before: View | undefined, entries: readonly Alias[], served?: Served): Promise<View>;
}

/** How many views are remembered. */
const remembered = 1_024;

export function createViews(store: CatalogStore): Views {
  const cache = new Map<string, View>();
  const remember = (view: View): View => {
    if (cache.size >= remembered) cache.delete(cache.keys().next().value as string);
    cache.set(view.id, view);
    return view;
  };
  return {
    read: (id) =>
      cache.get(id) ?? store.readView(id).then((stored) => stored && remember({ id, ...contentOf(stored) })),
    async next(before, entries, served) {
      if (before !== undefined && entries === before.entries && isSameServed(before.served, served)) return before;
      const content = { entries, ...(served && { served }) } as unknown as JsonObject;
      const id = `view_${sha256Hex(canonicalJson(content))}`;
      const known = cache.get(id);
      if (known !== undefined) return known;
      await store.putView(id, content);
      return remember({ id, entries, ...(served && { served }) });
    },
  };
}

/**
 * Returns the entries that follow: what is new is appended, what is not there any more is marked, digests are those of now. The
 * same list when nothing changed.
 */
export function nextEntries(before: readonly Alias[], visible: readonly RegisteredCapability[]): readonly Alias[] {
  const digests = new Map(visible.map(({ capId, schemaDigest }) => [capId, schemaDigest]));
  let isSame = true;
  const entries: Alias[] = before.map((alias) => {
    const digest = digests.get(alias.cap_id);
    digests.delete(alias.cap_id);
    if (digest === undefined ? alias.gone === true : alias.gone !== true && alias.digest === digest) return alias;
    isSame = false;
    return digest === undefined ? { ...alias, gone: true } : { cap_id: alias.cap_id, digest };
  });
  for (const [cap_id, digest] of digests) {
    isSame = false;
    entries.push({ cap_id, digest });
  }
  return isSame ? before : entries;
}

/** Returns what a session is given now. */
export function servedRows(epoch: number, rows: readonly AliasRow[]): Served {
  const digests = rows.map((row) => [row.idx, sha256Base64url(canonicalJson(row)).slice(0, 22)]);
  return { epoch, rows: Object.fromEntries(digests) };
}

/** What is different in the rows of now from what a session was given. */
export function deltaOf(
  before: Served,
  entries: readonly Alias[],
  rows: readonly AliasRow[],
): NonNullable<SyncedCatalog["delta"]> {
  const now = servedRows(before.epoch, rows).rows;
  const had = (idx: number): string | undefined => (Object.hasOwn(before.rows, idx) ? before.rows[idx] : undefined);
  const gone = Object.keys(before.rows).filter((idx) => !Object.hasOwn(now, idx));
  return {
    added: rows.filter(({ idx }) => had(idx) === undefined),
    changed: rows.filter(({ idx }) => had(idx) !== undefined && had(idx) !== now[idx]),
    removed: gone.map((idx) => ({ idx: Number(idx), cap_id: entries[Number(idx)]?.cap_id ?? "" })),
  };
}

function isSameServed(one: Served | undefined, other: Served | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other));
}

function contentOf({ entries, served }: JsonObject): Pick<View, "entries" | "served"> {
  const list = Array.isArray(entries) ? (entries as unknown as Alias[]) : [];
  return { entries: list, ...(isObject(served) && { served: served as unknown as Served }) };
}
