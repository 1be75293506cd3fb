import { checkKeys, isObject, parseJson } from "@toolglot/internal";
import type { AuditRow, RouterStore } from "@toolglot/trp-core/store";

/** Options of {@link exportAudit}. */
export interface AuditExportOptions {
  /** Only rows before this time. Milliseconds since the epoch. Default: all. */
  before?: number;
  /** Gets each row, as a line of JSON with its end: `{ index, at, entry, prevHash, hash }`. The next page waits for it. */
  write(text: string): void | Promise<void>;
}

/** A row of an audit log. */
export type ExportedRow = Pick<AuditRow, "index" | "hash" | "at">;

const pageSize = 1_000;
/** Where the store keeps how far its log was exported. */
const place = "gateway/audit-exported";

/**
 * Writes the rows of an audit log as JSON lines, one page after another, and notes in the store how far it came: rows that were not
 * exported are never deleted for their age. Rejects when the store does, or `write`; then nothing is noted.
 */
export async function exportAudit(
  store: Pick<RouterStore, "audit" | "blobs">,
  options: AuditExportOptions,
): Promise<{ rows: number; last?: ExportedRow }> {
  checkKeys("exportAudit", options, "before:number write:function", ["write"]);
  const { before = Number.POSITIVE_INFINITY, write } = options;
  let rows = 0;
  let last: ExportedRow | undefined;
  for (let after = 0, isMore = true; isMore; ) {
    const page = await store.audit.read({ after, limit: pageSize });
    const end = page.findIndex(({ at }) => at >= before);
    const wanted = end === -1 ? page : page.slice(0, end);
    if (wanted.length > 0) await write(wanted.map((row) => `${JSON.stringify(row)}\n`).join(""));
    rows += wanted.length;
    last = wanted.at(-1) ?? last;
    after = page.at(-1)?.index ?? after;
    isMore = end === -1 && page.length === pageSize;
  }
  if (last === undefined) return { rows };
  const { index, hash, at } = last;
  const known = await exportedUpTo(store);
  if ((known?.index ?? 0) < index) {
    await store.blobs.put(place, new TextEncoder().encode(JSON.stringify({ index, hash, at })));
  }
  return { rows, last: { index, hash, at } };
}

/** Returns the last row that was exported of a store's log; undefined when none was. Rejects when the store does. */
export async function exportedUpTo(store: Pick<RouterStore, "blobs">): Promise<ExportedRow | undefined> {
  const bytes = await store.blobs.get(place);
  const kept = bytes && parseJson(new TextDecoder().decode(bytes));
  if (!isObject(kept)) return undefined;
  const { index, hash, at } = kept;
  const isRow = typeof index === "number" && typeof hash === "string" && typeof at === "number";
  return isRow ? { index, hash, at } : undefined;
}
