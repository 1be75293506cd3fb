import type { ApprovalQuestion } from "@toolglot/trp-mcp";
import { afterEach, describe, expect, it } from "vitest";
import { sharedPlace } from "../../../trp-core/test/store-kinds.ts";
import { ada, agent, type Bench, bench, lost, read, run, stranger, type TestServers, text } from "./support.ts";

const open: Bench[] = [];
afterEach(async () => {
  for (const { face } of open.splice(0)) await face.close();
});
const start: typeof bench = async (...given) => {
  const made = await bench(...given);
  open.push(made);
  return made;
};

const tools = (): TestServers => ({
  shop: {
    refund: { risk: "HIGH", run: ({ id }) => text(`refunded ${id}`) },
    note: { run: ({ id }) => text(`noted ${id}`) },
    get: { ...read, run: ({ id }) => text(`got ${id}`) },
  },
});
const program = `const seen = [await tools.shop.note({ id: "n" }), await tools.shop.get({ id: "g" })];
seen.push(await tools.shop.refund({ id: "1" }));
return seen;`;
const result = ["noted n", "got g", "refunded 1"];

async function approveAll({ router }: Bench): Promise<number> {
  const waiting = (await router.approvals.list(ada)).filter(({ status }) => status === "pending");
  for (const { id } of waiting) await router.approvals.approve(ada, id);
  return waiting.length;
}

describe("a program whose call needs an approval", () => {
  it("waits, and goes on by its receipt, without doing anything twice", async () => {
    const made = await start(tools());
    const first = await run(made.face, program);
    expect(first.outcome).toMatchObject({
      ...{ status: "pending", code: "TRP_4002", dispatched: true },
      ...{ approvalId: expect.any(String), approvalUrl: expect.stringContaining("/approvals/") },
      fix: expect.stringContaining(JSON.stringify({ resume: first.outcome.receipt })),
    });
    expect(first.answer.question?.text).toContain("cap.mcp.s0.t0.v1");
    expect(first.all).toContain("- shop.note: done");
    const early = await run(made.face, { resume: first.outcome.receipt });
    expect(early.outcome.status).toBe("pending");
    expect(await approveAll(made)).toBe(1);
    const second = await run(made.face, { resume: first.outcome.receipt });
    expect(second.outcome).toMatchObject({ status: "done", receipt: first.outcome.receipt });
    expect(JSON.parse(second.value)).toEqual(result);
    expect(made.ran.map(([name]) => name)).toEqual(["shop.note", "shop.get", "shop.refund"]);
    const third = await run(made.face, { resume: first.outcome.receipt });
    expect(JSON.parse(third.value)).toEqual(result);
    expect(made.ran).toHaveLength(3);
  });

  it("goes on when the same program is asked for again, and is not run anew while its effects may not be", async () => {
    const made = await start(tools());
    const first = await run(made.face, program);
    await approveAll(made);
    const second = await run(made.face, program);
    expect(second.outcome).toMatchObject({ status: "done", receipt: first.outcome.receipt });
    const third = await run(made.face, program);
    expect(third.outcome).toMatchObject({ status: "replayed", receipt: first.outcome.receipt });
    expect(third.all).toMatch(/^This program was run at .*Nothing was done now\./);
    expect(third.all).toContain("refunded 1");
    expect(made.ran).toHaveLength(3);
    made.clock.ahead += 700_000;
    const fourth = await run(made.face, program);
    expect(fourth.outcome).toMatchObject({ status: "pending" });
    expect(fourth.outcome.receipt).not.toBe(first.outcome.receipt);
  });

  it.each(["javascript", "python"] as const)("goes on in another process, from the store (%s)", async (language) => {
    const place = sharedPlace();
    const settings = { languages: [language], timeoutMs: 20_000, calls: 100 };
    const code =
      language === "javascript"
        ? program
        : `seen = [tools.shop.note(id="n"), tools.shop.get(id="g")]\nseen.append(await tools.shop.refund(id="1"))\nseen`;
    const before = await start(tools(), { store: await place.open(), settings });
    const first = await run(before.face, code);
    expect(first.outcome.status).toBe("pending");
    await before.face.close();
    await before.store.close();
    const after = await start(tools(), { store: await place.open(), settings });
    await approveAll(after);
    const second = await run(after.face, { resume: first.outcome.receipt });
    expect(JSON.parse(second.value)).toEqual(result);
    expect([...before.ran, ...after.ran].map(([name]) => name)).toEqual(["shop.note", "shop.get", "shop.refund"]);
  });

  it("begins anew when it has waited for longer than it is kept", async () => {
    const made = await start(tools());
    const { outcome } = await run(made.face, program);
    made.clock.ahead += 25 * 60 * 60 * 1_000;
    const late = await run(made.face, { resume: outcome.receipt });
    expect(late.outcome).toMatchObject({ status: "refused", dispatched: false });
    const anew = await run(made.face, program);
    expect(anew.outcome.status).toBe("pending");
    expect(anew.outcome.receipt).not.toBe(outcome.receipt);
    made.clock.ahead += 25 * 60 * 60 * 1_000;
    const again = await run(made.face, program);
    expect(again.outcome.status).toBe("pending");
    expect(new Set([again, anew, { outcome }].map((one) => one.outcome.receipt)).size).toBe(3);
  });

  it("gets a ToolError when it is denied", async () => {
    const made = await start(tools());
    const code = `try { await tools.shop.refund({ id: "1" }) } catch (error) { return [error.data.status, error.data.code, error.message] }`;
    const first = await run(made.face, code);
    await made.router.approvals.deny(ada, first.outcome.approvalId ?? "", "not this one");
    const second = await run(made.face, { resume: first.outcome.receipt });
    expect(JSON.parse(second.value)).toMatchObject(["refused", "TRP_4001", expect.stringContaining("not this one")]);
    expect(made.ran).toHaveLength(0);
  });

  it("asks the person at the client about each call, and goes on at once", async () => {
    const made = await start(tools());
    const asked: ApprovalQuestion[] = [];
    const elicit = async (question: ApprovalQuestion) => {
      asked.push(question);
      return { decision: "approve" as const };
    };
    const code = `return await Promise.all(["1", "2"].map((id) => tools.shop.refund({ id })))`;
    const { value, outcome } = await run(made.face, code, { elicit });
    expect(outcome.status).toBe("done");
    expect(JSON.parse(value)).toEqual(["refunded 1", "refunded 2"]);
    expect(asked).toHaveLength(2);
    expect(made.ran).toHaveLength(2);
  });

  it("waits when the person at the client says nothing, and asks no second time", async () => {
    const made = await start(tools());
    let count = 0;
    const elicit = async () => {
      count++;
      throw new Error("the window was closed");
    };
    const { outcome } = await run(made.face, program, { elicit });
    expect(outcome.status).toBe("pending");
    expect(count).toBe(1);
  });

  it("goes on in the same request when somebody decides soon", async () => {
    const made: Bench = await start(tools(), {
      waitForDecision: async (approvalId) => {
        await made.router.approvals.approve(ada, approvalId);
        return true;
      },
    });
    const { value } = await run(made.face, program);
    expect(JSON.parse(value)).toEqual(result);
  });
});

it("keeps nothing of programs that nobody has run for a month", async () => {
  const made = await start(tools());
  await run(made.face, program);
  const names = async (): Promise<number> => {
    let count = 0;
    for await (const _ of made.store.logs.list("gateway/programs/")) count++;
    return count;
  };
  expect(await names()).toBe(1);
  made.clock.ahead += 32 * 24 * 60 * 60 * 1_000;
  await start(tools(), { store: made.store });
  await expect.poll(names).toBe(0);
});

describe("a receipt", () => {
  it("is of no use to anybody else, and what it names is told to its owner alone", async () => {
    const made = await start(tools());
    const { outcome } = await run(made.face, program);
    await approveAll(made);
    const before = made.ran.length;
    const other = await run(made.face, { resume: outcome.receipt }, { caller: stranger });
    expect(other.outcome).toMatchObject({ status: "refused", dispatched: false });
    expect(made.ran).toHaveLength(before);
    const made_up = await run(made.face, {
      resume: outcome.receipt.replace(/.$/, (last) => (last === "x" ? "y" : "x")),
    });
    expect(made_up.all).toBe(other.all);
    const status = await made.face.status(outcome.receipt, { caller: { ...stranger } });
    expect(status?.outcome.status).toBe("refused");
    expect(made.face.status("cap.mcp.shop.refund.v1/key", { caller: stranger })).toBeUndefined();
  });

  it.each(["", "program.javascript.x.y", "program.ruby.", "../../etc", "program.python.".padEnd(80, "a")])(
    "that is none is refused (%j)",
    async (resume) => {
      const made = await start(tools());
      expect((await run(made.face, { resume })).outcome).toMatchObject({ status: "refused", code: "TRP_2001" });
    },
  );

  it("tells how the program stands", async () => {
    const made = await start(tools());
    const { outcome } = await run(made.face, program);
    const own = { caller: agent };
    expect((await made.face.status(outcome.receipt, own))?.outcome.status).toBe("pending");
    await approveAll(made);
    await run(made.face, { resume: outcome.receipt });
    const ended = await made.face.status(outcome.receipt, own);
    expect(ended?.outcome).toMatchObject({ status: "done", doneAt: expect.any(String) });
  });
});

describe("effects of programs", () => {
  it("happen once, though the program asks twice", async () => {
    const made = await start(tools());
    const { value, all } = await run(
      made.face,
      `return [await tools.shop.note({ id: "a" }), await tools.shop.note({ id: "a" })]`,
    );
    expect(JSON.parse(value)).toEqual(["noted a", "noted a"]);
    expect(all).toContain("- shop__note was done at");
    expect(made.ran).toHaveLength(1);
  });

  it("in doubt are not repeated by any program", async () => {
    const made = await start({ shop: { pay: { run: () => lost() } } });
    const program = (name: string) =>
      `const ${name} = 1; try { await tools.shop.pay({ id: "1" }) } catch (error) { return error.data.executed }`;
    expect((await run(made.face, program("a"))).value).toBe("unknown");
    expect((await run(made.face, program("b"))).value).toBe("unknown");
    expect(made.ran).toHaveLength(1);
  });

  it("are not repeated by a program that goes on, whatever the tool's rule for repeats", async () => {
    // A tool that may run again at once when it is done: only this very call must not.
    const servers: TestServers = {
      shop: {
        add: { repeat: { mode: "in-doubt", windowMs: 0 }, run: ({ id }) => text(`added ${id}`) },
        refund: { risk: "HIGH", run: ({ id }) => text(`refunded ${id}`) },
      },
    };
    const made = await start(servers, { leaseMs: 1_000 });
    const code = `return [await tools.shop.add({ id: "1" }), await tools.shop.add({ id: "1" })]`;
    // The process dies when the second call is done, before its answer is written down.
    const { operations } = made.store;
    const finish = operations.finish.bind(operations);
    operations.finish = async (claim, end, ...more) => {
      if (claim.scope.startsWith("sandbox:") && claim.key === "call:2") throw new Error("the process is gone");
      return finish(claim, end, ...more);
    };
    const first = await run(made.face, code);
    expect(first.outcome).toMatchObject({ status: "pending", dispatched: true });
    expect(made.ran).toHaveLength(2);
    operations.finish = finish;
    const second = await run(made.face, { resume: first.outcome.receipt });
    expect(JSON.parse(second.value)).toEqual(["added 1", "added 1"]);
    expect(made.ran).toHaveLength(2);
  });

  it("of reads alone don't keep a program from running again", async () => {
    const made = await start(tools());
    for (let time = 0; time < 2; time++) await run(made.face, `return await tools.shop.get({ id: "1" })`);
    expect(made.ran).toHaveLength(2);
  });
});
