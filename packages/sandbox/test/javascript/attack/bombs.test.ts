import type { AnyTool } from "@toolglot/core";
import { drawn, isLong, leftToCi, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/node/index.ts";
import { addTool, readSections, tool, watchTicks } from "../../support.ts";
import { look, lookFresh, looksAfter, threads } from "./clean-program.ts";

const tools: AnyTool[] = [
  addTool,
  tool("echo", { value: {} }, ({ value }: { value: unknown }) => value),
  tool("big", { bytes: { type: "number" } }, ({ bytes }: { bytes: number }) => "x".repeat(bytes)),
  tool(
    "wait",
    { ms: { type: "number" } },
    ({ ms }: { ms: number }, { signal }) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => clearTimeout(timer));
      }),
  ),
];

// A bomb that only ends at its deadline gets a short one; the others must come to their end.
const short = { timeoutMs: 200, memoryMb: 40, maxResultBytes: 100_000, maxToolCalls: 50 };
const long = { ...short, timeoutMs: 60_000 };

const places: Record<string, string> = {
  "{DEEP}": `return ${"(".repeat(60_000)}1${")".repeat(60_000)};`,
  "{LARGE}": `return 1; // ${"x".repeat(131_072)}`,
};

const bombs = readSections(new URL("./bombs.txt", import.meta.url)).map(({ name, code }) => {
  const [what = "", types = ""] = name.split(" → ");
  return { what, types: types.split("|"), code: places[code.trim()] ?? code };
});

it("should hold at least twenty-five bombs, each named once and with its types", () => {
  expect(bombs.length).toBeGreaterThanOrEqual(25);
  expect(new Set(bombs.map(({ what }) => what)).size).toBe(bombs.length);
  expect(bombs.filter(({ types }) => types.includes(""))).toEqual([]);
});

// A bomb that ends in a limit ends its thread, too.
describe.each([
  ["each in a thread of its own", someOf(bombs, 4), 2],
  ["one after another in one thread", someOf(bombs, 20), 8],
] as const)("bombs, %s", (how, some, sampled) => {
  const make = (limits: typeof short): Sandbox =>
    createSandbox({ language: "javascript", limits, tools, ...threads[how] });
  const [quick, patient] = [make(short), make(long)];
  let fresh: Awaited<ReturnType<typeof lookFresh>>;
  beforeAll(async () => {
    fresh = await lookFresh(() => make(long));
  });
  afterAll(() => Promise.all([quick, patient].map((sandbox) => sandbox[Symbol.asyncDispose]())));

  // A deadline, or 40 MB, costs about half a second each.
  const sample = drawn(some, sampled);

  it.for(some)("should end $what as it must, and leave the host at work", async (bomb, context) => {
    leftToCi(context, sample.includes(bomb));
    const { types, code } = bomb;
    const stop = watchTicks();
    const sandbox = types[0] === "Timeout" ? quick : patient;
    const run = await sandbox.run(code);
    const gap = stop();
    const outcome = run.status === "ok" ? "ok" : run.error.type;
    const said = run.status === "ok" ? "" : run.error.message.slice(0, 300);
    expect(outcome, said).not.toBe("EngineFailure");
    if (!types.includes("any")) expect(types, `${outcome}: ${said}`).toContain(outcome);
    if (run.stats.memoryMb !== undefined) expect(run.stats.memoryMb).toBeLessThanOrEqual(short.memoryMb);
    expect(run.stats.toolCalls).toBeLessThanOrEqual(50);
    // Loosely: the machine may be busy with other things, but a host that waits for a guest waits for seconds.
    expect(gap).toBeLessThan(10_000);
    // The short deadline may be too near for it.
    if (sandbox === patient) {
      if (looksAfter(isLong ? some : sample, bomb)) expect(await look(sandbox)).toEqual(fresh);
    } else
      expect(await sandbox.run("return [await add({ a: 1 }), typeof left]")).toMatchObject({ value: [3, "undefined"] });
  });
});
