import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { judgeMcp, settleOnce } from "@toolglot/core/once";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { onceHandler } from "../../src/mcp/index.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Result = {
  content: { type: "text"; text: string }[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
};
const text = (value: string): Result => ({ content: [{ type: "text", text: value }] });
const setup = (): { log: MemoryOperationLog; scope: string; allowVolatile: true } => ({
  ...{ log: new MemoryOperationLog(), scope: "shop/pay" },
  allowVolatile: true,
});
const inputSchema = z.object({ n: z.number() });

/** A client of a server in this process. */
async function connected(register: (server: McpServer) => void): Promise<Client> {
  const server = new McpServer({ name: "here", version: "1.0.0" });
  register(server);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: "me", version: "1.0.0" });
  await client.connect(ours);
  ends.push(() => client.close());
  return client;
}

describe("onceHandler", () => {
  it("should do a request once that a client sends again under another id", async () => {
    let paid = 0;
    const pay = async ({ n }: { n: number }): Promise<Result> => ({
      ...text(`paid ${n}, ${++paid}`),
      structuredContent: { n },
    });
    const client = await connected((server) =>
      server.registerTool("pay", { inputSchema, outputSchema: z.object({ n: z.number() }) }, onceHandler(pay, setup())),
    );
    const call = { name: "pay", arguments: { n: 5 } };
    const results = await Promise.all([client.callTool(call), client.callTool(call)]);
    results.push(await client.callTool(call));
    for (const { content, structuredContent } of results)
      expect([content, structuredContent]).toEqual([[{ type: "text", text: "paid 5, 1" }], { n: 5 }]);
    expect(await client.callTool({ name: "pay", arguments: { n: 6 } })).toMatchObject(text("paid 6, 2"));
  });

  it("should do so for a tool without arguments, and keep an error that is a result", async () => {
    let runs = 0;
    const handler = onceHandler(async () => ({ ...text(`no: ${++runs}`), isError: true }), setup());
    const client = await connected((server) => server.registerTool("pay", {}, handler));
    for (let time = 0; time < 2; time++)
      expect(await client.callTool({ name: "pay" })).toMatchObject({ isError: true, content: text("no: 1").content });
  });

  it("should tell a client of a doubt who can settle it, and run what is judged to have failed again", async () => {
    const once = setup();
    let runs = 0;
    const fail = async (): Promise<Result> => {
      runs += 1;
      throw new Error("down");
    };
    const client = await connected((server) => {
      server.registerTool("pay", { inputSchema }, onceHandler(fail, once));
      server.registerTool(
        "try",
        { inputSchema },
        onceHandler(fail, { ...once, scope: "shop/try", judge: () => "failed" }),
      );
    });
    const call = { name: "pay", arguments: { n: 5 } };
    for (let time = 0; time < 2; time++) {
      const { isError, content } = await client.callTool(call);
      const [block] = content as Result["content"];
      expect([isError, block?.text]).toEqual([
        true,
        expect.stringMatching(/Nobody knows .*settleOnce, scope "shop\/pay"/),
      ]);
    }
    expect(runs).toBe(1);
    const [block] = (await client.callTool(call)).content as Result["content"];
    const key = /key "(.*?)"/.exec(block?.text ?? "")?.[1] ?? "";
    await settleOnce(once.log, { scope: "shop/pay", key }, { happened: true, value: text("paid") as never }, "ann");
    expect(await client.callTool(call)).toMatchObject(text("paid"));
    runs = 0;
    for (let time = 0; time < 2; time++)
      expect(await client.callTool({ ...call, name: "try" })).toMatchObject({
        isError: true,
        content: text("down").content,
      });
    expect(runs).toBe(2);
  });

  it("should take what each request says for whose and which it is", async () => {
    let runs = 0;
    const handler = onceHandler(
      async (_: { n: number }, __: { sessionId?: string; who: string }) => text(`${++runs}`),
      {
        ...setup(),
        scope: (_, { who }) => `${who}/pay`,
        key: ({ n }) => `order ${n % 10}`,
      },
    );
    expect(await handler({ n: 1 }, { who: "ann" })).toEqual(text("1"));
    expect(await handler({ n: 1 }, { who: "bob" })).toEqual(text("2"));
    expect(await handler({ n: 1 }, { who: "ann" })).toEqual(text("1"));
    await expect(handler({ n: 11 }, { who: "ann" })).rejects.toThrow(/same key/);
  });

  it("should take a call that asks for input for none yet", async () => {
    let runs = 0;
    const handler = onceHandler(async ({ n }: { n: number }, context: { answered?: boolean }) => {
      runs += 1;
      const asked = inputRequired.elicit({ message: "Sure?", requestedSchema: { type: "object", properties: {} } });
      return context.answered ? text(`paid ${n}`) : inputRequired({ inputRequests: { sure: asked } });
    }, setup());
    expect(await handler({ n: 1 }, {})).toMatchObject({ resultType: "input_required" });
    expect(await handler({ n: 1 }, { answered: true })).toEqual(text("paid 1"));
    expect(await handler({ n: 1 }, { answered: true })).toEqual(text("paid 1"));
    expect(runs).toBe(2);
  });

  it("should be in doubt after a cancellation, whichever version of the SDK says so", async () => {
    for (const contextOf of [
      (signal: AbortSignal) => ({ signal }),
      (signal: AbortSignal) => ({ mcpReq: { signal } }),
    ]) {
      const stop = new AbortController();
      const handler = onceHandler(
        async (_: { n: number }, __: object): Promise<Result> => {
          stop.abort();
          throw new Error("cancelled");
        },
        { ...setup(), judge: () => "failed" },
      );
      await expect(handler({ n: 1 }, contextOf(stop.signal))).rejects.toThrow(/Nobody knows/);
    }
  });

  it("should work behind HTTP in the newest revision", async () => {
    let runs = 0;
    const once = setup();
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: "here", version: "1.0.0" });
      server.registerTool(
        "pay",
        { inputSchema },
        onceHandler(async () => text(`paid ${++runs}`), once),
      );
      return server;
    });
    const body = (id: number): string =>
      JSON.stringify({
        ...{ jsonrpc: "2.0", id, method: "tools/call" },
        params: {
          ...{ name: "pay", arguments: { n: 1 } },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "me", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      });
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "pay",
    };
    const answers: string[] = [];
    for (const id of [1, 2]) {
      const response = await handler.fetch(new Request("http://x.test/", { method: "POST", headers, body: body(id) }));
      answers.push(await response.text());
    }
    for (const answer of answers) expect(answer).toContain("paid 1");
    expect(runs).toBe(1);
  });

  it.each<[string, unknown, unknown]>([
    ["handler", undefined, setup()],
    ["needs a log", async () => text(""), { scope: "a" }],
    ["no option", async () => text(""), { ...setup(), tool: "pay" }],
  ])("should refuse a mistake: %s", (message, handler, options) => {
    expect(() => onceHandler(handler as never, options as never)).toThrow(message);
  });
});

describe("judgeMcp", () => {
  it("should judge what the official client throws", async () => {
    let began = (): void => {};
    const client = await connected((server) => {
      server.registerTool("pay", { inputSchema }, async () => text("paid"));
      server.registerTool("slow", {}, () => {
        began();
        return new Promise<Result>(() => {});
      });
    });
    const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => "nothing",
        (error: unknown) => error,
      );
    const judged = async (work: Promise<unknown>): Promise<string> => judgeMcp(await thrownBy(work));
    expect(await judged(client.request({ method: "tools/call", params: {} } as never))).toBe("not-applied");
    expect(await judged(client.request({ method: "tools/none" } as never, z.object({}) as never))).toBe("not-applied");
    expect(await judged(client.callTool({ name: "slow" }, { timeout: 20 }))).toBe("unknown");
    const running = new Promise<void>((resolve) => {
      began = resolve;
    });
    const waiting = judged(client.callTool({ name: "slow" }));
    await running;
    await client.close();
    expect(await waiting).toBe("unknown");
    expect(await judged(client.callTool({ name: "pay", arguments: { n: 1 } }))).toBe("not-applied");
    expect(await judged(new Client({ name: "me", version: "1" }).callTool({ name: "pay" }))).toBe("not-applied");
  });
});
