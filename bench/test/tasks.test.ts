import { drawn, leftToCi, rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { costOfTask } from "../src/tasks/index.ts";
import { madeTools } from "../src/tasks/made-catalog.ts";
import { ways } from "../src/tasks/play.ts";
import { runTasks } from "../src/tasks/run.ts";
import { wholeTasks } from "../src/tasks/tasks.ts";

describe("whole tasks", () => {
  it("should be 24, six in each group", () => {
    const groups = new Map<string, number>();
    for (const { group } of wholeTasks) groups.set(group, (groups.get(group) ?? 0) + 1);
    expect([...groups.values()]).toEqual([6, 6, 6, 6]);
    expect(new Set(wholeTasks.map(({ question }) => question)).size).toBe(24);
  });

  it("should come to the expected answers by native calls and through the router", async () => {
    const tasks = drawn(wholeTasks, rounds(6, 24));
    for (const { played } of await runTasks(tasks, ["native", "router"])) {
      expect(played.router.answer).toBe(played.native.answer);
    }
  });

  it("should come to them by programs", async (context) => {
    leftToCi(context);
    // The one whose programs differ; a program costs a second.
    const tasks = wholeTasks.filter(({ programs }) => programs !== undefined || rounds(0, 1) > 0);
    const runs = await runTasks(tasks, ways);
    for (const { played } of runs) {
      expect(played.tool.calls).toBeLessThanOrEqual(played.native.calls);
      expect(played.single.turns).toHaveLength(1);
    }
  }, 600_000);

  it("should fail when an answer is not the expected one", async () => {
    const [task] = wholeTasks;
    if (!task) throw new Error("no task");
    await expect(runTasks([{ ...task, expected: "Something else." }], ["native"])).rejects.toThrow(
      /native: Which document[\s\S]*instead of Something else/,
    );
  });
});

it("should count each turn's prompt and history, and a tenth of what was read before", () => {
  const tokenizer = { name: "characters", count: (text: string) => text.length };
  const turns = [
    { read: ["p".repeat(100), "ask"], written: "call" },
    { read: ["result"], written: "answer" },
  ];
  expect(costOfTask({ turns, calls: 1, answer: "" }, tokenizer)).toEqual({
    anew: 100 + 3 + 4 + (100 + 3 + 4) + 6 + 6,
    cached: Math.round(10 + 3 + 4 + 10.7 + 6 + 6),
  });
});

it("should make a catalog of a thousand tools, always the same", () => {
  const all = madeTools(1000);
  expect(all).toHaveLength(1000);
  expect(new Set(all.map(({ name }) => name)).size).toBe(1000);
  expect(madeTools(50)).toEqual(all.slice(0, 50));
});
