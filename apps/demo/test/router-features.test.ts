import { createClient, inProcessTransport, type TrpClient } from "@toolglot/trp-client";
import { createRouter, MemoryStore, principal } from "@toolglot/trp-core";
import { expect, it, onTestFinished } from "vitest";
import { demoCapabilities } from "../src/capabilities/index.ts";
import { demoPolicy } from "../src/capabilities/policy.ts";
import { openShop } from "./support/shop.ts";

// Each feature that the demo's router grants can be seen with its own data.

const { store: data, rows } = openShop();
const exported = "cap.export.table.v1";

function open() {
  const store = new MemoryStore();
  const router = createRouter({
    store,
    capabilities: demoCapabilities(data),
    policy: demoPolicy(),
    allowVolatile: true,
  });
  onTestFinished(() => router.close({ graceMs: 0 }));
  return createClient({
    transport: inProcessTransport(router, principal({ id: "local-operator" })),
    agentId: "features",
  });
}

async function idxOf(client: TrpClient, capId: string): Promise<number> {
  return (await client.catalog()).rows.find(({ cap_id }) => cap_id === capId)?.idx ?? -1;
}

it("should tell how far an asynchronous call is, page by page, and give its whole result", async () => {
  const client = open();
  const idx = await idxOf(client, exported);
  const started = await client.callAsync({ idx, capId: exported, args: { table: "orders", rows_per_second: 2_000 } });
  const told: unknown[] = [];
  const parts = client.parts(started.callId);
  let next = await parts.next();
  for (; !next.done; next = await parts.next()) told.push(next.value);
  const [count] = rows<{ n: number }>("SELECT COUNT(*) AS n FROM orders");
  expect(told.length).toBe(Math.ceil((count?.n ?? 0) / 20));
  expect(JSON.stringify(told[0])).toContain("20 rows of orders");
  expect(next.value).toMatchObject({ status: "success", result: { summary: `${count?.n} rows of orders as CSV.` } });
});

it("should cancel a call that takes long, in the middle", async () => {
  const client = open();
  const idx = await idxOf(client, exported);
  const { callId } = await client.callAsync({ idx, capId: exported, args: { table: "orders", rows_per_second: 10 } });
  const parts = client.parts(callId);
  await parts.next();
  expect(await client.cancel(callId)).toBe("cancelling");
  let end = await parts.next();
  while (!end.done) end = await parts.next();
  expect(end.value).toMatchObject({ status: "failed", error: { code: "TRP_3005" } });
});

it("should run a graph of calls, of which one takes what another found", async () => {
  const client = open();
  const call = async (capId: string, callId: string, args: object) => ({
    idx: await idxOf(client, capId),
    capId,
    callId,
    args: args as never,
  });
  const graph = await client.dag([
    await call("cap.search.web.v1", "search", { query: "refund deadline", top_k: 1 }),
    await call("cap.fetch.doc.v1", "fetch", { document_id: { $from: "search", path: "/data/items/0/document_id" } }),
  ]);
  expect(graph.status).toBe("success");
  expect(graph.results[1]?.result?.summary).toContain("(refunds)");
});
