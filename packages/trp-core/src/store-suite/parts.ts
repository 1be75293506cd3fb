import { equal, like } from "@toolglot/internal";
import type { NewPart } from "../store/types.ts";
import { claimRequest, lease, operation, type StoreCase, started, storeCases } from "./fixtures.ts";

const part = (message: string, more: Partial<NewPart> = {}): NewPart => ({
  kind: "PROGRESS",
  stage: "",
  message,
  attempt: 1,
  ...more,
});

const keep = 3;
const all = { after: 0, limit: 100 };

export const partCases: StoreCase[] = storeCases({
  "should number the parts of an operation, and give them in order": async ({ store, now }) => {
    const claim = await started(store);
    equal(await store.parts.read(operation, all), { parts: [], first: 0, last: 0 }, "without parts");
    const given = [part("one", { data: { rows: [1, "二"] }, stage: "load" }), part("two")];
    equal(await store.parts.add(claim, given, { keep }), 2, "the last number");
    equal(await store.parts.add(claim, [part("three")], { keep }), 3, "the next number");
    const [one, two] = given.map((of, index) => ({ ...of, id: index + 1, at: now() }));
    const three = { ...part("three"), id: 3, at: now() };
    equal(await store.parts.read(operation, all), { parts: [one, two, three], first: 1, last: 3 }, "all parts");
    equal(await store.parts.read(operation, { after: 1, limit: 1 }), { parts: [two], first: 1, last: 3 }, "one part");
    equal(await store.parts.read(operation, { after: 3, limit: 9 }), { parts: [], first: 1, last: 3 }, "none after it");
    const other = { ...operation, key: "another" };
    equal(await store.parts.read(other, all), { parts: [], first: 0, last: 0 }, "of an unknown key");
  },
  "should keep the newest parts, and count those that were left out": async ({ store }) => {
    const claim = await started(store);
    const given = ["a", "b", "c", "d"].map((message) => part(message));
    equal(await store.parts.add(claim, given, { keep }), 4, "the last number");
    equal(await store.parts.add(claim, [part("e")], { keep, skipped: 10 }), 15, "after ten that were left out");
    like(await store.parts.read(operation, all), { first: 3, last: 15 }, "the bounds");
    const { parts } = await store.parts.read(operation, all);
    equal(
      parts.map(({ id, message }) => [id, message]),
      [
        [3, "c"],
        [4, "d"],
        [15, "e"],
      ],
      "what is kept",
    );
  },
  "should take parts of who holds the claim alone, and number over attempts": async ({ store, advance }) => {
    const lost = await started(store);
    await store.parts.add(lost, [part("first")], { keep });
    advance(lease);
    const again = await store.operations.start(claimRequest({ owner: "b", abandoned: "reclaim" }), {});
    if (again.status !== "claimed") throw new Error(`not claimed: ${again.status}`);
    equal(await store.parts.add(lost, [part("late")], { keep }), undefined, "of who has lost it");
    equal(await store.parts.add(again.claim, [part("second", { attempt: 2 })], { keep }), 2, "of the next attempt");
    await store.operations.finish(again.claim, { state: "done", outcome: 1 });
    equal(await store.parts.add(again.claim, [part("after")], { keep }), undefined, "after the end");
    const { parts } = await store.parts.read(operation, all);
    equal(
      parts.map(({ message }) => message),
      ["first", "second"],
      "what was said",
    );
  },
  "should forget parts with the operation": async ({ store, advance }) => {
    const released = await started(store);
    await store.parts.add(released, [part("one")], { keep });
    await store.operations.finish(released, { state: "released" });
    equal(await store.parts.read(operation, all), { parts: [], first: 0, last: 0 }, "of a released one");
    advance(1);
    const claim = await started(store, { ttlMs: 100 });
    equal(await store.parts.add(claim, [part("new")], { keep }), 1, "the first of the next operation");
    await store.operations.finish(claim, { state: "done", outcome: 1 });
    like(await store.parts.read(operation, all), { last: 1 }, "of one that is done");
    advance(100);
    equal(await store.parts.read(operation, all), { parts: [], first: 0, last: 0 }, "of a forgotten one");
    const next = await started(store);
    equal(await store.parts.read(operation, all), { parts: [], first: 0, last: 0 }, "of the one after it");
    equal(await store.parts.add(next, [part("fresh")], { keep }), 1, "its first");
    await store.prune();
    like(await store.parts.read(operation, all), { parts: [{ message: "fresh" }], last: 1 }, "after pruning");
  },
});
