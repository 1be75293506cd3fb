import type { SameTransactionText } from "../tables/answers.ts";
import type { Columns } from "./columns.ts";

/** An audit row or an event of an item of a batch. */
export interface Staged {
  /** The item's place in the batch. */
  place: number;
  kind: "audit" | "event";
  text: string;
}

export const stagedColumns: Columns<Staged> = {
  place: ["bigint", ({ place }) => place],
  kind: ["text", ({ kind }) => kind],
  text: ["text", ({ text }) => text],
};

/** What is written with the items of a batch, in their order. */
export function stagedOf(texts: readonly (SameTransactionText | undefined)[]): Staged[] {
  return texts.flatMap((each, place) => [
    ...(each?.audit ?? []).map((text): Staged => ({ place, kind: "audit", text })),
    ...(each?.events ?? []).map((text): Staged => ({ place, kind: "event", text })),
  ]);
}

/** Parts of a statement that write what the rows `x` hold for the items that `done` has the places of. */
export const stagedParts = (done: string): string => `
a AS (INSERT INTO @audit_new (at, entry)
  SELECT t.now, x.text FROM x JOIN ${done} ON ${done}.ord = x.place, t WHERE x.kind = 'audit' ORDER BY x.ord),
e AS (INSERT INTO @outbox_new (at, event)
  SELECT t.now, x.text FROM x JOIN ${done} ON ${done}.ord = x.place, t WHERE x.kind = 'event' ORDER BY x.ord)`;
