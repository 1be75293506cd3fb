import { iteratorOf, lastOf } from "@toolglot/core/executing";
import { expect, it } from "vitest";

async function result(value: unknown, options?: Parameters<typeof lastOf>[1]): Promise<unknown> {
  const iterator = iteratorOf(value);
  return iterator === undefined ? "a value" : await lastOf(iterator, options);
}

it("should give what a generator returns, else its last value, and nothing of an empty one", async () => {
  const seen: unknown[] = [];
  const options = { onProgress: (value: unknown) => seen.push(value) };
  const yields = async function* (returned?: string) {
    yield 1;
    yield 2;
    return returned;
  };
  expect(await result(yields(), options)).toBe(2);
  expect(seen).toEqual([1, 2]);
  expect(await result(yields("end"))).toBe("end");
  expect(await result((function* () {})())).toBeUndefined();
  // A generator that is not asynchronous may yield promises.
  expect(
    await result(
      (function* () {
        yield Promise.resolve(3);
      })(),
    ),
  ).toBe(3);
  const source = [1, 2, 4].values();
  expect(await result({ [Symbol.asyncIterator]: () => source })).toBe(4);
});

it("should take arrays, maps, texts and bytes for values", async () => {
  for (const value of [[1], new Map(), "text", new Uint8Array(2), null, undefined, { next: 1 }]) {
    expect(await result(value)).toBe("a value");
  }
});

it("should end the generator when the signal is aborted, also one that never waits", async () => {
  let cleaned = 0;
  const endless = function* () {
    try {
      for (;;) yield 1;
    } finally {
      cleaned++;
    }
  };
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("enough")), 1);
  await expect(result(endless(), { signal: controller.signal })).rejects.toThrow("enough");
  expect(cleaned).toBe(1);
});

it("should reject with what the generator throws", async () => {
  const fails = async function* () {
    yield 1;
    throw new Error("broken");
  };
  await expect(result(fails())).rejects.toThrow("broken");
});
