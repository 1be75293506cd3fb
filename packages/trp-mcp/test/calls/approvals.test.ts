import { createPolicy, type PolicyEngine } from "@toolglot/trp-core";
import { describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../src/types.ts";
import { ada, agent, bench, textOf } from "./support.ts";

const call = { id: "1" };

describe("a call that a person has to allow", () => {
  it("waits, and runs once with the arguments that were shown", async () => {
    const { calls, tool, ran, router } = await bench({ risk: "HIGH" });
    const asked = await calls.call({ tool, arguments: call }, { caller: agent });
    expect(asked.outcome).toMatchObject({ status: "pending", code: "TRP_4002", dispatched: false });
    expect(asked.question?.text).toContain('"/id" = "1"');
    const id = asked.outcome.approvalId ?? "";
    expect((await calls.status(id, { caller: agent })).outcome.status).toBe("pending");
    await router.approvals.approve(ada, id);
    const edited = await calls.call({ tool, arguments: { id: "2" } }, { caller: agent });
    expect(edited.outcome).toMatchObject({ status: "pending" });
    expect(edited.outcome.approvalId).not.toBe(id);
    const other = { ...agent, principal: { ...agent.principal, id: "other" } };
    expect((await calls.call({ tool, arguments: call }, { caller: other })).outcome.status).toBe("pending");
    expect(ran).toHaveLength(0);
    expect((await calls.call({ tool, arguments: call }, { caller: agent })).outcome.status).toBe("done");
    expect((await calls.call({ tool, arguments: call }, { caller: agent })).outcome.status).toBe("replayed");
    expect(ran).toEqual([call]);
  });

  it("goes on by itself when the decision comes in time", async () => {
    const { calls, tool, router } = await bench({ risk: "HIGH" });
    const answer = calls.call({ tool, arguments: call }, { caller: agent, waitMs: 60_000 });
    await expect.poll(async () => (await router.approvals.list(ada, { status: "pending" })).length).toBe(1);
    const [request] = await router.approvals.list(ada);
    await router.approvals.approve(ada, request?.id ?? "");
    expect((await answer).outcome.status).toBe("done");
  });

  it("runs when somebody has approved it before anybody could be asked", async () => {
    const { calls, tool, ran, router } = await bench({ risk: "HIGH" });
    router.subscribe((event) => {
      if (event.type === "approval.requested") void router.approvals.approve(ada, event.approvalId);
    });
    const { outcome } = await calls.call({ tool, arguments: call }, { caller: agent, waitMs: 60_000 });
    expect(outcome.status).toBe("done");
    expect(ran).toEqual([call]);
  });

  it("is refused after a denial, with the words of the person, for as long as the request holds", async () => {
    const { calls, tool, ran, router, clock } = await bench({ risk: "HIGH" });
    const { outcome } = await calls.call({ tool, arguments: call }, { caller: agent });
    await router.approvals.deny(ada, outcome.approvalId ?? "", "not this one");
    for (let time = 0; time < 2; time++) {
      const denied = await calls.call({ tool, arguments: call }, { caller: agent });
      expect(denied.outcome).toMatchObject({ status: "refused", code: "TRP_4001" });
      expect(textOf(denied)).toContain("not this one");
    }
    clock.now += 16 * 60_000;
    expect((await calls.call({ tool, arguments: call }, { caller: agent })).outcome.status).toBe("pending");
    expect(ran).toHaveLength(0);
  });

  it("asks the person at the client, who approves, denies or says nothing", async () => {
    const questions: ApprovalQuestion[] = [];
    const decide = (decision: "approve" | "deny" | "cancel") => async (question: ApprovalQuestion) => {
      questions.push(question);
      return { decision, comment: "so" };
    };
    const { calls, tool, ran, router } = await bench({ risk: "HIGH" });
    const run = (id: string, decision: "approve" | "deny" | "cancel") =>
      calls.call({ tool, arguments: { id } }, { caller: agent, elicit: decide(decision) });
    expect((await run("1", "approve")).outcome.status).toBe("done");
    expect((await run("2", "deny")).outcome).toMatchObject({ status: "refused", code: "TRP_4001" });
    expect((await run("3", "cancel")).outcome.status).toBe("pending");
    expect(questions.map(({ text }) => /"\/id" = "(\d)"/.exec(text)?.[1])).toEqual(["1", "2", "3"]);
    expect(ran).toEqual([{ id: "1" }]);
    const decided = await router.approvals.list(ada);
    expect(decided.map(({ decidedBy }) => decidedBy)).toEqual([undefined, "elicitation:agent", "elicitation:agent"]);
  });

  it("is never asked about at the client when it is critical, the token forbids it, or the rule says so", async () => {
    const elicit = async (): Promise<never> => {
      throw new Error("asked");
    };
    const policy = createPolicy({ version: "1", rules: [{ id: "boss", decision: "approve" }] });
    const cases = [
      [await bench({ risk: "CRITICAL", policy }), agent],
      [await bench({ risk: "HIGH" }), { ...agent, mayElicit: false }],
      [await bench({ risk: "HIGH", policy, options: { isPageOnly: (rule) => rule === "boss" } }), agent],
      [await bench({ risk: "HIGH", options: { elicitation: false } }), agent],
    ] as const;
    for (const [{ calls, tool }, caller] of cases) {
      const answer = await calls.call({ tool, arguments: call }, { caller, elicit });
      expect(answer.outcome.status).toBe("pending");
      expect(answer.question?.pageOnly).toBe(true);
    }
    const [critical] = cases[0];
    const { outcome } = await critical.calls.call({ tool: critical.tool, arguments: call }, { caller: agent });
    expect(await critical.calls.decide(agent, outcome.approvalId ?? "", { decision: "approve" })).toBe(false);
  });

  it("notes a decision of the caller's own person only", async () => {
    const { calls, tool } = await bench({ risk: "HIGH" });
    const { outcome } = await calls.call({ tool, arguments: call }, { caller: agent });
    const other = { ...agent, principal: { ...agent.principal, id: "other", roles: ["approver"] } };
    expect(await calls.decide(other, outcome.approvalId ?? "", { decision: "approve" })).toBe(false);
    expect(await calls.decide(agent, outcome.approvalId ?? "", { decision: "approve" })).toBe(true);
    expect(await calls.decide(agent, outcome.approvalId ?? "", { decision: "approve" })).toBe(false);
    expect((await calls.call({ tool, arguments: call }, { caller: agent })).outcome.status).toBe("done");
  });
});

describe("once more", () => {
  const allow: PolicyEngine = createPolicy({ version: "1", rules: [{ id: "all", decision: "allow" }] });

  it("asks a person, tells them when it was done, and does it as another operation", async () => {
    const { calls, tool, ran, router } = await bench({ policy: allow });
    const first = await calls.call({ tool, arguments: call }, { caller: agent });
    const asked = await calls.again(first.outcome.receipt, { caller: agent });
    expect(asked.outcome.status).toBe("pending");
    expect(asked.question?.text).toContain("The same was done before, last at 2027-01-15T08:00:00.000Z");
    await router.approvals.approve(ada, asked.outcome.approvalId ?? "");
    expect((await calls.again(first.outcome.receipt, { caller: agent })).outcome.status).toBe("done");
    expect(ran).toHaveLength(2);
    expect((await calls.call({ tool, arguments: call }, { caller: agent })).outcome.status).toBe("replayed");
  });

  it("runs at once where the rule `again` allows it, and is nobody else's", async () => {
    const policy = createPolicy({ version: "1", rules: [{ id: "again", decision: "allow" }] });
    const { calls, tool, ran } = await bench({ policy });
    const { outcome } = await calls.call({ tool, arguments: call }, { caller: agent });
    const other = { ...agent, principal: { ...agent.principal, id: "other" } };
    expect((await calls.again(outcome.receipt, { caller: other })).outcome.status).toBe("refused");
    expect((await calls.status(outcome.receipt, { caller: other })).outcome.status).toBe("refused");
    expect((await calls.again(outcome.receipt, { caller: agent })).outcome.status).toBe("done");
    expect(ran).toHaveLength(2);
    expect((await calls.status(outcome.receipt, { caller: agent })).outcome.status).toBe("replayed");
    expect((await calls.again("nonsense/%", { caller: agent })).outcome.status).toBe("refused");
  });
});
