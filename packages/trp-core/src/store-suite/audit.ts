import { equal, isTypeError, rejects } from "@toolglot/internal";
import type { AuditCheckpoint } from "../audit/types.ts";
import type { RouterStore } from "../store/types.ts";
import { auditEntry, type StoreCase, storeCases } from "./fixtures.ts";

/** A log of so many rows. */
async function rows(store: RouterStore, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await store.audit.append([auditEntry(`c${n}`)]);
}

async function checkpoint(store: RouterStore, index: number, from = 1): Promise<AuditCheckpoint> {
  const [row] = await store.audit.read({ after: index - 1, limit: 1 });
  return { index, hash: row?.hash ?? "0".repeat(64), at: store.now(), from };
}

const indexes = async (store: RouterStore): Promise<number[]> => (await store.audit.read()).map(({ index }) => index);

export const auditCases: StoreCase[] = storeCases({
  "should give the newest row and the newest checkpoint": async ({ store }) => {
    equal(await store.audit.head(), {}, "of an empty log");
    await rows(store, 2);
    const [, last] = await store.audit.read();
    equal(await store.audit.head(), { row: { index: 2, hash: last?.hash ?? "" } }, "without a checkpoint");
    const made = { ...(await checkpoint(store, 1)), key: "k", signature: "s" };
    equal(await store.audit.addCheckpoint(made), true, "a checkpoint");
    equal((await store.audit.head()).checkpoint, made, "the newest checkpoint");
  },
  "should take checkpoints of rows that are there, and keep them in order": async ({ store }) => {
    await rows(store, 4);
    const [first, third] = [await checkpoint(store, 1), await checkpoint(store, 3)];
    equal(await store.audit.addCheckpoint(third), true, "of row 3");
    equal(await store.audit.addCheckpoint(first), true, "of row 1");
    equal(await store.audit.addCheckpoint({ ...third, key: "k", signature: "s" }), true, "of row 3, signed");
    equal(await store.audit.addCheckpoint({ ...first, hash: third.hash }), false, "with another row's hash");
    equal(await store.audit.addCheckpoint({ ...third, index: 5 }), false, "of a row that is not there");
    equal(await store.audit.addCheckpoint({ ...third, from: 4 }), false, "that gives up its own row");
    equal(await store.audit.checkpoints(), [first, { ...third, key: "k", signature: "s" }], "all of them");
    equal((await store.audit.checkpoints({ after: 1 })).length, 1, "after one");
    equal((await store.audit.checkpoints({ limit: 1 }))[0]?.index, 1, "at most one");
    const malformed = [{ index: 0 }, { hash: "x" }, { at: Number.NaN }, { from: 0 }, { key: "k" }, { signature: "s" }];
    for (const wrong of malformed) {
      const adding = store.audit.addCheckpoint({ ...first, ...wrong } as never);
      await rejects(adding, isTypeError, `a checkpoint with ${JSON.stringify(wrong)}`);
    }
  },
  "should drop rows only as far as the newest checkpoint gives them up": async ({ store }) => {
    await rows(store, 6);
    await store.audit.addCheckpoint(await checkpoint(store, 2));
    await store.audit.addCheckpoint(await checkpoint(store, 4));
    await store.prune();
    equal(await indexes(store), [1, 2, 3, 4, 5, 6], "all rows");
    await store.audit.addCheckpoint(await checkpoint(store, 6, 4));
    await store.prune();
    equal(await indexes(store), [4, 5, 6], "the rest");
    equal(
      (await store.audit.checkpoints()).map(({ index }) => index),
      [4, 6],
      "the checkpoints of rows that are there",
    );
    equal(await store.audit.addCheckpoint(await checkpoint(store, 6, 3)), false, "one that takes rows back");
    await store.audit.append([auditEntry("c7")]);
    const [before, last] = (await store.audit.read()).slice(-2);
    equal([last?.index, last?.prevHash], [7, before?.hash], "the next row");
    await store.audit.addCheckpoint(await checkpoint(store, 7, 7));
    await store.prune();
    equal(await indexes(store), [7], "the newest row, which always stays");
  },
});
