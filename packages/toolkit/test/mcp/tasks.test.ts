import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { isObject } from "@toolglot/internal";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { McpClientOptions, McpTask } from "../../src/mcp/index.ts";
import { listed } from "./in-process.ts";
import { clientOf } from "./support.ts";

// biome-ignore lint/suspicious/noExplicitAny: whatever a server may send
type Any = any;
type Params = Record<string, Any>;

const call = { name: "slow", arguments: {}, repeatable: false };
const task = { resultType: "task", taskId: "t1", status: "working", ttlMs: 60_000, pollIntervalMs: 1 };
const working = { result: { ...task, resultType: "complete" } };
const completed = (text: string) => ({ status: "completed", result: { content: [{ type: "text", text }] } });

/** A server of the official SDK, whose calls and tasks are answered as a test says: `Response`, result or error, one after another. */
function making(answers: Record<string, readonly Any[]>, options: Partial<McpClientOptions> = {}) {
  const sent: { method: string; params: Params }[] = [];
  const left = new Map(Object.entries(answers).map(([method, all]) => [method, [...all]]));
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "slow", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: [listed("slow")] as never }));
    return server;
  });
  const client = clientOf({
    name: "slow",
    tasks: true,
    exact: true,
    transport: {
      type: "http",
      url: "http://slow.test/mcp",
      fetch: async (url, init) => {
        const body = typeof init?.body === "string" ? JSON.parse(init.body) : {};
        const all = left.get(body.method);
        if (all === undefined) return handler.fetch(new Request(url, init));
        sent.push(body);
        const answer = all.length > 1 ? all.shift() : all[0];
        if (answer instanceof Error) throw answer;
        return Response.json({ jsonrpc: "2.0", id: body.id, ...answer });
      },
    },
    ...options,
  });
  return { client, sent, methods: () => sent.map(({ method }) => method) };
}

it("follows a task to its end, over a server that is away for a moment, and declares that it does", async () => {
  const away = Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
  const { client, sent, methods } = making({
    "tools/call": [{ result: task }],
    "tasks/get": [working, away, away, away, { result: { ...task, ...completed("done"), resultType: "complete" } }],
  });
  const seen: McpTask[] = [];
  const result = await client.callTool(call, { onTask: (one) => void seen.push(one) });
  expect(result).toEqual({ content: [{ type: "text", text: "done" }] });
  expect(seen).toEqual([{ taskId: "t1", ttlMs: 60_000, pollIntervalMs: 1 }]);
  expect(methods().filter((method) => method === "tools/call")).toHaveLength(1);
  const declared = sent[0]?.params._meta["io.modelcontextprotocol/clientCapabilities"];
  expect(declared.extensions).toEqual({ "io.modelcontextprotocol/tasks": {} });
});

it("goes on with a task that another process began", async () => {
  const { client, methods } = making({
    "tasks/get": [{ result: { ...task, ...completed("late"), resultType: "complete" } }],
  });
  expect(await client.followTask({ taskId: "t1", ttlMs: null }, call)).toMatchObject({ content: [{ text: "late" }] });
  expect(methods()).toEqual(["tasks/get"]);
});

it("answers what a task asks, each once", async () => {
  const params = { message: "Which?", requestedSchema: { type: "object", properties: { which: { type: "string" } } } };
  const asks = {
    ...working.result,
    status: "input_required",
    inputRequests: { q: { method: "elicitation/create", params } },
  };
  const { client, sent } = making(
    {
      "tools/call": [{ result: task }],
      "tasks/get": [
        { result: asks },
        { result: asks },
        { result: { ...task, ...completed("ok"), resultType: "complete" } },
      ],
      "tasks/update": [{ result: { resultType: "complete" } }],
    },
    { elicitation: "host" },
  );
  const asked: unknown[] = [];
  await client.callTool(call, {
    ask: async (question) => {
      asked.push(question.message);
      return { action: "accept", content: { which: "this" } };
    },
  });
  expect(asked).toEqual(["Which?"]);
  const updates = sent.filter(({ method }) => method === "tasks/update");
  expect(updates.map(({ params: { taskId, inputResponses } }) => [taskId, inputResponses])).toEqual([
    ["t1", { q: { action: "accept", content: { which: "this" } } }],
  ]);
});

it("has the server cancel a task that nobody wants any more, and takes what it says then", async () => {
  const { client, methods } = making({
    "tools/call": [{ result: task }],
    "tasks/get": [working, { result: { ...task, ...completed("in time"), resultType: "complete" } }],
    "tasks/cancel": [{ result: { resultType: "complete" } }],
  });
  const ending = new AbortController();
  const result = await client.callTool(call, { signal: ending.signal, onTask: () => ending.abort() });
  expect(result).toMatchObject({ content: [{ text: "in time" }] });
  expect(methods()).toEqual(["tools/call", "tasks/cancel", "tasks/get", "tasks/get"]);
});

it.each([
  ["failed", { error: { code: -32602, message: "no such order" } }, { type: "McpError", code: -32602 }],
  ["failed", {}, { type: "McpError", code: -32603 }],
  ["cancelled", {}, { type: "InDoubt" }],
  ["completed", { result: "nothing" }, { type: "InDoubt" }],
])("tells what is known of a task that %s", async (status, more, data) => {
  const ended = { result: { ...task, resultType: "complete", status, ...more } };
  const { client } = making({ "tools/call": [{ result: task }], "tasks/get": [ended] });
  await expect(client.callTool(call)).rejects.toMatchObject({ data });
});

it("is in doubt about a task that its server does not know", async () => {
  const unknown = { error: { code: -32602, message: "Task not found" } };
  const { client } = making({ "tools/call": [{ result: task }], "tasks/get": [unknown] });
  await expect(client.callTool(call)).rejects.toMatchObject({ data: { type: "InDoubt" } });
});

it("ends whatever a server says of its task", async () => {
  const said = fc.oneof(
    fc.record({ result: fc.object({ maxDepth: 2 }).map((more) => ({ resultType: "complete", ...more })) }),
    fc.record({
      result: fc.record({
        resultType: fc.constant("complete"),
        status: fc.constantFrom("working", "input_required", "failed", "odd", 5),
        inputRequests: fc.anything(),
        pollIntervalMs: fc.anything(),
        error: fc.anything(),
      }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(said, { maxLength: 2 }), async (all) => {
      const answers = JSON.parse(JSON.stringify(all)) as Any[];
      for (const { result } of answers) if (isObject(result)) result.pollIntervalMs = 1;
      const end = { result: { ...task, ...completed("end"), resultType: "complete" } };
      const { client } = making({
        "tools/call": [{ result: task }],
        "tasks/get": [...answers, end],
        "tasks/update": [{ result: { resultType: "complete" } }],
        "tasks/cancel": [{ result: { resultType: "complete" } }],
      });
      const ended = await client.callTool(call).then(
        ({ content }) => content,
        ({ data }) => data.type,
      );
      expect([[{ type: "text", text: "end" }], "McpError", "InDoubt"]).toContainEqual(ended);
      await client.close();
    }),
    { numRuns: 20 },
  );
});
