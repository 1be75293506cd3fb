import type { ToolCall } from "@toolglot/core";
import { messageText } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { setUp } from "./support/set-up.ts";
import { recordingExecutor } from "./support/tools.ts";

const asks = (inputs: readonly number[]): string[] => inputs.map((a) => `[[call add {"a":${a}}]]`);
const cycle = (period: number, turns: number): number[] => Array.from({ length: turns }, (_, index) => index % period);

async function runOf(turns: readonly string[], limits: { repeats?: number; turns?: number } = {}, ...run: unknown[]) {
  const executor = recordingExecutor(...(run as [(call: ToolCall) => unknown]));
  const { agent, model } = setUp(turns, { executor, limits: { turns: 100, ...limits } });
  const result = await agent.run("Go").result;
  const told = model.requests
    .at(-1)
    ?.messages.filter((message) => message.trust === "host" && /same result each time/.test(messageText(message)));
  return { result, ran: executor.ran.length, told: told ?? [] };
}

describe("the same call with the same result", () => {
  it("ends the run when it stands in a circle of one, two, three or four calls", async () => {
    for (const period of [1, 2, 3, 4]) {
      const { result, ran, told } = await runOf(asks(cycle(period, 40)));
      expect([period, result.status, result.limit, ran]).toEqual([period, "limit", "repeats", 3 * period]);
      expect(told).toHaveLength(period);
    }
  });

  it("ends the run in whatever order it comes within the last actions", () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 0, 0, 1, 1, 1, 2, 2, 2], { minLength: 9, maxLength: 9 }),
        async (order) => {
          const { result, ran } = await runOf(asks([...order, order[0] as number]));
          expect([result.limit, ran]).toEqual(["repeats", 9]);
        },
      ),
      { numRuns: 20 },
    ));

  it("is told to the model once, by name, before the run is ended", async () => {
    const { result, told } = await runOf([...asks([1, 1, 1]), "I see."]);
    expect(result).toMatchObject({ status: "answered", text: "I see." });
    expect(told.map(messageText)).toEqual([expect.stringMatching(/called add 3 times with the same input/)]);
  });

  it("may come again when other calls have taken its place", async () => {
    const others = Array.from({ length: 12 }, (_, index) => index + 10);
    const { result } = await runOf([...asks([1, 1, 1, ...others, 1]), "Done."]);
    expect(result.status).toBe("answered");
  });

  it("beside a call that is new goes on", async () => {
    const program = (index: number): string => `[[python status(); step(${index})]]`;
    const { result } = await runOf([...Array.from({ length: 9 }, (_, index) => program(index)), "Done."]);
    expect(result.status).toBe("answered");
  });

  it("has a limit of the host's own, or none", async () => {
    expect((await runOf(asks(cycle(1, 9)), { repeats: 1 })).ran).toBe(1);
    expect((await runOf(asks(cycle(2, 30)), { repeats: 5 })).ran).toBe(10);
    const { result } = await runOf([...asks(cycle(1, 30)), "Done."], { repeats: Number.POSITIVE_INFINITY });
    expect(result.status).toBe("answered");
  });
});

describe("the same call with a result that differs", () => {
  it("is polling, and goes on", async () => {
    let left = 20;
    const { result, told } = await runOf([...asks(cycle(1, 20)), "Done."], {}, () => ({ left: left-- }));
    expect(result.status).toBe("answered");
    expect(told).toEqual([]);
  });

  it("counts each result by itself", async () => {
    let runs = 0;
    const { ran } = await runOf(asks(cycle(1, 30)), {}, () => Math.floor(runs++ / 2) % 2);
    expect(ran).toBe(5);
  });
});
