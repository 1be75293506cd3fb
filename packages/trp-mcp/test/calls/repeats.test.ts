import { describe, expect, it } from "vitest";
import { ada, agent, bench, lost, text, textOf } from "./support.ts";

const minute = 60_000;

describe("the same effect again", () => {
  it("gives the server's answer exactly as it came", async () => {
    const exact = {
      content: [
        { type: "text", text: "a" },
        { type: "odd", more: [1, null] },
      ] as never,
      structuredContent: { z: 1, a: [] },
      _meta: { own: 1 },
    };
    const { calls, tool } = await bench({ run: () => exact });
    const { result, outcome } = await calls.call({ tool, arguments: { id: "1" } }, { caller: agent });
    const { _meta, ...rest } = result;
    expect(JSON.stringify(rest)).toBe(
      JSON.stringify({ content: exact.content, structuredContent: exact.structuredContent }),
    );
    expect(_meta).toEqual({ own: 1, "toolglot/outcome": outcome });
    expect(outcome).toMatchObject({ status: "done", dispatched: true });
  });

  it("is replayed within the window, in words that say so, and done after it", async () => {
    const { calls, tool, ran, clock } = await bench();
    const call = { tool, arguments: { id: "1" } };
    await calls.call(call, { caller: agent });
    clock.now += 9 * minute;
    const second = await calls.call(call, { caller: agent });
    expect(second.outcome).toMatchObject({ status: "replayed", doneAt: "2027-01-15T08:00:00.000Z" });
    expect(textOf(second)).toMatch(/^Already done at 2027-01-15T08:00:00.000Z .*Nothing was done now.*\nrefunded 1$/);
    expect(ran).toHaveLength(1);
    clock.now += 2 * minute;
    expect((await calls.call(call, { caller: agent })).outcome.status).toBe("done");
    expect(ran).toHaveLength(2);
    expect((await calls.call(call, { caller: agent })).outcome.status).toBe("replayed");
  });

  it("is another one with other arguments, and for another principal", async () => {
    const { calls, tool, ran } = await bench();
    await calls.call({ tool, arguments: { id: "1" } }, { caller: agent });
    await calls.call({ tool, arguments: { id: "2" } }, { caller: agent });
    const other = { ...agent, principal: { ...agent.principal, id: "other" } };
    await calls.call({ tool, arguments: { id: "1" } }, { caller: other });
    expect(ran).toHaveLength(3);
  });

  it("is known by another process on the same store, and after months", async () => {
    const first = await bench();
    const call = { tool: first.tool, arguments: { id: "1" } };
    for (let day = 0; day < 40; day++) {
      await first.calls.call(call, { caller: agent });
      first.clock.now += 24 * 60 * minute;
      await first.router.store.prune();
    }
    expect(first.ran).toHaveLength(40);
    await first.calls.call(call, { caller: agent });
    const second = await bench({ store: first.router.store as never, clock: first.clock });
    expect((await second.calls.call(call, { caller: agent })).outcome.status).toBe("replayed");
    expect(second.ran).toHaveLength(0);
  });

  it("waits for the call that runs, and gets its outcome", async () => {
    let finish = (): void => {};
    const { calls, tool, ran } = await bench({
      run: () => new Promise((resolve) => (finish = () => resolve(text("once")))),
    });
    const call = { tool, arguments: { id: "1" } };
    const both = [calls.call(call, { caller: agent }), calls.call(call, { caller: agent })];
    await expect.poll(() => ran.length).toBe(1);
    finish();
    const [first, second] = await Promise.all(both);
    expect([first?.outcome.status, second?.outcome.status].sort()).toEqual(["done", "replayed"]);
    expect(ran).toHaveLength(1);
  });

  it("runs at once when it is idempotent, or the mode says so", async () => {
    for (const facts of [{ effect: "idempotent" as const }, { repeat: { mode: "in-doubt" as const, windowMs: 1 } }]) {
      const { calls, tool, ran } = await bench(facts);
      for (let time = 0; time < 3; time++) await calls.call({ tool, arguments: { id: "1" } }, { caller: agent });
      expect(ran).toHaveLength(3);
    }
  });

  it("runs again after it failed", async () => {
    let count = 0;
    const failed = { content: [{ type: "text" as const, text: "no such order" }], isError: true };
    const { calls, tool } = await bench({ run: () => (count++ === 0 ? failed : text("done")) });
    const call = { tool, arguments: { id: "1" } };
    const first = await calls.call(call, { caller: agent });
    expect(first.outcome).toMatchObject({ status: "failed", dispatched: true });
    expect(textOf(first)).toBe("no such order");
    expect((await calls.call(call, { caller: agent })).outcome.status).toBe("done");
  });

  it("starts nothing while nobody knows what became of it, under any id, until it is settled", async () => {
    let count = 0;
    const { calls, tool, ran, router, clock } = await bench({ run: () => (count++ === 0 ? lost() : text("done")) });
    const call = { tool, arguments: { id: "1" } };
    const first = await calls.call(call, { caller: agent });
    expect(first.outcome).toMatchObject({ status: "unknown", code: "TRP_3004" });
    clock.now += 100 * minute;
    for (const key of [undefined, "mine"]) {
      const again = await calls.call({ ...call, ...(key && { key }) }, { caller: agent });
      expect(again.outcome).toMatchObject({ status: "unknown", code: "TRP_3004" });
    }
    expect((await calls.again(first.outcome.receipt, { caller: agent })).outcome.status).toBe("unknown");
    expect(ran).toHaveLength(1);
    const [record] = await router.operations.inDoubt(ada);
    if (record === undefined) throw new Error("nothing is in doubt");
    await router.operations.resolve(ada, record, { state: "not-applied" });
    expect((await calls.call(call, { caller: agent })).outcome.status).toBe("done");
  });

  it("runs again even in doubt where the owner gave the guarantee up", async () => {
    let count = 0;
    const { calls, tool, ran } = await bench({
      repeat: { mode: "free", windowMs: 1 },
      run: () => (count++ === 0 ? lost() : text("done")),
    });
    const call = { tool, arguments: { id: "1" } };
    expect((await calls.call(call, { caller: agent })).outcome.status).toBe("unknown");
    expect((await calls.call(call, { caller: agent })).outcome.status).toBe("done");
    expect(ran).toHaveLength(2);
  });

  it("is named by a template, and refused with other arguments or without the named one", async () => {
    const { calls, tool, ran } = await bench({ settings: { effectKey: "refund:{id}" } });
    await calls.call({ tool, arguments: { id: "1", note: "a" } }, { caller: agent });
    const other = await calls.call({ tool, arguments: { id: "1", note: "b" } }, { caller: agent });
    expect(other.outcome).toMatchObject({ status: "refused", code: "TRP_4004", dispatched: false });
    const missing = await bench({ settings: { effectKey: "{note}" } });
    const answer = await missing.calls.call({ tool: missing.tool, arguments: { id: "1" } }, { caller: agent });
    expect(answer.outcome).toMatchObject({ status: "refused", code: "TRP_2001" });
    expect([ran.length, missing.ran.length]).toEqual([1, 0]);
  });

  it("takes the client's own key as TRP does", async () => {
    const { calls, tool, ran } = await bench();
    const call = { tool, arguments: { id: "1" } };
    for (const key of ["a", "b", "a"]) await calls.call({ ...call, key }, { caller: agent });
    expect(ran).toHaveLength(2);
    const conflict = await calls.call({ tool, arguments: { id: "2" }, key: "a" }, { caller: agent });
    expect(conflict.outcome.code).toBe("TRP_4004");
  });
});

describe("a call that is made again because its answer was lost", () => {
  it("gets what was done since it began, whatever the rule for repeats", async () => {
    for (const facts of [{ effect: "idempotent" as const }, { repeat: { mode: "window" as const, windowMs: 1 } }]) {
      const { calls, tool, ran, clock } = await bench(facts);
      const call = { tool, arguments: { id: "1" } };
      await calls.call(call, { caller: agent });
      clock.now += minute;
      const begunAt = clock.now;
      const own = await calls.call(call, { caller: agent });
      expect(own.outcome.status).toBe("done");
      clock.now += minute;
      const again = await calls.call({ ...call, begunAt }, { caller: agent });
      expect(again.outcome.status).toBe("replayed");
      expect(ran).toHaveLength(2);
      clock.now += minute;
      expect((await calls.call({ ...call, begunAt: clock.now }, { caller: agent })).outcome.status).toBe("done");
      expect(ran).toHaveLength(3);
    }
  });

  it("is found though somebody has begun the effect anew, and failed", async () => {
    let isBroken = false;
    const failed = { ...text("out of order"), isError: true };
    const { calls, tool, ran, clock } = await bench({
      effect: "idempotent",
      run: () => (isBroken ? failed : text("done")),
    });
    const call = { tool, arguments: { id: "1" } };
    const begunAt = clock.now;
    await calls.call(call, { caller: agent });
    isBroken = true;
    clock.now += minute;
    expect((await calls.call(call, { caller: agent })).outcome.status).toBe("failed");
    expect((await calls.call({ ...call, begunAt }, { caller: agent })).outcome.status).toBe("replayed");
    expect(ran).toHaveLength(2);
  });
});

describe("arguments", () => {
  it("that are wrong or damaged are refused before anything runs", async () => {
    const { calls, tool, ran } = await bench();
    const wrong = await calls.call({ tool, arguments: {} }, { caller: agent });
    expect(wrong.outcome).toMatchObject({ status: "refused", code: "TRP_2001", dispatched: false });
    const swallowed = { id: '1</parameter>\n<parameter name="note">hello' };
    const damaged = await calls.call({ tool, arguments: swallowed }, { caller: agent });
    expect(damaged.outcome).toMatchObject({ status: "refused", code: "TRP_2001" });
    expect(textOf(damaged)).toContain("note");
    expect(ran).toHaveLength(0);
  });

  it("that look damaged pass in a read, and the answer says so", async () => {
    const { calls, tool } = await bench({ io: "READ", risk: "LOW", effect: "pure" });
    const { result, outcome } = await calls.call({ tool, arguments: { id: "1</parameter>" } }, { caller: agent });
    expect(outcome.status).toBe("done");
    expect(result._meta["toolglot/findings"]).toMatchObject([{ code: "core/leaked-closer" }]);
  });
});
