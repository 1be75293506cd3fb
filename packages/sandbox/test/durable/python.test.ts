import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { afterAll, expect, it } from "vitest";
import { createSandbox, type SandboxRun, type SandboxRunParked } from "../../src/node/index.ts";
import { tool } from "../support.ts";

const sandbox = createSandbox({ language: "python", pool: { size: 2 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function resultOf(run: SandboxRun | SandboxRunParked): unknown {
  if (run.status !== "ok") throw new Error(JSON.stringify(run));
  return run.value;
}

it("should go on in a fresh interpreter with the same time, zone, random numbers and values", async () => {
  const log = new MemoryOperationLog();
  let calls = 0;
  const slow = tool("slow", { n: { type: "integer" } }, async ({ n }: { n: number }) => {
    calls++;
    await sleep(60);
    return n * 2;
  });
  const code = `
print("begin", random.random() >= 0)
seen = [datetime.now().isoformat(), datetime.today().isoformat(), datetime.date.today().isoformat(), random.random(), hash("a")]
a = slow(1)
seen += [datetime.now().isoformat(), random.Random().random(), datetime.now(datetime.timezone.utc).timestamp()]
print("between")
b = slow(2)
seen += [datetime.now().isoformat(), random.randint(1, 10**9)]
slow(3)
__result__ = {"seen": seen, "a": a, "b": b, "zone": datetime.now().astimezone().tzname()}
`;
  const started = Date.now();
  const run = await sandbox.run(code, { tools: [slow], durable: { log, id: "one", parkAfterMs: 0 } });
  const value = resultOf(run) as { seen: (string | number)[]; a: number; b: number };
  expect(value).toMatchObject({ a: 2, b: 4 });
  expect(run.logs.map(({ text }) => text)).toEqual(["begin True", "between"]);
  expect(run.stats.parked).toBe(3);
  expect(calls).toBe(3);
  expect(run.toolCalls.map(({ callId, ok }) => [callId, ok])).toEqual([1, 2, 3].map((n) => [`one:${n}`, true]));
  const [now, today, date, , , later] = value.seen as string[];
  const ms = (text: string | undefined): number => new Date(text ?? "").getTime();
  expect(Math.abs(ms(today) - ms(now))).toBeLessThanOrEqual(1);
  expect(now?.startsWith(date ?? "?")).toBe(true);
  expect(Math.abs(ms(now) - started)).toBeLessThan(60_000);
  expect(later).not.toBe(now);
  const again = await sandbox.run(code, { tools: [slow], durable: { log, id: "one" } });
  expect(again).toMatchObject({ status: "ok", value, logs: run.logs });
  expect(again.toolCalls).toMatchObject(run.toolCalls);
  expect(calls).toBe(3);
});
