import { ToolglotError } from "@toolglot/core";
import { equal, isTypeError, like, rejects, truth } from "@toolglot/internal";
import { verifyRows } from "../audit/chain.ts";
import { sha256Hex } from "../digest/sha256.ts";
import type { OwnedArtifactStore } from "../store/types.ts";
import {
  admission,
  auditEntry,
  day,
  openSession,
  type StoreCase,
  started,
  storeCases,
  wantedApproval,
  who,
} from "./fixtures.ts";

const bytes = Uint8Array.from({ length: 100 }, (_, index) => index);

function artifact(
  more: Partial<Parameters<OwnedArtifactStore["put"]>[0]> = {},
): Parameters<OwnedArtifactStore["put"]>[0] {
  const rest = { mediaType: "text/plain", sha256: sha256Hex(bytes), ttlMs: day, bytes: Uint8Array.from(bytes) };
  return { id: "art", ...who, ...rest, ...more };
}

export const otherCases: StoreCase[] = storeCases({
  "should say what it is and survive being asked": async ({ store, now }) => {
    truth(store.name.length > 0, "the store should have a name");
    truth(["none", "process", "disk"].includes(store.durability), "the store should say what survives");
    equal(store.operations.durability, store.durability, "the durability of its operation log");
    equal(store.now(), now(), "its time");
    await store.ping();
    await store.prune();
  },
  "should reject everything after it was closed": async ({ store }) => {
    await openSession(store);
    await store.close();
    await store.close();
    const closed = (error: unknown): boolean => ToolglotError.isInstance(error) && error.code === "trp/store-closed";
    const calls: Record<string, () => unknown> = {
      ping: () => store.ping(),
      prune: () => store.prune(),
      "sessions.read": () => store.sessions.read("sess", who),
      "sessions.admit": () => store.sessions.admit(admission(1)),
      "operations.start": () => started(store),
      "operations.list": () => store.operations.list({ states: ["started"] }),
      "approvals.request": () => store.approvals.request(wantedApproval()),
      "audit.append": () => store.audit.append([auditEntry("c")]),
      "audit.read": () => store.audit.read(),
      "audit.head": () => store.audit.head(),
      "audit.checkpoints": () => store.audit.checkpoints(),
      "outbox.read": () => store.outbox.read({ after: 0 }),
      "outbox.acknowledge": () => store.outbox.acknowledge("a", 0),
      "outbox.consumers": () => store.outbox.consumers(),
      "artifacts.put": () => store.artifacts.put(artifact()),
      "catalog.epoch": () => store.catalog.epoch("d", 0),
      ...(store.rates && { "rates.take": () => store.rates?.take("a", { limit: 1, windowMs: 1 }) ?? store.ping() }),
      "logs.append": () => store.logs.append("a", ["1"], 0),
      "logs.read": () => store.logs.read("a"),
      "blobs.put": () => store.blobs.put("a", bytes),
      "blobs.get": () => store.blobs.get("a"),
    };
    for (const [name, call] of Object.entries(calls)) await rejects(call(), closed, `${name} after the close`);
  },
  "should chain audit rows": async ({ store, now, advance }) => {
    await store.audit.append([auditEntry("a"), auditEntry("b")]);
    await store.audit.append([]);
    advance(5);
    await started(store, {}, { audit: [auditEntry("c"), auditEntry("d")] });
    const rows = await store.audit.read();
    equal(
      rows.map(({ index, at, entry }) => [index, at, entry.call_id]),
      [
        [1, now() - 5, "a"],
        [2, now() - 5, "b"],
        [3, now(), "c"],
        [4, now(), "d"],
      ],
      "the rows",
    );
    equal(rows[0]?.entry, auditEntry("a"), "an entry");
    like(verifyRows(rows), { ok: true, rows: 4, head: rows[3]?.hash }, "the check of the rows");
    equal(await store.audit.read({ after: 1, limit: 2 }), rows.slice(1, 3), "a part");
    equal(await store.audit.read({ after: 4 }), [], "what comes after the end");
    equal(await store.audit.read({ limit: 0 }), [], "none of them");
    like(verifyRows(await store.audit.read({ after: 2 }), rows[1]), { ok: true }, "the check of a part");
  },
  "should chain audit rows of all writers": async ({ store }) => {
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) =>
        store.audit.append([auditEntry(`a${index}`), auditEntry(`b${index}`)]),
      ),
      ...Array.from({ length: 20 }, (_, index) => started(store, { key: `k${index}` }, { audit: [auditEntry("s")] })),
    ]);
    like(verifyRows(await store.audit.read()), { ok: true, rows: 60 }, "the check of the rows");
  },
  "should keep bytes for their owner, in ranges, for their time": async ({ store, now, advance }) => {
    const { ttlMs: _, bytes: __, ...rest } = artifact();
    const stored = { ...rest, size: 100, createdAt: now(), expiresAt: now() + day };
    const put = artifact();
    const putting = store.artifacts.put(put);
    put.bytes.fill(0);
    equal(await putting, stored, "the artifact");
    const read = async (range?: { offset?: number; length?: number }): Promise<number[] | undefined> => {
      const found = await store.artifacts.read("art", who, range);
      if (found) equal(found.artifact, stored, "the artifact that was read");
      return found && Array.from(found.bytes);
    };
    equal(await read(), Array.from(bytes), "all bytes");
    equal(await read({ offset: 98 }), [98, 99], "the last bytes");
    equal(await read({ offset: 10, length: 3 }), [10, 11, 12], "some bytes");
    equal(await read({ offset: 99, length: 9 }), [99], "bytes over the end");
    equal(await read({ offset: 100 }), [], "bytes after the end");
    equal(await read({ length: 0 }), [], "no bytes");
    await rejects(read({ offset: -1 }), isTypeError, "a negative offset");
    equal(await store.artifacts.read("nobody", who), undefined, "an unknown artifact");
    equal(await store.artifacts.read("art", { ...who, tenant: "other" }), undefined, "for another tenant");
    equal(await store.artifacts.read("art", { ...who, principal: "bob" }), undefined, "for another principal");
    advance(day);
    equal(await store.artifacts.read("art", who), undefined, "an expired artifact");
    await store.prune();
    equal((await store.artifacts.put(artifact())).id, "art", "the id of a pruned artifact, used again");
  },
  "should keep empty artifacts, and refuse malformed ones": async ({ store }) => {
    await store.artifacts.put(artifact({ id: "empty", bytes: new Uint8Array(0) }));
    const empty = await store.artifacts.read("empty", who);
    equal([empty?.artifact.size, empty?.bytes.length], [0, 0], "the size");
    await rejects(store.artifacts.put(artifact({ id: "empty" })), isTypeError, "an id that is taken");
    await rejects(store.artifacts.put(artifact({ ttlMs: 0 })), isTypeError, "no time to live");
    await rejects(store.artifacts.put(artifact({ bytes: "text" as never })), isTypeError, "bytes that are none");
  },
  "should number catalogs upwards, the same catalog with the same number": async ({ store }) => {
    const first = await store.catalog.epoch("a", 0);
    truth(first >= 1, "epochs should begin at 1");
    equal(await store.catalog.epoch("a", 0), first, "the same catalog");
    const second = await store.catalog.epoch("b", first);
    truth(second > first, "another catalog should have a higher epoch");
    equal(await store.catalog.epoch("a", 0), first, "the first catalog, for a router that knows nothing");
    const third = await store.catalog.epoch("a", second);
    truth(third > second, "a catalog that comes back should have a higher epoch than what was between");
    equal(await store.catalog.epoch("a", second), third, "the same for another router");
    equal(await store.catalog.epoch("a", 0), first, "the lowest that will do");
    equal(await store.catalog.epoch("c", 1000), 1000, "an epoch that is at least so high");
    const many = await Promise.all(Array.from({ length: 10 }, () => store.catalog.epoch("d", 0)));
    equal(new Set(many).size, 1, "the number of epochs of one catalog");
  },
  "should keep alias views": async ({ store }) => {
    const view = { rows: [{ cap_id: "cap.a.v1", digest: "sha256:00" }], __proto__: null } as never;
    await store.catalog.putView("view-1", view);
    await store.catalog.putView("view-1", view);
    equal(await store.catalog.readView("view-1"), { rows: [{ cap_id: "cap.a.v1", digest: "sha256:00" }] }, "the view");
    equal(await store.catalog.readView("nobody"), undefined, "an unknown view");
    await store.prune();
    truth((await store.catalog.readView("view-1")) !== undefined, "pruning should leave views");
  },
  "should prune sessions that have expired": async ({ store, advance }) => {
    await openSession(store, { ttlMs: 10 });
    await openSession(store, { id: "alive" });
    await store.sessions.admit(admission(1));
    advance(10);
    await store.prune();
    equal(await store.sessions.read("sess", who), undefined, "the expired session");
    truth((await store.sessions.read("alive", who)) !== undefined, "the other session should be there");
    equal((await openSession(store)).expectedSeq, 1, "the next seq of a new session with the old id");
  },
});
