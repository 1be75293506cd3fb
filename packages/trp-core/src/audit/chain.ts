import { canonicalJson } from "@toolglot/internal";
import { sha256Hex } from "../digest/sha256.ts";
import type { AuditEntry, AuditReport, AuditRow } from "./types.ts";

/** What the first row's `prevHash` is. */
export const firstHash: string = "0".repeat(64);

/** The next row of an audit log: its hash covers `previous`, which is undefined for the first one. */
export function chainRow(
  previous: Pick<AuditRow, "index" | "hash"> | undefined,
  at: number,
  entry: AuditEntry,
): AuditRow {
  const { index, prevHash, hash } = chainText(previous, at, entryText(entry));
  return { index, at, entry: { ...entry }, prevHash, hash };
}

/** A row whose entry is text: what a store writes. */
export interface ChainedText {
  index: number;
  prevHash: string;
  hash: string;
}

/** Returns the canonical JSON of an entry. */
export function entryText(entry: AuditEntry): string {
  return canonicalJson(entry);
}

/** {@link chainRow} for an entry that is text already, {@link entryText}, so that a store need not write it twice. */
export function chainText(
  previous: Pick<AuditRow, "index" | "hash"> | undefined,
  at: number,
  entry: string,
): ChainedText {
  const index = (previous?.index ?? 0) + 1;
  const prevHash = previous?.hash ?? firstHash;
  return { index, prevHash, hash: textHash(index, at, entry, prevHash) };
}

/**
 * Checks rows that follow `previous` (default: from the beginning of the log): indexes without a gap, each hash over the
 * row and the one before. To check a long log in pieces, give each piece the last row of the one before it. Never throws,
 * whatever the rows are.
 */
export function verifyRows(rows: readonly AuditRow[], previous?: Pick<AuditRow, "index" | "hash">): AuditReport {
  let index = previous?.index ?? 0;
  let head = previous?.hash ?? firstHash;
  for (const row of rows) {
    const problem = problemOf(row, index + 1, head);
    if (problem !== undefined) return { rows: rows.length, ok: false, brokenAt: index + 1, problem, head };
    index = row.index;
    head = row.hash;
  }
  return { rows: rows.length, ok: true, head };
}

function problemOf(row: AuditRow, index: number, head: string): string | undefined {
  if (row?.index !== index) return `row ${index} is missing: row ${String(row?.index)} stands in its place`;
  if (row.prevHash !== head) return `row ${index} does not follow the row before it`;
  try {
    return rowHash(row) === row.hash ? undefined : `row ${index} was changed`;
  } catch {
    return `row ${index} can't be read`;
  }
}

function rowHash({ index, at, entry, prevHash }: Omit<AuditRow, "hash">): string {
  return textHash(index, at, entryText(entry), prevHash);
}

/** Over the canonical JSON of the row, `{ at, entry, index, prevHash }`. */
function textHash(index: number, at: number, entry: string, prevHash: string): string {
  const [atText, indexText, hashText] = [canonicalJson(at), canonicalJson(index), canonicalJson(prevHash)];
  return sha256Hex(`{"at":${atText},"entry":${entry},"index":${indexText},"prevHash":${hashText}}`);
}
