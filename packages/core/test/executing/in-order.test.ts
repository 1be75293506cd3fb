import { inParallel } from "@toolglot/core";
import { expect, it } from "vitest";

it("should give results in the order of the items, and run no more at one time than the bound", async () => {
  let running = 0;
  let most = 0;
  const results = await inParallel([30, 5, 20, 1, 10], 2, async (ms, index) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, ms));
    running -= 1;
    return `${index}:${ms}`;
  });
  expect(results).toEqual(["0:30", "1:5", "2:20", "3:1", "4:10"]);
  expect(most).toBe(2);
});

it("should run nothing for no items, and reject with the first failure", async () => {
  expect(await inParallel([], 4, () => Promise.reject(new Error("never")))).toEqual([]);
  await expect(inParallel([1], 4, () => Promise.reject(new Error("once")))).rejects.toThrow("once");
});
