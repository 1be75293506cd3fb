import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkModel } from "@toolglot/ai-sdk";
import { localProvider, openAiCall, openAiFinish, openAiText, sse } from "@toolglot/internal/testing/providers";
import { openSqlite } from "@toolglot/sqlite";
import { createRouter } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import { readCatalog, readRouterResult } from "../src/planner/formats/router.ts";
import { createPlanner } from "../src/planner/planner.ts";
import { slipsOf } from "../src/planner/slips.ts";
import { runQuestion, type TestRun } from "./support/agent.ts";
import { openShop } from "./support/shop.ts";

const { store, session, rows, ticketCount } = openShop();

const ask = (question: string, options: Partial<Parameters<typeof runQuestion>[2]> = {}): Promise<TestRun> =>
  runQuestion(session, question, { model: createPlanner(), protocol: "trp", ...options });

/** The router's state as another process sees it. */
async function state<Value>(read: (router: ReturnType<typeof createRouter>) => Promise<Value>): Promise<Value> {
  const routerStore = await openSqlite({ file: join(store.folder, "router.db") });
  const router = createRouter({ store: routerStore, capabilities: [], times: { recoverEveryMs: 0, pruneEveryMs: 0 } });
  try {
    return await read(router);
  } finally {
    await router.close();
    await routerStore.close();
  }
}

const operator = { tenant: "default", id: "local-operator", roles: ["approver"], canDelete: false };

it("should show a model one tool, with a line for each capability", async () => {
  const tool = await (await session.trp()).tool("en");
  expect(tool.name).toBe("router");
  expect(readCatalog([tool])?.slice(0, 6)).toMatchObject([
    { idx: 0, name: "search_documents" },
    { idx: 1, name: "fetch_document" },
    { idx: 2, name: "query_sql", description: "Runs one read-only SELECT on the shop's SQLite database" },
    { idx: 3, name: "create_ticket" },
    { idx: 4, name: "delete_record" },
    { idx: 5, name: "notify_broadcast" },
  ]);
  expect(readCatalog([{ ...tool, name: "other" }])).toBeUndefined();
  expect(readCatalog([tool, tool])).toBeUndefined();
});

it("should ask a person in the router's words, and note who asked and who approved", async () => {
  const before = ticketCount();
  const run = await ask("open a high priority ticket: Lantern overheats; serial F4-10233");
  expect(run.result).toMatchObject({ status: "answered", denied: 0 });
  expect(ticketCount()).toBe(before + 1);
  const asked = run.events.find((event) => event.type === "approval-request");
  expect(asked).toMatchObject({
    request: { tool: "create_ticket", reason: expect.stringContaining("cap.ticket.create.v1") },
  });
  const [approval] = await state((router) => router.approvals.list(operator));
  expect(approval).toMatchObject({ requester: "local-agent", status: "used", decidedBy: "local-operator" });
});

it("should have no effect when it is denied, and keep the denial", async () => {
  const before = ticketCount();
  const run = await ask("open a ticket: nobody wants it", { approve: () => false });
  expect(run.result).toMatchObject({ status: "answered", denied: 1, text: expect.stringMatching(/not approved/) });
  expect(ticketCount()).toBe(before);
  const [approval] = await state((router) => router.approvals.list(operator));
  expect(approval).toMatchObject({ status: "denied", args: { title: "nobody wants it" } });
});

it("should send a message to everybody, once it is approved", async () => {
  const run = await ask("announce to the warehouse: stop shipping lantern F4");
  expect(run.called).toEqual(["notify_broadcast"]);
  expect(run.result.text).toMatch(/went out to warehouse/);
  expect(rows("SELECT channel, message FROM notifications")).toEqual([
    { channel: "warehouse", message: "stop shipping lantern F4" },
  ]);
});

it.each(slipsOf.trp.map(({ id }) => id))(
  "should answer in spite of the slip %s, which the router refuses",
  async (id) => {
    const before = ticketCount();
    const model = createPlanner({ messy: id });
    const run = await ask("open a ticket: It's late; order 1042 isn't there", { model });
    expect(run.result).toMatchObject({ status: "answered", denied: 0 });
    expect(run.result.results.map(({ status }) => status)).toEqual(["error", "ok"]);
    expect(ticketCount()).toBe(before + 1);
    const compared = await ask("Compare the return policy and the warranty terms", { model });
    expect(compared.result.text).toContain("36 months");
    expect(compared.result.results.map(({ status }) => status)).toEqual(["error", "ok", "ok"]);
  },
);

it("should leave a whole audit log, in which each effect was started before it was had", async () => {
  const report = await state((router) => router.audit.verify());
  expect(report.ok).toBe(true);
  const log = await state((router) => router.audit.read({ limit: 10_000 }));
  const ofTickets = log.filter(({ entry }) => entry.cap_id === "cap.ticket.create.v1");
  const started = ofTickets.filter(({ entry }) => entry.result_status === "STARTED").length;
  expect(started).toBe(ofTickets.filter(({ entry }) => entry.result_status === "SUCCESS").length);
  expect(started).toBeGreaterThan(0);
});

it("should not count with a part of the rows", () => {
  const cut = {
    callId: "c",
    status: "ok" as const,
    content: [],
    data: { data: { rows: [] }, warnings: ["/rows: 53 of 140 items"] },
  };
  expect(readRouterResult(cut)).toEqual([{ status: "error", errorType: "Cut", message: "/rows: 53 of 140 items" }]);
});

it("should say that a call waits when nobody can decide here", () => {
  const pending = {
    callId: "c",
    status: "pending" as const,
    content: [],
    data: { waits_for: "approval", approval_id: "apr_1" },
  };
  expect(readRouterResult(pending)).toEqual([{ status: "denied", waitsFor: "apr_1" }]);
});

it("should work with a real model, which gets the data and what to do about a refusal", async () => {
  const call = (name: string, idx: number, args: object): string =>
    sse([...openAiCall(0, "c1", "router", { calls: [{ idx, name, args }] }), openAiFinish("tool_calls")], {
      done: true,
    });
  const { url, requests } = await localProvider([
    { chunks: [call("query_sql", 2, { sql: "SELECT COUNT(*) AS n FROM products", limit: 300 })] },
    { chunks: [call("query_sql", 2, { sql: "SELECT COUNT(*) AS n FROM products" })] },
    { chunks: [sse(openAiText("There are 18 products."), { done: true })] },
  ]);
  const provider = createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, includeUsage: true });
  const { result } = await ask("how many products?", {
    model: aiSdkModel({ model: provider("local"), maxRetries: 0 }),
  });
  expect(result).toMatchObject({ status: "answered", text: "There are 18 products." });
  const [first, second, third] = requests.map(({ body }) => JSON.stringify(body));
  expect(first).toContain("2 query_sql(sql, limit?:int) R Runs one read-only SELECT");
  expect(second).toContain("200 rows at most");
  expect(third).toContain('\\"n\\":18');
});
