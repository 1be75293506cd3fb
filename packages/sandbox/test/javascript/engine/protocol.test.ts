import { afterEach, expect, it } from "vitest";
import type { Guest, GuestMessage } from "../../../src/engine.ts";
import { resolveLimits } from "../../../src/limits.ts";
import { QuickJsEngine } from "../../../src/node/javascript/quickjs-engine.ts";

const limits = resolveLimits("javascript", {});
const engine = new QuickJsEngine(limits);
const guests: Guest[] = [];
afterEach(async () => {
  for (const guest of guests) guest.kill();
  await Promise.all(guests.splice(0).map((guest) => guest.ended));
});

const tools = [
  { name: "ask", identifier: "ask", params: [{ name: "n", identifier: "n", required: true }], open: false },
  { name: "tell", identifier: "tell", params: [], open: true },
];

/** A guest with a program, and what it has said so far. */
async function start(code: string, more: object = {}): Promise<{ guest: Guest; said: GuestMessage[] }> {
  await engine.prepare();
  const guest = engine.spawn();
  guests.push(guest);
  await guest.ready;
  const said: GuestMessage[] = [];
  guest.listen({ onMessage: (message) => said.push(message), onEnd: (fault) => said.push({ type: "end", fault }) });
  guest.send(JSON.stringify({ type: "run", code, tools, limits, imports: "refuse", guard: true, seed: "s", ...more }));
  return { guest, said };
}

const until = (said: GuestMessage[], type: string): Promise<void> =>
  expect.poll(() => said.map((message) => message.type), { timeout: 10_000 }).toContain(type);
const answer = (guest: Guest, id: number, value: unknown, more: object = {}): void =>
  guest.send(JSON.stringify({ type: "return", id, value, ...more }));

it("should number its calls, say their lines, and rest until an answer comes", async () => {
  const { guest, said } = await start(
    "const all = [ask({ n: 1 }),\n  ask({ n: 2 }), tell({ x: 1 })];\nreturn await Promise.all(all)",
  );
  await until(said, "idle");
  expect(said).toEqual([
    { type: "call", id: 0, tool: 0, line: 1, args: { n: 1 } },
    { type: "call", id: 1, tool: 0, line: 2, args: { n: 2 } },
    { type: "call", id: 2, tool: 1, line: 2, args: { x: 1 } },
    { type: "idle", answered: 0 },
  ]);
  said.length = 0;
  answer(guest, 2, "c");
  await until(said, "idle");
  expect(said).toEqual([{ type: "idle", answered: 1 }]);
  answer(guest, 0, "a");
  answer(guest, 1, "b");
  await until(said, "result");
  expect(said.slice(-2)).toEqual([
    { type: "usage", memoryMb: expect.any(Number) },
    { type: "result", bytes: 13, conversions: [], warnings: [], value: ["a", "b", "c"] },
  ]);
});

it("should take one answer at a time, so that their order alone decides", async () => {
  const code = `
    const seen = [];
    const each = async (n) => { const x = await ask({ n }); seen.push(x); await null; seen.push(x + "!"); };
    await Promise.all([each(0), each(1), each(2)]);
    return seen`;
  for (const order of [
    [0, 1, 2],
    [2, 0, 1],
  ]) {
    const { guest, said } = await start(code);
    await until(said, "idle");
    for (const id of order) answer(guest, id, `v${id}`);
    await until(said, "result");
    expect(said.at(-1)?.value).toEqual(order.flatMap((id) => [`v${id}`, `v${id}!`]));
  }
});

it("should stand still in time between answers when it is given a clock", async () => {
  const code = `
    const times = [Date.now(), new Date().toISOString(), Date().slice(0, 15)];
    for (let i = 0; i < 100000; i++);
    times.push(Date.now(), new Date(7).getTime(), new Date(2020, 0, 1).getTime(), new Date() instanceof Date, Date.length);
    await ask({ n: 1 });
    times.push(Date.now());
    try { await ask({ n: 2 }) } catch { times.push(new Date().getTime()) }
    return times`;
  const { guest, said } = await start(code, { clock: 86_400_000 });
  await until(said, "idle");
  answer(guest, 0, 1, { clock: 86_400_500 });
  guest.send(JSON.stringify({ type: "throw", id: 1, call: 1, message: "no", clock: 86_401_000 }));
  await until(said, "result");
  const first = [86_400_000, "1970-01-02T00:00:00.000Z", "Fri Jan 02 1970", 86_400_000];
  const others = [7, 1_577_836_800_000, true, 7];
  expect(said.at(-1)?.value).toEqual([...first, ...others, 86_400_500, 86_401_000]);
});

it("should be the same again for the same seed, clock and answers", async () => {
  const code = `
    const a = await ask({ n: Math.random() });
    return [a, Math.random(), Date.now(), new Date().toString(), [3, 1, 2].sort(() => Math.random() - 0.5), Object.keys(globalThis)]`;
  const outcomes = [];
  for (let round = 0; round < 2; round++) {
    const { guest, said } = await start(code, { clock: 1000 });
    await until(said, "idle");
    answer(guest, 0, "x", { clock: 2000 });
    await until(said, "result");
    outcomes.push(said.map(({ args, value }) => ({ args, value })));
  }
  expect(outcomes[1]).toEqual(outcomes[0]);
});

it("should run in UTC, wherever the host is", async () => {
  expect(new Date(0).getTimezoneOffset()).toBe(-540);
  const { said } = await start("return new Date(2024, 6, 1, 12).toISOString() + new Date(0).getTimezoneOffset()");
  await until(said, "result");
  expect(said.at(-1)?.value).toBe("2024-07-01T12:00:00.000Z0");
});

it("should end when it is killed in the middle of a loop", async () => {
  const { guest, said } = await start("for (;;);");
  guest.kill();
  await guest.ended;
  expect(said.at(-1)).toMatchObject({ type: "end" });
});

it("should report errors with the number of the call", async () => {
  const { guest, said } = await start("await ask({ n: 1 })");
  await until(said, "idle");
  guest.send(JSON.stringify({ type: "throw", id: 0, call: 0, message: "not now" }));
  await until(said, "error");
  expect(said.at(-1)?.error).toEqual({
    type: "ToolError",
    message: "not now",
    call: 0,
    line: 1,
    sourceLine: "await ask({ n: 1 })",
  });
});
