import type { JsonObject } from "@toolglot/core";
import { canonicalJson } from "@toolglot/internal";
import { sha256Hex } from "../digest/sha256.ts";
import type { CatalogStore } from "../store/types.ts";
import type { RegisteredCapability } from "./types.ts";

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
}

/** Alias views, kept in the store and remembered by id. */
export interface Views {
  /** Undefined when the store has none of this id. */
  read(id: string): Promise<View | undefined>;
  /**
   * The view that follows: what is new is appended, what is not there any more is marked, digests are those of now. Made
   * without one before, it has the capabilities in their order.
   */
  next(before: View | undefined, visible: readonly RegisteredCapability[]): Promise<View>;
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
    async read(id) {
      const found = cache.get(id);
      if (found !== undefined) return found;
      const stored = await store.readView(id);
      return stored === undefined ? undefined : remember({ id, entries: entriesOf(stored) });
    },
    async next(before, visible) {
      const entries = nextEntries(before?.entries ?? [], visible);
      if (before !== undefined && entries === before.entries) return before;
      const content = { entries: entries as unknown as JsonObject[] };
      const id = `view_${sha256Hex(canonicalJson(content))}`;
      const known = cache.get(id);
      if (known !== undefined) return known;
      await store.putView(id, content);
      return remember({ id, entries });
    },
  };
}

/** The same list when nothing changed. */
function nextEntries(before: readonly Alias[], visible: readonly RegisteredCapability[]): readonly Alias[] {
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

function entriesOf(stored: JsonObject): Alias[] {
  const { entries } = stored;
  return Array.isArray(entries) ? (entries as unknown as Alias[]) : [];
}
