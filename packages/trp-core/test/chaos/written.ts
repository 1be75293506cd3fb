import type { OperationRecord } from "@toolglot/core";
import { createRouter } from "../../src/index.ts";
import type { RouterEvent, RouterStore } from "../../src/store/index.ts";

/** The whole check: the chain, and that rows and operations say the same. */
export async function auditOf(store: RouterStore): Promise<{ ok: boolean; rows: number; problem?: string }> {
  const router = createRouter({ store, capabilities: [], times: { recoverEveryMs: 0, pruneEveryMs: 0 } });
  const { ok, rows, problem } = await router.audit.verify();
  await router.close();
  return { ok, rows, ...(problem !== undefined && { problem }) };
}

/** Reads the outbox as another process does, and holds it against the records. */
export async function outboxFaults(store: RouterStore, records: Map<string, OperationRecord>): Promise<string[]> {
  const found: string[] = [];
  const events = new Map<string, RouterEvent[]>();
  let expected = 1;
  for (let after = 0; ; ) {
    const { events: page, missed } = await store.outbox.read({ after, limit: 1_000 });
    if (missed !== undefined) found.push(`missed ${missed.first} to ${missed.last}`);
    for (const { index, event } of page) {
      if (index !== expected++) found.push(`event ${index} is out of order`);
      if (!("callId" in event)) continue;
      const op = event.callId.slice("call_".length);
      events.set(op, [...(events.get(op) ?? []), event]);
    }
    after = page.at(-1)?.index ?? after;
    if (page.length === 0) break;
  }
  for (const [op, { state }] of records) {
    const told = events.get(op) ?? [];
    const done = told.filter((event) => event.type === "call.succeeded" && !event.replayed);
    const isBegun = told.findIndex(({ type }) => type === "call.accepted" || type === "call.resumed");
    const isDone = done[0] === undefined ? -1 : told.indexOf(done[0]);
    const operations = new Set(told.map((event) => ("operation" in event ? event.operation : undefined)));
    const line = `${op} is ${state}: ${told.map(({ type }) => type).join(", ")}`;
    if (operations.size !== 1 || operations.has(undefined)) found.push(`${line}; of several operations`);
    if (done.length !== (state === "done" ? 1 : 0)) found.push(line);
    if (done.length > 0 && (isBegun === -1 || isBegun > isDone)) found.push(`${line}; done before it was begun`);
    if (state === "in-doubt" && !told.some(({ type }) => type === "call.in_doubt")) found.push(line);
  }
  return found;
}
