import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ProtocolError } from "@modelcontextprotocol/server";
import type { McpStdioTransport } from "@toolglot/toolkit/mcp";
import { principal as makePrincipal, type PolicyRule } from "@toolglot/trp-core";
import { expect, it, onTestFinished } from "vitest";
import { answer, serve, tools } from "./fixtures/conformance-upstream.ts";
import { ask, clientAt, gateOf, inProcess, listening, newest, newestRequest, routed, until } from "./support.ts";

const eras = [newest, "2025-11-25"];

function everything(): McpStdioTransport {
  const path = new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url);
  return { type: "stdio", command: process.execPath, args: [fileURLToPath(path), "stdio"] };
}

/** The official client, at the server itself. */
async function direct({ command, args = [] }: McpStdioTransport): Promise<Client> {
  const client = new Client({ name: "direct", version: "1" });
  await client.connect(new StdioClientTransport({ command, args: [...args], stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
/** A result without what the gateway, and the newest revision, put into `_meta`. */
function plain(result: object): object {
  const { _meta, ...rest } = json(result) as { _meta?: Record<string, unknown> };
  const own = Object.entries(_meta ?? {}).filter(([key]) => !/^(?:toolglot|io\.modelcontextprotocol)\//.test(key));
  return own.length > 0 ? { ...rest, _meta: Object.fromEntries(own) } : rest;
}

it("gives a client what the server itself would have given, in both eras", async () => {
  const client = await direct(everything());
  const { servers, calls } = await routed({ every: everything() }, { repeat: "free" });
  const { gate } = gateOf(servers, { calls, face: "tools" });
  const at = await listening(gate);
  const [listed, resources, templates, prompts] = [
    // Those that need MCP's tasks can't be called without them.
    (await client.listTools()).tools.filter(({ execution }) => execution?.taskSupport !== "required"),
    (await client.listResources()).resources,
    (await client.listResourceTemplates()).resourceTemplates,
    (await client.listPrompts()).prompts,
  ];
  const asks: [string, Record<string, unknown>][] = [
    ["echo", { message: "hello" }],
    ["get-sum", { a: 2, b: 3 }],
    ["get-tiny-image", {}],
    ["get-structured-content", { location: "Chicago" }],
    ["get-annotated-message", { messageType: "error", includeImage: true }],
  ];
  for (const revision of eras) {
    const through = await clientAt(at, revision);
    const shown = (await through.listTools()).tools;
    for (const tool of listed) {
      // MCP's tasks are not for those behind the gateway.
      const { execution, ...expected } = json({ ...tool, name: `every__${tool.name}` }) as { execution?: unknown };
      const found = json(shown.find(({ name }) => name === `every__${tool.name}`) ?? tool.name);
      expect(found).toEqual(expected);
    }
    for (const [name, args] of asks) {
      const own = await client.callTool({ name, arguments: args });
      expect(own.isError).not.toBe(true);
      expect(plain(await through.callTool({ name: `every__${name}`, arguments: args }))).toEqual(plain(own));
    }
    expect(json((await through.listResources()).resources)).toEqual(json(resources));
    expect(json((await through.listResourceTemplates()).resourceTemplates)).toEqual(json(templates));
    const uri = resources[0]?.uri ?? "";
    expect((await through.readResource({ uri })).contents).toEqual((await client.readResource({ uri })).contents);
    const named = json(prompts.map((prompt) => ({ ...prompt, name: `every__${prompt.name}` })));
    expect(json((await through.listPrompts()).prompts)).toEqual(named);
    const prompt = await through.getPrompt({ name: `every__${prompts[0]?.name}` });
    expect(prompt.messages).toEqual((await client.getPrompt({ name: prompts[0]?.name ?? "" })).messages);
  }
});

const shop = (ran: string[]) => ({
  shop: inProcess("shop", [{ name: "refund" }], (name, args) => {
    ran.push(`${name} ${JSON.stringify(args)}`);
    return { content: [{ type: "text", text: `done ${ran.length}` }] };
  }),
});
const approve = [{ id: "ask", decision: "approve" as const }];

it.each(eras)("does once what was approved, and once more when a person says so again, in %s", async (revision) => {
  const ran: string[] = [];
  const { servers, calls } = await routed(shop(ran), { rules: approve });
  const { gate } = gateOf(servers, { calls });
  const client = await clientAt(await listening(gate), revision, { capabilities: { elicitation: { form: {} } } });
  const questions: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params.message);
    return { action: "accept", content: { decision: "approve" } };
  });
  const refund = () => client.callTool({ name: "shop__refund", arguments: { id: "o1" } });
  const first = await refund();
  expect(first).toMatchObject({ content: [{ text: "done 1" }], _meta: { "toolglot/outcome": { status: "done" } } });
  const again = await refund();
  expect(again).toMatchObject({ _meta: { "toolglot/outcome": { status: "replayed" } } });
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatch(/o1/);
  const { receipt } = Object(first._meta?.["toolglot/outcome"]) as { receipt: string };
  const repeated = await client.callTool({ name: "toolglot_again", arguments: { receipt } });
  expect(repeated).toMatchObject({ content: [{ text: "done 2" }], _meta: { "toolglot/outcome": { status: "done" } } });
  expect(questions).toHaveLength(2);
  const status = await client.callTool({ name: "toolglot_status", arguments: { receipt } });
  expect(status._meta?.["toolglot/outcome"]).toMatchObject({ receipt });
  expect(ran).toHaveLength(2);
});

it.each(eras)("waits for the page after the link was shown, in %s", async (revision) => {
  const ran: string[] = [];
  const { servers, calls, router } = await routed(shop(ran), { rules: approve });
  const { gate } = gateOf(servers, {
    calls: { ...calls, call: (one, context) => calls.call(one, { waitMs: 8_000, ...context }) },
  });
  const capabilities = { elicitation: { url: {} } };
  const client = await clientAt(await listening(gate), revision, { capabilities });
  const shown: unknown[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    shown.push(params);
    return { action: "accept" };
  });
  const answered = client.callTool({ name: "shop__refund", arguments: { id: "o1" } });
  await until(() => shown.length === 1);
  expect(shown[0]).toMatchObject({ mode: "url", url: expect.stringMatching(/^https:\/\/gate\.test\/approvals\//) });
  const id = decodeURIComponent((shown[0] as { url: string }).url.split("/").at(-1) ?? "");
  await router.approvals.approve(makePrincipal({ id: "boss", roles: ["approver"] }), id);
  expect(await answered).toMatchObject({ content: [{ text: "done 1" }] });
  expect(ran).toHaveLength(1);
});

it("says what is missing with the code for it, whether the server or a rule says so", async () => {
  const { servers, calls } = await routed(
    { suite: inProcess("suite", tools, answer, serve) },
    {
      rules: [
        { id: "no-prompts", decision: "deny", which: { capIds: ["cap.mcp.suite.prompt_get.*"] } },
        { id: "all", decision: "allow" },
      ],
    },
  );
  const { gate } = gateOf(servers, { calls, face: "tools" });
  const at = await listening(gate);
  for (const revision of eras) {
    const client = await clientAt(at, revision);
    await expect(client.readResource({ uri: "nowhere://1" })).rejects.toMatchObject({ code: -32602 });
    const { contents } = await client.readResource({ uri: "test://template/7/data" });
    expect(contents).toMatchObject([{ uri: "test://template/7/data", mimeType: "application/json" }]);
    await expect(client.getPrompt({ name: "suite__test_simple_prompt" })).rejects.toMatchObject({ code: -32602 });
  }
});

it("lets a call's question reach its client through the router, in both eras", async () => {
  const { servers, calls } = await routed({ suite: inProcess("suite", tools, answer, serve) }, { repeat: "free" });
  const { gate } = gateOf(servers, { calls, face: "tools" });
  const at = await listening(gate);
  for (const revision of eras) {
    const client = await clientAt(at, revision, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", () => ({
      action: "accept",
      content: { username: "anna", email: "a@b.c" },
    }));
    const result = await client.callTool({ name: "suite__test_elicitation", arguments: { message: "Who?" } });
    expect(result.content).toEqual([
      { type: "text", text: `User response: action: accept, content: {"username":"anna","email":"a@b.c"}` },
    ]);
  }
});

it("asks about reads as about calls, before and in the middle of them, in both eras", async () => {
  const reads: string[] = [];
  const transport = inProcess("book", [], answer, (server) => {
    server.registerCapabilities({ prompts: {}, resources: {} });
    server.setRequestHandler("prompts/list", () => ({ prompts: [{ name: "greet" }] }));
    server.setRequestHandler("prompts/get", async (_request, { mcpReq }) => {
      const params = { message: "Whom?", requestedSchema: { type: "object" as const, properties: {} } };
      const { action, content } = await mcpReq.send({ method: "elicitation/create", params });
      const text = `${action} ${content?.name}`;
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    });
    server.setRequestHandler("resources/list", () => ({ resources: [{ uri: "a://1", name: "one" }] }));
    server.setRequestHandler("resources/read", ({ params: { uri } }) => {
      reads.push(uri);
      return { contents: [{ uri, text: "read" }] };
    });
  });
  const rules: PolicyRule[] = [
    { id: "ask", decision: "approve", which: { capIds: ["cap.mcp.book.resource_read.*"] } },
    { id: "all", decision: "allow" },
  ];
  for (const revision of eras) {
    const { servers, calls } = await routed({ book: transport }, { rules });
    const { gate } = gateOf(servers, { calls });
    const client = await clientAt(await listening(gate), revision, { capabilities: { elicitation: { form: {} } } });
    const questions: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
      questions.push(message);
      const content: Record<string, string> = message === "Whom?" ? { name: "kim" } : { decision: "approve" };
      return { action: "accept", content };
    });
    const { messages } = await client.getPrompt({ name: "book__greet" });
    expect(messages[0]?.content).toEqual({ type: "text", text: "accept kim" });
    expect((await client.readResource({ uri: "a://1" })).contents).toEqual([{ uri: "a://1", text: "read" }]);
    expect(questions).toEqual(["Whom?", expect.stringContaining("a://1")]);
  }
  expect(reads).toEqual(["a://1", "a://1"]);
});

it.each([
  ["look", -32603, 'refused the call of the tool "look": The disk is full. Take another way, or call again later'],
  ["look", -32602, 'refused the call of the tool "look": The disk is full. It had no effect. Correct the call'],
  ["pay", -32603, 'refused the call of the tool "pay": The disk is full. The capability was started, and nobody knows'],
  ["pay", -32602, 'refused the call of the tool "pay": The disk is full. It had no effect. Correct the call'],
])("tells in the server's words why a call of %s ended with %i, and what to do", async (name, code, expected) => {
  const listed = [{ name: "look", annotations: { readOnlyHint: true } }, { name: "pay" }];
  const transport = inProcess("shop", listed, () => {
    throw new ProtocolError(code, "The disk is full.");
  });
  const { servers, calls } = await routed({ shop: transport });
  const { gate } = gateOf(servers, { calls });
  const { result } = await ask(
    gate,
    newestRequest("http://gate.test/mcp", "tools/call", { name: `shop__${name}`, arguments: {} }),
  );
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(expected) }] });
});
