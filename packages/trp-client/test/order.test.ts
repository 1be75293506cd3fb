import { expect, it } from "vitest";
import { clock, type Limits, Waits } from "../src/limits.ts";
import { Order } from "../src/order.ts";

const limits = (ms = 5000): Limits => ({
  deadline: clock() + ms,
  signal: undefined,
  waits: new Waits(),
});
const late = (): never => {
  throw new Error("late");
};

it("gives one number at a time when there is no window", async () => {
  const order = new Order(1, 1, () => undefined);
  const first = await order.take(limits(), late);
  const waiting = order.take(limits(), late);
  await expect(order.take(limits(10), late)).rejects.toThrow("late");
  order.end(first, { consumed: true });
  const second = await waiting;
  expect([first.seq, second.seq]).toEqual([1, 2]);
});

it("gives as many numbers as the window has, and more when the first are known to be taken", async () => {
  const order = new Order(1, 4, () => undefined);
  const turns = await Promise.all([1, 2, 3, 4].map(() => order.take(limits(), late)));
  expect(turns.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  const fifth = order.take(limits(), late);
  // The second was taken, so the first was, too: the window has moved.
  order.end(turns[1] as { seq: number }, { consumed: true });
  expect((await fifth).seq).toBe(5);
});

it("goes back to the router's number when a frame was not admitted, after those on their way are settled", async () => {
  const reordered: number[] = [];
  const order = new Order(1, 8, (expected) => reordered.push(expected));
  const [one, two, three] = await Promise.all([1, 2, 3].map(() => order.take(limits(), late)));
  order.end(two as { seq: number }, { expected: 1, consumed: false });
  const again = order.take(limits(), late);
  order.end(one as { seq: number }, { consumed: true });
  order.end(three as { seq: number }, { expected: 2, consumed: false });
  expect((await again).seq).toBe(2);
  expect(reordered).toEqual([1]);
});

it("does not wait for ever for a frame that is lost", async () => {
  const order = new Order(1, 8, () => undefined);
  await order.take(limits(), late);
  const two = await order.take(limits(), late);
  order.end(two, { expected: 1, consumed: false });
  expect((await order.take(limits(), late)).seq).toBe(1);
});

it("skips numbers that the router took already", async () => {
  const order = new Order(1, 1, () => undefined);
  const first = await order.take(limits(), late);
  order.end(first, { expected: 12, consumed: true });
  expect((await order.take(limits(), late)).seq).toBe(12);
});

it("takes a turn back that nobody wants any more", async () => {
  const order = new Order(1, 1, () => undefined);
  const first = await order.take(limits(), late);
  const waits = new Waits();
  const stopped = order.take({ deadline: clock() + 5000, signal: undefined, waits }, late);
  waits.close();
  await expect(stopped).rejects.toThrow("closed");
  order.end(first, { consumed: true });
  expect((await order.take(limits(), late)).seq).toBe(2);
});
