import { expect, it } from "vitest";
import { equal, isTypeError, like, rejects, truth } from "../src/index.ts";

it("equal takes the same JSON, absent and undefined being the same", () => {
  equal({ a: [1, { b: null }], c: undefined }, { a: [1, { b: null }] }, "it");
  expect(() => equal({ a: 1 }, { a: 1, b: 2 }, "it")).toThrow('it: expected {"a":1,"b":2}, got {"a":1}');
  expect(() => equal([], {}, "it")).toThrow("it: expected {}, got []");
});

it("like takes more members than asked for, but not more items", () => {
  like({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1 } }, "it");
  expect(() => like({ a: { b: 1 } }, { a: { b: 2 } }, "it")).toThrow("something like");
  expect(() => like([1, 2], [1], "it")).toThrow("something like");
});

it("truth and rejects throw when it is not so", async () => {
  truth(true, "it");
  expect(() => truth(false, "it is not so")).toThrow("it is not so");
  await rejects(Promise.reject(new TypeError("no")), isTypeError, "it");
  await expect(rejects(Promise.reject(new Error("no")), isTypeError, "it")).rejects.toThrow("it: rejected with");
  await expect(rejects(Promise.resolve(1), isTypeError, "it")).rejects.toThrow("it: expected a rejection, got 1");
});
