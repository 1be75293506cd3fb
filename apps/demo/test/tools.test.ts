import type { AnyTool } from "@toolglot/core";
import Database from "libsql";
import { expect, it } from "vitest";
import { demoTools } from "../src/tools/index.ts";
import { freshStore } from "./support/store.ts";

function setup(): { call: (name: string, input: unknown) => Promise<never>; tools: AnyTool[]; database: string } {
  const store = freshStore();
  const tools = demoTools(store);
  return {
    tools,
    database: store.database,
    call: async (name, input) => {
      const tool = tools.find((candidate) => candidate.name === name) as AnyTool;
      return (await tool.execute(input, { signal: new AbortController().signal, callId: "c1" })) as never;
    },
  };
}

function rows(database: string, sql: string): unknown[] {
  const db = new Database(database);
  const found = db.prepare(sql).all();
  db.close();
  return found;
}

it("should define six tools: three that read, two that ask first, one that runs in the background", () => {
  const { tools } = setup();
  expect(
    tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint ?? false, annotations?.riskTier]),
  ).toEqual([
    ["search_documents", true, "LOW"],
    ["fetch_document", true, "LOW"],
    ["query_sql", true, "MEDIUM"],
    ["create_ticket", false, "HIGH"],
    ["delete_record", false, "CRITICAL"],
    ["export_table", false, undefined],
  ]);
  expect(tools[3]?.annotations?.requiresApproval).toBe(true);
  expect(tools[4]?.annotations?.destructiveHint).toBe(true);
});

it.each([
  ["shipping delay", "shipping-delays"],
  ["vouchers for gold members", "membership"],
  ["发货延误怎么办", "zh-shipping-delays"],
  ["退款期限", "zh-refunds"],
  ["客户资料泄露", "zh-privacy"],
  ["overheating lantern battery", "battery-safety"],
])("should find for %s the document %s", async (query, id) => {
  const { call } = setup();
  const hits: { document_id: string; snippet: string }[] = await call("search_documents", { query, top_k: 3 });
  expect(hits[0]?.document_id).toBe(id);
  expect(hits[0]?.snippet).not.toBe("");
  expect(hits.length).toBeLessThanOrEqual(3);
});

it("should find nothing for words that occur nowhere", async () => {
  const { call } = setup();
  expect(await call("search_documents", { query: "xylophone", top_k: 5 })).toEqual([]);
});

it("should fetch a document in full, and name near ones for an unknown id", async () => {
  const { call } = setup();
  const document: { title: string; text: string } = await call("fetch_document", { document_id: "refunds" });
  expect(document.title).toBe("Refund policy");
  expect(document.text).toContain("## Deadlines");
  await expect(call("fetch_document", { document_id: "refund-policy" })).rejects.toThrow(/refunds/);
});

it("should write a ticket that can be read back", async () => {
  const { call, database } = setup();
  const made: { ticket_id: number; status: string } = await call("create_ticket", {
    title: 'It\'s "quoted"',
    body: "正文; DROP TABLE tickets",
    priority: "high",
  });
  expect(made.status).toBe("open");
  expect(rows(database, `SELECT title, body, priority, status FROM tickets WHERE id = ${made.ticket_id}`)).toEqual([
    { title: 'It\'s "quoted"', body: "正文; DROP TABLE tickets", priority: "high", status: "open" },
  ]);
});

it("should delete an order with its lines and refunds, and nothing else", async () => {
  const { call, database } = setup();
  const lines = rows(database, "SELECT * FROM order_items WHERE order_id = 1016").length;
  const before = rows(database, "SELECT id FROM orders").length;
  const done: { rows: number } = await call("delete_record", { resource_type: "order", resource_id: "1016" });
  expect(done).toEqual({ deleted: true, resource_type: "order", resource_id: "1016", rows: lines + 2 });
  expect(rows(database, "SELECT id FROM orders").length).toBe(before - 1);
  expect(rows(database, "SELECT * FROM order_items WHERE order_id = 1016")).toEqual([]);
  expect(rows(database, "SELECT * FROM refunds WHERE order_id = 1016")).toEqual([]);
});

it.each(["999999", "1; DROP TABLE orders", "1 OR 1=1", "abc", "1.5"])(
  "should delete nothing for the number %s",
  async (id) => {
    const { call, database } = setup();
    const before = rows(database, "SELECT id FROM orders").length;
    await expect(call("delete_record", { resource_type: "order", resource_id: id })).rejects.toThrow(
      /There is no order/,
    );
    expect(rows(database, "SELECT id FROM orders").length).toBe(before);
  },
);
