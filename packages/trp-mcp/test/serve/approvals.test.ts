import type { ClientCapabilities, ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { answerIn, ask, clientAt, gateOf, listening, newest, newestRequest, principal, upstream } from "./support.ts";

const eras = [newest, "2025-11-25"];
const forms: ClientCapabilities = { elicitation: { form: {} } };
const links: ClientCapabilities = { elicitation: { form: {}, url: {} } };

const shop = () =>
  upstream("shop", [
    { name: "refund", approval: "ask" },
    { name: "close_down", approval: "page" },
  ]);

async function asked(revision: string, answer: ElicitResult, capabilities = forms, more = {}) {
  const set = gateOf([await shop()]);
  const client = await clientAt(await listening(set.gate, more), revision, { capabilities });
  const questions: ElicitRequest["params"][] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params);
    return answer;
  });
  return { ...set, client, questions };
}

it.each(eras)("asks the person at the client, and runs what was approved, in %s", async (revision) => {
  const content = { decision: "approve", comment: "fine" };
  const { client, calls, questions } = await asked(revision, { action: "accept", content });
  const result = await client.callTool({ name: "shop__refund", arguments: { id: 7 } });
  expect(result.content).toEqual([{ type: "text", text: "refund" }]);
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatchObject({
    message: "Run cap.mcp.shop.refund.v1?",
    requestedSchema: { properties: { decision: { enum: ["approve", "deny"] } }, required: ["decision"] },
  });
  expect(calls.decided).toEqual([{ id: "appr_1", decision: "approve", comment: "fine" }]);
  expect(calls.ran).toEqual([`shop__refund {"id":7}`]);
});

it.each(
  eras.flatMap((revision) => [
    [revision, { action: "accept", content: { decision: "deny" } }, "refused", ["deny"]] as const,
    [revision, { action: "decline" }, "refused", ["deny"]] as const,
    [revision, { action: "cancel" }, "pending", []] as const,
    [revision, { action: "accept", content: { decision: "perhaps" } }, "pending", []] as const,
    [revision, { action: "accept" }, "pending", []] as const,
  ]),
)("runs nothing in %s when the answer is %j: %s", async (revision, answer, status, decisions) => {
  const { client, calls, questions } = await asked(revision, answer as ElicitResult);
  const result = await client.callTool({ name: "shop__refund", arguments: {} });
  expect(result).toMatchObject({ isError: true, _meta: { "toolglot/outcome": { status } } });
  expect(calls.decided.map(({ decision }) => decision)).toEqual(decisions);
  expect(questions).toHaveLength(1);
  expect(calls.ran).toEqual([]);
});

it.each(eras)("shows a link where a question is decided on the page, in %s", async (revision) => {
  const { client, calls, questions } = await asked(revision, { action: "accept" }, links);
  const result = await client.callTool({ name: "shop__close_down", arguments: {} });
  expect(questions).toEqual([expect.objectContaining({ mode: "url", url: "https://gate.test/approvals/appr_1" })]);
  expect("elicitationId" in (questions[0] ?? {})).toBe(revision !== newest);
  expect(result).toMatchObject({ _meta: { "toolglot/outcome": { status: "pending" } } });
  // Nothing was decided by looking at it; then it was waited for.
  expect(calls.decided).toEqual([]);
  expect(calls.contexts.map(({ waitMs }) => waitMs)).toEqual([0, undefined]);
});

it.each(
  eras.flatMap((revision) => [
    [revision, "may not be asked", "refund", forms, { mayElicit: false }] as const,
    [revision, "can't be asked", "refund", {}, {}] as const,
    [revision, "has no links", "close_down", forms, {}] as const,
  ]),
)("waits for the page in %s where the client %s", async (revision, _why, tool, capabilities, more) => {
  const set = gateOf([await shop()]);
  const client = await clientAt(await listening(set.gate, more), revision, { capabilities });
  if ("elicitation" in capabilities) {
    client.setRequestHandler("elicitation/create", () => {
      throw new Error("asked nevertheless");
    });
  }
  const result = await client.callTool({ name: `shop__${tool}`, arguments: {} });
  expect(result).toMatchObject({ _meta: { "toolglot/outcome": { status: "pending" } } });
  expect(set.calls.contexts.at(-1)?.waitMs).toBeUndefined();
  expect(set.calls.ran).toEqual([]);
});

const retry = (state: string, args: object = {}, more: object = {}, name = "shop__refund") =>
  newestRequest(
    "http://gate.test/mcp",
    "tools/call",
    {
      name,
      arguments: args,
      requestState: state,
      inputResponses: { approval: { action: "accept", content: { decision: "approve" } } },
    },
    { capabilities: forms, ...more },
  );
const first = (args: object = {}, name = "shop__refund") =>
  newestRequest("http://gate.test/mcp", "tools/call", { name, arguments: args }, { capabilities: forms });

it("runs with an approval that was asked for in another process with the same secret", async () => {
  const servers = [await shop()];
  const { gate, calls } = gateOf(servers);
  const { gate: other } = gateOf(servers, { calls });
  const { result } = await ask(gate, first());
  expect(result).toMatchObject({
    resultType: "input_required",
    inputRequests: { approval: { method: "elicitation/create" } },
  });
  const again = await ask(other, retry(result.requestState));
  expect(again.result).toMatchObject({ resultType: "complete", content: [{ text: "refund" }] });
  expect(calls.ran).toHaveLength(1);
  const { gate: stranger } = gateOf(servers, { calls, requestSecret: "another secret of thirty-two characters" });
  expect((await ask(stranger, retry(result.requestState))).error.code).toBe(-32602);
});

it.each(eras.flatMap((revision) => [-120_000, 120_000].map((aheadMs) => [revision, aheadMs] as const)))(
  "goes by the router's clock, in %s: %i ms off",
  async (revision, aheadMs) => {
    const { client, calls } = await asked(revision, { action: "accept", content: { decision: "approve" } });
    calls.aheadMs = aheadMs;
    const result = await client.callTool({ name: "shop__refund", arguments: {} });
    expect(result.content).toEqual([{ type: "text", text: "refund" }]);
  },
);

it("asks anew, and runs nothing, when the arguments are others", async () => {
  const { gate, calls } = gateOf([await shop()]);
  const { result } = await ask(gate, first({ amount: 1 }));
  const again = await ask(gate, retry(result.requestState, { amount: 1_000_000 }));
  expect(again.result.resultType).toBe("input_required");
  expect(calls.ran).toEqual([]);
});

it("takes no state of another principal, tool, or maker", async () => {
  const { gate, calls } = gateOf([
    await upstream("shop", [
      { name: "refund", approval: "ask" },
      { name: "sell", approval: "ask" },
    ]),
  ]);
  const { result } = await ask(gate, first());
  const state: string = result.requestState;
  const [version, body = "", mac] = state.split(".");
  const opened = JSON.parse(Buffer.from(body, "base64url").toString());
  const forged = Buffer.from(JSON.stringify({ ...opened, p: { ...opened.p, approvalId: "appr_9" } })).toString(
    "base64url",
  );
  for (const request of [
    retry(state, {}, { token: "berta" }),
    retry(state, {}, {}, "shop__sell"),
    retry(`${version}.${forged}.${mac}`),
    retry("v1.e30.AAAA"),
    retry("nonsense"),
  ]) {
    const { status, error } = await ask(gate, request);
    expect({ status, code: error?.code }).toEqual({ status: 200, code: -32602 });
  }
  expect(calls.decided).toEqual([]);
  expect(calls.ran).toEqual([]);
});

it("lets each state decide once", async () => {
  const { gate, calls } = gateOf([await shop()]);
  const { result } = await ask(gate, first());
  await ask(gate, retry(result.requestState));
  const response = await gate.fetch(retry(result.requestState), { principal: principal("anna") });
  expect((await answerIn(response)).result).toMatchObject({ isError: true });
  expect(calls.ran).toHaveLength(1);
});
