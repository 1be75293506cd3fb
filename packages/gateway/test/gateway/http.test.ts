import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { principal } from "@toolglot/trp-core";
import { afterEach, describe, expect, it } from "vitest";
import { type Opened, officialServer, open, shopServer } from "./support.ts";

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function gateway(...given: Parameters<typeof open>): Promise<Opened> {
  const opened = await open(...given);
  ended.push(() => opened.gateway.close());
  return opened;
}

async function connect(
  url: string,
  token: string,
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, options);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  ended.push(() => client.close());
  return client;
}

const modern = { versionNegotiation: { mode: "auto" } } as const;
const elicitation = { capabilities: { elicitation: { form: {} } } };
const done = (folder: string): string =>
  existsSync(join(folder, "done.txt")) ? readFileSync(join(folder, "done.txt"), "utf8") : "";

describe.each([
  ["2025-11-25", {}],
  ["2026-07-28", modern],
] as const)("a client of %s", (_, era) => {
  it("reads through the gateway as it does directly", async () => {
    const { gateway: one, token } = await gateway({ all: officialServer("server-everything") });
    const { url } = await one.listen();
    const client = await connect(url, token, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("all__echo");
    const echoed = await client.callTool({ name: "all__echo", arguments: { message: "hello" } });
    expect(echoed.content).toEqual([{ type: "text", text: "Echo: hello" }]);
    expect(echoed._meta?.["toolglot/outcome"]).toMatchObject({ status: "done", dispatched: true });
  });

  it("is asked about what is HIGH, and it is done once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolglot-shop-"));
    const { gateway: one, token } = await gateway({ shop: shopServer(folder) }, {}, {}, folder);
    const { url } = await one.listen();
    const client = await connect(url, token, { ...era, ...elicitation });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: asked.length === 1 ? "deny" : "approve" } };
    });
    const refund = (id: string) => client.callTool({ name: "shop__refund", arguments: { id } });
    const denied = await refund("1");
    expect(denied._meta?.["toolglot/outcome"]).toMatchObject({ status: "refused", code: "TRP_4001" });
    expect((await refund("2"))._meta?.["toolglot/outcome"]).toMatchObject({ status: "done" });
    expect((await refund("2"))._meta?.["toolglot/outcome"]).toMatchObject({ status: "replayed" });
    expect(asked[1]).toContain('"/id" = "2"');
    expect(done(folder)).toBe("refund 2\n");
  });
});

describe("a gateway over HTTP", () => {
  it("asks nobody at the client where a rule wants the page", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolglot-shop-"));
    const rules = [{ id: "boss", decision: "approve", via: "page", which: { families: ["cap.mcp.shop.add_note"] } }];
    const settings = { policy: { version: "1", rules } };
    const { gateway: one, token } = await gateway({ shop: shopServer(folder) }, settings, {}, folder);
    const { url } = await one.listen();
    const client = await connect(url, token, elicitation);
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: "approve" } };
    });
    const noted = client.callTool({ name: "shop__add_note", arguments: { id: "1" } });
    const boss = principal({ id: "ada", roles: ["approver"] });
    await expect.poll(async () => (await one.router.approvals.list(boss)).length, { timeout: 30_000 }).toBe(1);
    const [request] = await one.router.approvals.list(boss);
    await one.router.approvals.approve(boss, request?.id ?? "");
    expect((await noted)._meta?.["toolglot/outcome"]).toMatchObject({ status: "done" });
    expect(asked).toEqual([]);
  });

  it("never does again what may have happened, under any id, after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolglot-shop-"));
    const note = { name: "shop__add_note", arguments: { id: "lost" } };
    for (let time = 0; time < 2; time++) {
      const { gateway: one, token } = await gateway({ shop: shopServer(folder) }, {}, {}, folder);
      const { url } = await one.listen();
      const client = await connect(url, token);
      for (let again = 0; again < 2; again++) {
        const answer = await client.callTool(note);
        expect(answer.isError).toBe(true);
        expect(answer._meta?.["toolglot/outcome"]).toMatchObject({ status: "unknown", code: "TRP_3004" });
      }
      await one.close();
    }
    expect(done(folder)).toBe("add_note lost\n");
  });

  it("keeps what waits for an approval as a task, over a restart, and does it once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolglot-shop-"));
    const capabilities = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };
    /** Sends a request of 2026-07-28: the official client takes no tasks. */
    const send = async ({ gateway: one, token }: Opened, method: string, params: Record<string, unknown>) => {
      const { url } = await one.listen();
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      };
      const response = await fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          "mcp-name": String(params.name ?? params.taskId),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
      });
      return ((await response.json()) as { result: Record<string, unknown> }).result;
    };
    const first = await gateway({ shop: shopServer(folder) }, {}, {}, folder);
    const task = await send(first, "tools/call", { name: "shop__refund", arguments: { id: "7" } });
    expect(task).toMatchObject({ resultType: "task", status: "input_required" });
    await first.gateway.close();
    const second = await gateway({ shop: shopServer(folder) }, {}, {}, folder);
    const { taskId } = task;
    const { inputRequests = {} } = await send(second, "tasks/get", { taskId });
    const [key = ""] = Object.keys(inputRequests as object);
    expect(inputRequests).toMatchObject({ [key]: { params: { message: expect.stringContaining('"/id" = "7"') } } });
    const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
    await send(second, "tasks/update", { taskId, inputResponses });
    await expect
      .poll(() => send(second, "tasks/get", { taskId }), { timeout: 10_000 })
      .toMatchObject({ status: "completed", result: { _meta: { "toolglot/outcome": { status: "done" } } } });
    expect(done(folder)).toBe("refund 7\n");
  });

  it("lets nobody in without a token, and no one any more whose token was revoked", async () => {
    const { gateway: one, token, folder } = await gateway({});
    const { url } = await one.listen();
    const post = (authorization?: string) =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...(authorization && { authorization }) },
        body: "{}",
      });
    expect((await post()).status).toBe(401);
    expect((await post("Bearer tg1_aaaaaaaa_x")).status).toBe(401);
    expect((await post(`Bearer ${token}`)).status).not.toBe(401);
    const { openTokens } = await import("../../src/index.ts");
    const tokens = await openTokens(join(folder, "tokens.json"));
    await tokens.revoke((await tokens.list())[0]?.id ?? "");
    tokens.close();
    await expect.poll(async () => (await post(`Bearer ${token}`)).status, { timeout: 5_000 }).toBe(401);
  });

  it("says that it is ready, and counts by server and tool", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolglot-shop-"));
    const { gateway: one, token, approver } = await gateway({ shop: shopServer(folder) }, {}, {}, folder);
    const { url } = await one.listen();
    const client = await connect(url, token);
    await client.callTool({ name: "shop__read_order", arguments: { id: "1" } });
    const at = (path: string) => fetch(new URL(path, url), { headers: { authorization: `Bearer ${approver}` } });
    expect(await (await at("/readyz")).json()).toMatchObject({ ready: true });
    const metrics = await (await at("/metrics")).text();
    expect(metrics).toMatch(/toolglot_gateway_calls_total\{server="shop",tool="read_order",status="done",code=""\} 1/);
    expect(metrics).toMatch(/toolglot_gateway_upstream_up\{server="shop"\} 1/);
  });
});
