import { InMemoryTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, inputRequired, Server } from "@modelcontextprotocol/server";
import type { Question, QuestionAnswer, ToolCall } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { describe, expect, it } from "vitest";
import { Toolkit, toolkitExecutor } from "../../src/index.ts";
import type { McpClient, McpClientOptions } from "../../src/mcp/index.ts";
import { final, texts } from "../support.ts";
import { listed } from "./in-process.ts";
import { greeting, oldServer, rawServer, unknownMethod } from "./raw-http.ts";
import { clientOf, until } from "./support.ts";

const schema = {
  type: "object" as const,
  properties: { size: { type: "integer" as const }, colour: { type: "string" as const, default: "red" } },
  required: ["size"],
};
const form = { mode: "form" as const, message: "Which one?", requestedSchema: schema };
const sampling = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "Say hi" } }],
  maxTokens: 10,
};
const tools = ["form", "url", "sample", "roots", "endless", "slow"].map((name) => listed(name));

/** A server of the old kind, which asks in messages of its own. */
function old(options: Partial<McpClientOptions>): McpClient {
  const transport: McpClientOptions["transport"] = async () => {
    const server = new Server({ name: "old", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: tools as never }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const says = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });
      try {
        if (params.name === "form") return says(await server.elicitInput(form as never));
        if (params.name === "url") {
          return says(
            await server.elicitInput({ mode: "url", message: "Sign in", url: "https://x.test/", elicitationId: "1" }),
          );
        }
        if (params.name === "sample") return says(await server.createMessage(sampling as never));
        if (params.name === "slow") await new Promise((resolve) => setTimeout(resolve, 50));
        return says(params.name === "roots" ? await server.listRoots() : await server.elicitInput(form as never));
      } catch (error) {
        return { ...says((error as Error).message), isError: true };
      }
    });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs as never);
    return ours;
  };
  return clientOf({ name: "old", transport, ...options });
}

/** A server of 2026-07-28, which answers that it wants input. */
function modern(options: Partial<McpClientOptions>): McpClient {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "new", version: "1.0.0" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: tools as never }));
      server.setRequestHandler("tools/call", (({ params }: { params: { name: string } }, context: never) => {
        const { inputResponses } = (context as { mcpReq: { inputResponses?: Record<string, unknown> } }).mcpReq;
        if (params.name !== "endless" && inputResponses?.one !== undefined) {
          return { content: [{ type: "text", text: JSON.stringify(inputResponses.one) }] };
        }
        const ask = {
          form: () => inputRequired.elicit(form as never),
          url: () => inputRequired.elicitUrl({ message: "Sign in", url: "https://x.test/" }),
          sample: () => inputRequired.createMessage(sampling as never),
          roots: () => inputRequired.listRoots(),
        }[params.name as "form"];
        return inputRequired({ inputRequests: { one: (ask ?? (() => inputRequired.elicit(form as never)))() } });
      }) as never);
      return server;
    },
    { legacy: "reject" },
  );
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> =>
    await handler.fetch(new Request(url, init));
  return clientOf({ name: "new", transport: { type: "http", url: "http://new.test/mcp", fetch }, ...options });
}

async function kitOf(client: McpClient): Promise<Toolkit> {
  const kit = new Toolkit();
  await kit.registerMcpClient(client);
  return kit;
}

describe.each([
  ["a server of the old kind", old],
  ["a server of 2026-07-28", modern],
])("what %s asks", (_kind, serverOf) => {
  it("is answered by the function that the client was made with; the answer is completed and checked", async () => {
    const asked: Question[] = [];
    const answers: QuestionAnswer[] = [
      { action: "accept", content: { size: 3 } },
      { action: "accept", content: { size: "4", colour: "blue" } },
      { action: "accept", content: { size: "large" } },
      { action: "decline" },
      5 as never,
    ];
    const client = serverOf({
      elicitation: (question) => {
        asked.push(question);
        return answers[asked.length - 1] as QuestionAnswer;
      },
    });
    const kit = await kitOf(client);
    const said: string[][] = [];
    for (const _ of answers) said.push(texts([await final(kit, { name: "form" })]));
    const { name: server } = client;
    expect(asked[0]).toMatchObject({ kind: "elicitation", server, message: "Which one?", mode: "form", schema });
    expect(said.map(([text = ""]) => JSON.parse(text.split("\n")[0] ?? ""))).toEqual([
      { action: "accept", content: { size: 3, colour: "red" } },
      { action: "accept", content: { size: 4, colour: "blue" } },
      { action: "cancel" },
      { action: "decline" },
      { action: "cancel" },
    ]);
    expect(said[0]).toEqual(['{"action":"accept","content":{"size":3,"colour":"red"}}']);
    expect(said[2]?.[0]).toContain("did not fit what was asked for");
    expect(said[3]?.[0]).toContain('The server asked "Which one?". The answer was: decline.');
  });

  it("goes to the running agent, with its address and without content", async () => {
    const client = serverOf({ elicitation: "host" });
    const kit = await kitOf(client);
    const asked: unknown[] = [];
    const call = (id: string, name: string): ToolCall => ({ id, name, input: {}, protocol: "native" });
    const calls = [call("c1", "form"), call("c2", "url")];
    const context = executorContext({
      ask: async (question, about) => {
        asked.push({ ...question, ...about });
        return { action: "accept", content: { size: 1 } };
      },
    });
    const action = { kind: "calls" as const, calls, span: { start: 0, end: 0 } };
    const results = await toolkitExecutor(kit).execute(action, context);
    const { name: server } = client;
    expect(asked).toMatchObject([
      { kind: "elicitation", server, message: "Which one?", schema, callId: "c1", tool: "form" },
      { kind: "elicitation", server, mode: "url", url: "https://x.test/", callId: "c2", tool: "url" },
    ]);
    expect(results.map(({ content }) => content)).toEqual([
      [{ type: "text", text: '{"action":"accept","content":{"size":1,"colour":"red"}}' }],
      [{ type: "text", text: '{"action":"accept"}' }],
    ]);
  });

  it("is declined at once where nobody can be asked, and the result says so", async () => {
    const kit = await kitOf(serverOf({ elicitation: "host" }));
    const response = await final(kit, { name: "form" });
    const note = 'The server asked "Which one?". It was declined, because nobody can be asked.';
    expect(response).toMatchObject({ status: "ok", metadata: { warnings: [note] } });
    expect(texts([response])[0]).toBe(`{"action":"decline"}\n\n${note}`);
  });

  it("is not asked by a server that was not told that it may", async () => {
    const kit = await kitOf(serverOf({}));
    for (const name of ["form", "sample", "roots"]) {
      expect(await final(kit, { name }), name).toMatchObject({ status: "error" });
    }
  });

  it("may be a model's text: the answer goes through as it is", async () => {
    const content = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
    const asked: Question[] = [];
    const kit = await kitOf(
      serverOf({
        sampling: (question) => {
          asked.push(question);
          return asked.length === 1 ? { action: "accept", content } : { action: "decline" };
        },
      }),
    );
    expect(JSON.parse(texts([await final(kit, { name: "sample" })])[0] ?? "")).toEqual(content);
    expect(asked[0]).toMatchObject({ kind: "sampling", request: sampling });
    const declined = await final(kit, { name: "sample" });
    expect(declined.status).toBe("error");
    expect(texts([declined])[0]).toContain("The host declined to let a model answer.");
  });

  it("may be where the host's folders are", async () => {
    const roots = [{ uri: "file:///work", name: "work" }];
    for (const given of [roots, () => roots, async () => roots]) {
      const kit = await kitOf(serverOf({ roots: given }));
      expect(JSON.parse(texts([await final(kit, { name: "roots" })])[0] ?? "")).toEqual({ roots });
    }
  });

  it("counts to no time limit of the tool", async () => {
    const kit = new Toolkit();
    await kit.registerMcpClient(serverOf({ elicitation: "host" }), { timeoutMs: 400 });
    const context = executorContext({
      ask: async () => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        return { action: "accept", content: { size: 1 } };
      },
    });
    const calls = [{ id: "c", name: "form", input: {}, protocol: "native" }];
    const [result] = await toolkitExecutor(kit).execute({ kind: "calls", calls, span: { start: 0, end: 0 } }, context);
    expect(result?.status).toBe("ok");
  });
});

it("a server of 2026-07-28 may ask for input ten times", async () => {
  let asked = 0;
  const kit = await kitOf(
    modern({
      elicitation: () => {
        asked += 1;
        return { action: "accept", content: { size: 1 } };
      },
    }),
  );
  expect(await final(kit, { name: "endless" })).toMatchObject({
    error: { type: "McpError", message: expect.stringContaining("asked for input 10 times") },
  });
  expect(asked).toBe(10);
});

it("a server of the old kind that runs several calls gets no answer for one of them: it doesn't say which", async () => {
  const client = old({ elicitation: "host" });
  await client.connect();
  const asked: string[] = [];
  const call = (name: string) =>
    client.callTool(
      { name, arguments: {}, repeatable: true },
      {
        ask: async () => {
          asked.push(name);
          return { action: "accept", content: { size: 1 } };
        },
      },
    );
  const slow = call("slow");
  const form = await call("form");
  expect(form.content).toEqual([{ type: "text", text: '{"action":"decline"}' }]);
  expect(form.notes?.[0]).toContain("not clear for which call");
  // By now it is the only one.
  expect((await slow).content).toMatchObject([{ text: expect.stringContaining("accept") }]);
  expect(asked).toEqual(["slow"]);
});

it.each([
  ["of one person", "ada", "ada", "form slow"],
  ["of which one can be asked", "ada", undefined, "slow slow"],
])(
  "a server of the old kind that runs calls %s asks the newest of those that can be asked",
  async (_what, ...given) => {
    const [first, second, order] = given;
    const client = old({ elicitation: "host" });
    await client.connect();
    const asked: string[] = [];
    const call = (name: string, person: string | undefined) => {
      const ask = async (): Promise<QuestionAnswer> => {
        asked.push(name);
        return { action: "accept", content: { size: 1 } };
      };
      return client.callTool({ name, arguments: {}, repeatable: true }, person === undefined ? {} : { ask, person });
    };
    const results = await Promise.all([call("slow", first), call("form", second)]);
    for (const { content } of results) expect(content).toMatchObject([{ text: expect.stringContaining("accept") }]);
    expect(asked.join(" ")).toBe(order);
  },
);

it("a question of the old kind goes to the call on whose stream it came, whoever else runs one", async () => {
  const encoder = new TextEncoder();
  const streams = new Map<string, { id: unknown; write(message: object): void; end(): void }>();
  const server = rawServer((message) => {
    const { method, id, params, result } = message;
    if (method === "initialize") return greeting(message, "2025-11-25");
    if (method === "tools/call") {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const write = (sent: object): void =>
        void writer.write(encoder.encode(`data: ${JSON.stringify({ jsonrpc: "2.0", ...sent })}\n\n`));
      streams.set(params.name, { id, write, end: () => void writer.close() });
      return new Response(readable, { headers: { "content-type": "text/event-stream" } });
    }
    const asking = method === undefined && streams.get(String(id));
    if (asking) {
      asking.write({ id: asking.id, result: { content: [{ type: "text", text: JSON.stringify(result) }] } });
      asking.end();
    }
    return method === undefined || id === undefined ? undefined : unknownMethod;
  });
  const client = clientOf({ name: "raw", transport: server.transport, elicitation: "host" });
  await client.connect();
  const calls = ["ada", "bob"].map((person) =>
    client.callTool(
      { name: person, arguments: {}, repeatable: true },
      { person, ask: async () => ({ action: "accept", content: { size: person.length, colour: person } }) },
    ),
  );
  await until(() => streams.size === 2);
  for (const [name, { write }] of streams) write({ id: name, method: "elicitation/create", params: form });
  expect((await Promise.all(calls)).map(({ content }) => JSON.parse(String(Object(content?.[0]).text)))).toMatchObject([
    { content: { colour: "ada" } },
    { content: { colour: "bob" } },
  ]);
});

it.each<[string, Partial<McpClientOptions>, unknown]>([
  ["nothing", {}, {}],
  ["elicitation", { elicitation: "host" }, { elicitation: { form: {}, url: {} } }],
  ["sampling", { sampling: "host" }, { sampling: {} }],
  ["roots", { roots: [] }, { roots: {} }],
  ["what the host adds", { clientOptions: { capabilities: { experimental: { x: {} } } } }, { experimental: { x: {} } }],
])("a server is told that it may ask for %s, and for nothing else", async (_what, options, capabilities) => {
  const server = oldServer([listed("a")]);
  await clientOf({ name: "x", transport: server.transport, ...options }).connect();
  const told = server.messages.find(({ method }) => method === "initialize");
  expect(told?.params.capabilities).toEqual(capabilities);
});

it("what a server logs goes to whom asks for it", async () => {
  const entry = { level: "warning" as const, logger: "disk", data: { free: 1 } };
  const make = (): Server => {
    const server = new Server({ name: "log", version: "1" }, { capabilities: { tools: {}, logging: {} } });
    server.setRequestHandler("tools/list", async (_request, { mcpReq }) => {
      await mcpReq.log(entry.level, entry.data, entry.logger);
      return { tools: [] };
    });
    return server;
  };
  const handler = createMcpHandler(make, { legacy: "reject" });
  const transports: McpClientOptions["transport"][] = [
    async () => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await make().connect(theirs as never);
      return ours;
    },
    { type: "http", url: "http://log.test/", fetch: async (url, init) => await handler.fetch(new Request(url, init)) },
  ];
  for (const transport of transports) {
    const entries: unknown[] = [];
    const client = clientOf({ name: "log", transport, onLog: (given) => entries.push(given) });
    await client.listTools();
    await until(() => entries.length > 0);
    expect(entries).toEqual([entry]);
  }
});

it("a resource that is read for a call may have a question, too", async () => {
  const make = (): Server => {
    const server = new Server({ name: "memos", version: "1" }, { capabilities: { resources: {} } });
    server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      const answer = await server.elicitInput(form as never);
      return { contents: [{ uri, text: JSON.stringify(answer) }] };
    });
    return server;
  };
  const transport: McpClientOptions["transport"] = async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await make().connect(theirs as never);
    return ours;
  };
  const kit = await kitOf(clientOf({ name: "memos", transport, elicitation: "host" }));
  const calls = [
    { id: "c", name: "read_mcp_resource", input: { server: "memos", uri: "memo://1" }, protocol: "native" },
  ];
  const context = executorContext({ ask: async () => ({ action: "accept", content: { size: 2 } }) });
  const [result] = await toolkitExecutor(kit).execute({ kind: "calls", calls, span: { start: 0, end: 0 } }, context);
  expect(result?.content).toEqual([{ type: "text", text: '{"action":"accept","content":{"size":2,"colour":"red"}}' }]);
});
