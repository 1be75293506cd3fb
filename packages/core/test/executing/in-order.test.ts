import { checkConcurrency, inOrder, inParallel } from "@toolglot/core/executing";
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

it("should let neighbours that only read run side by side, and everything else by itself", async () => {
  const log: string[] = [];
  const results = await inOrder(
    ["r1", "r2", "w1", "r3", "w2"],
    { maxConcurrency: 8, onlyReads: (item) => item.startsWith("r") },
    async (item, index) => {
      log.push(`+${item}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
      log.push(`-${item}`);
      return `${index}${item}`;
    },
  );
  expect(log.join(" ")).toBe("+r1 +r2 -r1 -r2 +w1 -w1 +r3 -r3 +w2 -w2");
  expect(results).toEqual(["0r1", "1r2", "2w1", "3r3", "4w2"]);
});

it("should refuse what is no number of calls", () => {
  for (const wrong of [0, -1, 1.5, Number.NaN]) expect(() => checkConcurrency(wrong)).toThrow(TypeError);
});
