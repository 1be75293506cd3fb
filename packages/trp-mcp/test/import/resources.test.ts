import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import type { McpClientOptions, McpProgress } from "@toolglot/toolkit/mcp";
import { expect, onTestFinished, test } from "vitest";
import { type CallExtras, importMcpServer } from "../../src/index.ts";
import { oddServer, reference, rig, until } from "./rig.ts";

const answer = {
  content: [{ type: "text", text: "over HTTP", _meta: { a: 1 } }],
  structuredContent: { n: 1 },
  _meta: { "vendor/x": [1] },
};

/** A server of the official kind behind a port. */
async function httpServer(): Promise<{ transport: McpClientOptions["transport"]; asked: unknown[] }> {
  const asked: unknown[] = [];
  const handler = createMcpHandler(() => {
    const capabilities = { tools: {}, resources: {}, prompts: {} };
    const server = new Server({ name: "official", version: "1.0.0" }, { capabilities });
    server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "do", title: "Do", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
    }));
    server.setRequestHandler("tools/call", ({ params }) => {
      asked.push(params);
      return answer as never;
    });
    server.setRequestHandler("resources/list", () => ({ resources: [{ uri: "memo://1", name: "one", size: 3 }] }));
    server.setRequestHandler("resources/read", ({ params }) => ({
      contents: [{ uri: params.uri, text: "abc", _meta: { "ui/x": true } }],
    }));
    server.setRequestHandler("prompts/list", () => ({ prompts: [{ name: "greet", title: "Greet" }] }));
    server.setRequestHandler("prompts/get", ({ params }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Hello ${params.arguments?.name}` } }],
    }));
    return server;
  });
  const handle = toNodeHandler(handler);
  const http = createServer((req, res) => void handle(req as never, res));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.closeAllConnections());
  onTestFinished(() => void http.close());
  const { port } = http.address() as AddressInfo;
  return { transport: { type: "http", url: `http://127.0.0.1:${port}/mcp` }, asked };
}

test.each(["2026-07-28", "2025-11-25"])("over HTTP, revision %s: answers come as they were sent", async (pin) => {
  const { transport, asked } = await httpServer();
  const { server, call, callCap, client } = await rig(transport, { client: { revision: { pin } } });
  await server.ready();
  expect(client.revision).toBe(pin);
  const { extras } = await call("do", { a: 1 }, { extras: { meta: { traceparent: "00-1" } } });
  expect(extras.result).toEqual(answer);
  expect(asked).toMatchObject([{ name: "do", arguments: { a: 1 } }]);
  const { offer } = server;
  expect(await offer.listResources()).toEqual([{ uri: "memo://1", name: "one", size: 3 }]);
  const read = await callCap(offer.resourceRead?.capId ?? "", { uri: "memo://1" });
  expect(read.extras.result).toMatchObject({ contents: [{ uri: "memo://1", text: "abc", _meta: { "ui/x": true } }] });
  expect(await offer.listPrompts()).toMatchObject([
    { server: "srv", prompt: "greet", shownName: "srv__greet", listed: { name: "srv__greet", title: "Greet" } },
  ]);
  const prompt = await callCap(offer.promptGet?.capId ?? "", { name: "greet", arguments: { name: "you" } });
  expect(prompt.extras.result).toMatchObject({
    messages: [{ role: "user", content: { type: "text", text: "Hello you" } }],
  });
});

test("resources and prompts of server-everything are read under policy, and audited", async () => {
  const { server, callCap, client, router } = await rig(reference("server-everything"));
  await server.ready();
  const { offer } = server;
  const [first] = await offer.listResources();
  expect(first?.uri).toEqual(expect.any(String));
  expect((await offer.listResourceTemplates()).length).toBeGreaterThan(0);
  expect(offer.resourceRead).toMatchObject({ capId: "cap.mcp.srv.resource_read.v1", io: "READ", risk: "LOW" });
  const uri = first?.uri as string;
  const read = await callCap("cap.mcp.srv.resource_read.v1", { uri });
  expect(read.extras.result).toEqual(await client.request("resources/read", { uri }));
  const prompts = await offer.listPrompts();
  const simple = prompts.find(({ prompt }) => prompt.startsWith("simple"));
  expect(simple?.shownName).toBe(`srv__${simple?.prompt}`);
  const got = await callCap("cap.mcp.srv.prompt_get.v1", { name: simple?.prompt as string });
  expect(got.extras.result).toEqual(await client.request("prompts/get", { name: simple?.prompt as string }));
  const rows = await router.audit.read();
  expect(rows.map(({ entry }) => entry.cap_id)).toEqual(
    expect.arrayContaining(["cap.mcp.srv.resource_read.v1", "cap.mcp.srv.prompt_get.v1"]),
  );
  const unknown = await callCap("cap.mcp.srv.resource_read.v1", { uri: "no://such" });
  expect(unknown.result).toMatchObject({ error: { code: "TRP_3002" } });
});

test("a server without resources and prompts offers none", async () => {
  const { server, router } = await rig(oddServer({}));
  await server.ready();
  expect(server.offer.resourceRead).toBeUndefined();
  expect(server.offer.promptGet).toBeUndefined();
  expect(await server.offer.listResources()).toEqual([]);
  expect(await server.offer.listPrompts()).toEqual([]);
  expect(router.registry.get("cap.mcp.srv.resource_read.v1")).toBeUndefined();
});

test("lists and reads pass fields and methods that nobody knows", async () => {
  const results = {
    "resources/list": { resources: [{ uri: "a:b", name: "b", unheard: 1 }, { name: "no address" }, null] },
    "resources/read": { contents: [{ uri: "a:b", text: "t", unheard: 2 }], _meta: { x: 1 }, more: [1] },
    "vendor/own": { any: { thing: [null] } },
  };
  const { server, callCap, client } = await rig(oddServer({ capabilities: { resources: {} }, results }));
  await server.ready();
  expect(await server.offer.listResources()).toEqual([{ uri: "a:b", name: "b", unheard: 1 }]);
  const { extras } = await callCap("cap.mcp.srv.resource_read.v1", { uri: "a:b" });
  expect(extras.result).toEqual(results["resources/read"]);
  expect(await client.request("vendor/own", { p: 1 })).toEqual(results["vendor/own"]);
});

test("progress and questions of a server reach the call that they belong to", async () => {
  const { server, call } = await rig(reference("server-everything"));
  await server.ready();
  const seen: McpProgress[] = [];
  const extras: CallExtras = { onProgress: (progress) => void seen.push(progress) };
  await call("trigger-long-running-operation", { duration: 0.4, steps: 2 }, { extras });
  expect(seen).toMatchObject([
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ]);
  const asked: unknown[] = [];
  const asking: CallExtras = {
    ask: async (question) => {
      asked.push(question);
      return { action: "decline" };
    },
  };
  const { result } = await call("trigger-elicitation-request", {}, { extras: asking });
  expect(result.status).toBe("success");
  expect(asked).toMatchObject([{ kind: "elicitation" }]);
});

test("two servers share a router, and a second one of the same name is told of and harms nobody", async () => {
  const one = await rig(oddServer({}));
  await one.server.ready();
  const { createMcpClient } = await import("@toolglot/toolkit/mcp");
  const { CallChannel } = await import("../../src/index.ts");
  const messages: string[] = [];
  const add = (name: string) =>
    importMcpServer(one.router, createMcpClient({ name, transport: oddServer({}), exact: true }), {
      name,
      channel: new CallChannel(),
      onNotice: ({ message }) => void messages.push(message),
    });
  const other = await add("other");
  const same = await add("srv");
  onTestFinished(() => other.close());
  await Promise.all([other.ready(), same.ready()]);
  expect(other.tools.map(({ capId }) => capId)).toEqual(["cap.mcp.other.do.v1"]);
  expect(same.tools).toEqual([]);
  expect(messages).toEqual([expect.stringContaining("is registered already")]);
  await same.close();
  await until(() => one.server.state().up);
  expect((await one.call("do")).result.status).toBe("success");
});
