import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolglot/core";
import type { AuditEntry } from "@toolglot/trp-core/store";
import { expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { receiver } from "../http/events/receiver.ts";
import { open, shopServer } from "./support.ts";

/** A server whose name is not a part of ids as it is. */
const server = "My Shop";

it("notes the newest head, and tells the webhook of it, of tools that changed and of what people decide, by true names", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-told-"));
  const to = await receiver();
  const told = (type: string) => to.got.map(({ json }) => json).filter((json) => json.type === type);
  const settings = {
    approvals: { waitMs: 0, webhook: { url: to.url, secret: "a key of the webhook" } },
    audit: { head: "head.json" },
    retention: { auditDays: 1 },
    servers: { [server]: { pin: "strict" } },
  };
  const run = async (shop: JsonObject, work: (client: Client) => Promise<unknown>): Promise<void> => {
    const { gateway, token } = await open({ [server]: shop }, settings, {}, folder);
    onTestFinished(() => gateway.close());
    await gateway.settled();
    const { url } = await gateway.listen();
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    await work(client);
    await client.close();
    await gateway.close();
  };
  const names: string[] = [];
  const receipts: string[] = [];
  const call = (client: Client, tool: string, id: string) => {
    const name = names.find((one) => one.endsWith(`__${tool}`)) as string;
    return client.callTool({ name, arguments: { id } });
  };
  await run(shopServer(folder), async (client) => {
    names.push(...(await client.listTools()).tools.map(({ name }) => name));
    for (const answer of [await call(client, "refund", "1"), await call(client, "add_note", "lost")])
      receipts.push((answer._meta?.["toolglot/outcome"] as { receipt: string } | undefined)?.receipt ?? "");
    await vi.waitFor(() => expect(told("operation.in_doubt")).toHaveLength(1), { timeout: 20_000 });
  });
  expect(told("approval.requested")).toMatchObject([
    { server, tool: "refund", summary: expect.stringContaining(`${server} › refund`) },
  ]);
  expect(told("operation.in_doubt")).toMatchObject([
    { server, tool: "add_note", summary: expect.stringContaining(`${server} › add_note`) },
  ]);

  const store = await openStore(`sqlite:${join(folder, "gateway.db")}`);
  onTestFinished(() => store.close());
  const { row } = await store.audit.head();
  expect(JSON.parse(readFileSync(join(folder, "head.json"), "utf8"))).toMatchObject({ ...row });
  expect(told("audit.head").at(-1)).toMatchObject({ ...row });
  expect(told("upstream.changed")).toEqual([]);

  await run({ ...shopServer(folder), env: { SHOP_WORDS: "Refunds all orders." } }, async () => {});
  const changes = told("upstream.changed");
  expect(changes.map(({ kind }) => kind).sort()).toEqual(["changed", "held-back"]);
  for (const change of changes) expect(change).toMatchObject({ server, tool: "refund" });

  // The same by true names in the audit log, with the program that called and the receipts that it got.
  const rows = (await store.audit.read()).map(({ entry }) => entry as AuditEntry & Record<string, string>);
  expect(new Set(rows.map(({ mcp_server }) => mcp_server))).toEqual(new Set([server]));
  const shown = rows.map(({ kind, mcp_tool, client, receipt }) => [kind, mcp_tool, client, receipt?.split("/")[0]]);
  const refund = `cap.mcp.${server}.refund.v1`.replace(server, rows[0]?.cap_id.split(".")[2] ?? "");
  const note = refund.replace("refund", "add_note");
  expect(shown).toEqual([
    ["outcome", "refund", "test/1", refund],
    ["decision", "add_note", "test/1", note],
    ["outcome", "add_note", "test/1", note],
    ["change", "refund", undefined, undefined],
  ]);
  expect(rows.slice(0, 3).map(({ receipt }) => receipt)).toEqual([receipts[0], receipts[1], receipts[1]]);
});
