import { expect, it } from "vitest";
import { Batch, mostText, planNames } from "../src/fast/batch.ts";

interface Item {
  name: string;
  chain?: string;
  place?: number;
  length?: number;
}

/** A batch whose statements are answered by hand. */
function rig({ lanes = 1, most = 64, soon = 16 } = {}) {
  const sent: { items: string[]; answer(): void; refuse(error: Error): void }[] = [];
  const batch = new Batch<Item, string>(
    (items) =>
      new Promise((resolve, reject) => {
        const answer = (): void => resolve(items.map(({ name }) => `answer to ${name}`));
        sent.push({ items: items.map(({ name }) => name), answer, refuse: reject });
      }),
    {
      names: ({ name }) => [name],
      placeOf: ({ chain, place = 0 }) => (chain === undefined ? undefined : { chain, place }),
      lengthOf: ({ length = 1 }) => length,
      isOfOne: (error) => (error as Error).message === "of one",
      lanes,
      most,
      soon,
    },
  );
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { batch, sent, turn };
}

it("should send what is asked for in one turn together, and what comes meanwhile with the next", async () => {
  const { batch, sent, turn } = rig();
  const first = [batch.ask({ name: "a" }), batch.ask({ name: "b" })];
  await turn();
  const later = [batch.ask({ name: "c" }), batch.ask({ name: "d" })];
  await turn();
  expect(sent.map(({ items }) => items)).toEqual([["a", "b"]]);
  sent[0]?.answer();
  expect(await Promise.all(first)).toEqual(["answer to a", "answer to b"]);
  await turn();
  expect(sent[1]?.items).toEqual(["c", "d"]);
  sent[1]?.answer();
  expect(await Promise.all(later)).toEqual(["answer to c", "answer to d"]);
});

it("should keep apart what has a name in common, also on another lane", async () => {
  const { batch, sent, turn } = rig({ lanes: 2 });
  const asked = [batch.ask({ name: "a" }), batch.ask({ name: "a" }), batch.ask({ name: "b" })];
  await turn();
  expect(sent.map(({ items }) => items)).toEqual([["a", "b"]]);
  sent[0]?.answer();
  await turn();
  expect(sent[1]?.items).toEqual(["a"]);
  sent[1]?.answer();
  await Promise.all(asked);
});

it("should let large items make no others wait or fail with them, and leave none behind", async () => {
  const { batch, sent, turn } = rig();
  const lengths = { a: 1, b: mostText + 1, c: mostText - 1, d: mostText, e: 1 };
  const asked = Object.entries(lengths).map(([name, length]) => batch.ask({ name, length }));
  for (const items of [["a", "c"], ["b"], ["d"], ["e"]]) {
    await turn();
    expect(sent.at(-1)?.items).toEqual(items);
    sent.at(-1)?.answer();
  }
  expect(await Promise.all(asked)).toHaveLength(5);
});

it("should send items of a chain together only when they follow one another", async () => {
  const { batch, sent, turn } = rig({ lanes: 2 });
  const of = (name: string, chain: string, place: number): Promise<string> => batch.ask({ name, chain, place });
  const asked = [of("x4", "x", 4), of("y1", "y", 1), of("x5", "x", 5), of("x7", "x", 7), of("x8", "x", 8)];
  await turn();
  // The seventh can't be right behind the fifth, and what comes after it waits with it.
  expect(sent.map(({ items }) => items)).toEqual([["x4", "y1", "x5"]]);
  sent[0]?.answer();
  await turn();
  expect(sent[1]?.items).toEqual(["x7", "x8"]);
  sent[1]?.answer();
  await Promise.all(asked);
});

it("should send no more than so many together", async () => {
  const { batch, sent, turn } = rig({ most: 2 });
  const asked = ["a", "b", "c"].map((name) => batch.ask({ name }));
  await turn();
  sent[0]?.answer();
  await turn();
  sent[1]?.answer();
  await Promise.all(asked);
  expect(sent.map(({ items }) => items)).toEqual([["a", "b"], ["c"]]);
});

it("should find out whose mistake it was, and let the others go on", async () => {
  const { batch, sent, turn } = rig();
  const asked = [batch.ask({ name: "a" }), batch.ask({ name: "bad" }), batch.ask({ name: "c" })];
  const settled = Promise.allSettled(asked);
  await turn();
  sent[0]?.refuse(new Error("of one"));
  for (const at of [1, 2, 3]) {
    await turn();
    const one = sent[at];
    if (one?.items[0] === "bad") one.refuse(new Error("of one"));
    else one?.answer();
  }
  expect(sent.map(({ items }) => items)).toEqual([["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
  expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

it("should reject all when it was nobody's mistake, and go on", async () => {
  const { batch, sent, turn } = rig();
  const settled = Promise.allSettled([batch.ask({ name: "a" }), batch.ask({ name: "b" })]);
  await turn();
  sent[0]?.refuse(new Error("gone"));
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const next = batch.ask({ name: "a" });
  await turn();
  sent[1]?.answer();
  expect(await next).toBe("answer to a");
});

it("should send a part ahead when many are asked for in one turn, and a lane is free", async () => {
  const { batch, sent, turn } = rig({ lanes: 2, soon: 2 });
  const asked = ["a", "a", "b", "c", "d", "e", "f"].map((name) => batch.ask({ name }));
  // Before the end of the turn; the second one with a name waits for the first.
  expect(sent.map(({ items }) => items)).toEqual([["a"], ["b", "c"]]);
  await turn();
  expect(sent).toHaveLength(2);
  for (const at of [0, 1, 2]) {
    sent[at]?.answer();
    await turn();
  }
  expect(sent.slice(2).map(({ items }) => items)).toEqual([["a", "d", "e", "f"]]);
  await Promise.all(asked);
});

it("should have a statement planned anew when its tables are no longer small", () => {
  const nameOf = planNames("enter");
  const names = Array.from({ length: 4_096 }, () => nameOf(32));
  expect(names.slice(0, 8)).toEqual([...Array(7).fill("enter 0"), "enter 1"]);
  expect([...new Set(names)]).toEqual(["enter 0", "enter 1", "enter 2"]);
});
