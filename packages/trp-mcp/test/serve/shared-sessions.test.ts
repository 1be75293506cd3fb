import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import type { McpGate, SessionLimits } from "../../src/index.ts";
import { anything } from "../../src/serve/asking.ts";
import { ask, gateOf, newest, newestRequest, principal, until, upstream } from "./support.ts";

const revision = "2025-11-25";
const url = new URL("http://gate.test/mcp");

/** Gates on one store, before a server each. Each request goes where `turn` points to; by default to the next one. */
async function gates(count: number, limits?: SessionLimits) {
  const store = await storeUnderTest();
  const running: string[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const all = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const tools = [
        { name: "where" },
        { name: "refund", approval: "ask" as const },
        { name: "slow" },
        { name: "confirm" },
      ];
      const shop = await upstream("shop", tools, async (name, _args, { mcpReq }) => {
        if (name === "slow") {
          running.push(`began at ${at}`);
          mcpReq.signal.addEventListener("abort", () => running.push(`cancelled at ${at}`));
          await Promise.race([held, new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve))]);
        }
        if (name === "confirm") {
          running.push(`confirm at ${at}`);
          const said: unknown[] = [];
          for (const message of ["one", "two"]) {
            const params = { message, requestedSchema: { type: "object", properties: { said: { type: "string" } } } };
            const answer = await mcpReq.send({ method: "elicitation/create", params }, anything);
            said.push((answer as { content?: { said: string } }).content?.said);
          }
          return { content: [{ type: "text", text: JSON.stringify(said) }] };
        }
        return { content: [{ type: "text", text: `${name} at ${at}` }] };
      });
      return { shop, ...gateOf([shop], { store, ...(limits && { limits }) }) };
    }),
  );
  const turn = { of: undefined as number | undefined, next: 0 };
  const fetchFrom =
    (id: string) =>
    async (input: URL | string, init?: RequestInit): Promise<Response> => {
      const place = turn.of ?? turn.next++ % count;
      const request = new Request(input, init);
      return at(all, place, request, id);
    };
  const connect = async (options: ClientOptions = {}, id = "anna") => {
    const client = new Client(
      { name: "tester", version: "2.0.0" },
      { supportedProtocolVersions: [revision], ...options },
    );
    const transport = new StreamableHTTPClientTransport(url, { fetch: fetchFrom(id) });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return { client, transport };
  };
  return { all, store, turn, connect, running, release };
}

function confirmation(more: object = {}): Request {
  const capabilities = { elicitation: { form: {} } };
  return newestRequest(url.href, "tools/call", { name: "shop__confirm", arguments: {}, ...more }, { capabilities });
}

/** Sends a request to one of them. */
function at(all: readonly { gate: McpGate }[], place: number, request: Request, id = "anna"): Promise<Response> {
  const { gate } = all[place] as { gate: McpGate };
  return gate.fetch(request, { principal: principal(id), credential: id });
}

function raw(method: "GET" | "POST", session: string | undefined, message: object = { method: "ping" }): Request {
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 9, ...message });
  return new Request(url, { method, headers, ...(method === "POST" && { body }) });
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const textOf = (result: { content?: unknown }): string => (result.content as { text: string }[])[0]?.text ?? "";

it("serves each request of a session at whichever gate it comes to", async () => {
  const { connect, all, turn } = await gates(3);
  const { client } = await connect();
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("shop__where");
  const places = [];
  for (const place of [0, 1, 2, 0, 1, 2]) {
    turn.of = place;
    places.push(textOf(await client.callTool({ name: "shop__where", arguments: {} })));
  }
  expect(places).toEqual([0, 1, 2, 0, 1, 2].map((place) => `where at ${place}`));
  expect(all.flatMap(({ errors }) => errors)).toEqual([]);
  expect(all.map(({ gate }) => gate.sessions)).toEqual([1, 1, 1]);
});

it("goes on at another gate when one is closed", async () => {
  const { connect, all, turn } = await gates(2);
  turn.of = 0;
  const { client } = await connect();
  await all[0]?.gate.close();
  turn.of = 1;
  expect(textOf(await client.callTool({ name: "shop__where", arguments: {} }))).toBe("where at 1");
});

it("takes the client's answer to the gate that asked, and knows what the client can do at each", async () => {
  const { connect, all, turn } = await gates(2);
  const { client, transport } = await connect({ capabilities: { elicitation: { form: {} } } });
  const seen: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    seen.push(params.message);
    // The answer goes elsewhere than the question came from.
    turn.of = 1;
    return { action: "accept", content: { decision: "approve" } };
  });
  // At a gate that did not begin the session, while other requests go on there.
  turn.of = 0;
  const busy = setInterval(
    () => void all[0]?.gate.fetch(raw("POST", transport.sessionId), { principal: principal("anna") }),
    50,
  );
  onTestFinished(() => clearInterval(busy));
  const result = await client.callTool({ name: "shop__refund", arguments: { id: 1 } });
  expect(textOf(result)).toBe("refund at 0");
  expect(seen).toEqual(["Run cap.mcp.shop.refund.v1?"]);
  expect(all[0]?.calls.decided).toEqual([{ id: "appr_1", decision: "approve" }]);
  // Both ask at the same time, under ids that differ.
  turn.of = undefined;
  const both = await Promise.all([2, 3].map((id) => client.callTool({ name: "shop__refund", arguments: { id } })));
  expect(both.map(textOf).sort()).toEqual(["refund at 0", "refund at 1"]);
});

it("takes an answer in 2026-07-28 to the call that asked, whichever gate gets it, and brings its result back", async () => {
  const { connect, turn, all, running } = await gates(2);
  turn.of = 0;
  const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: newest } } };
  const { client } = await connect(options);
  client.setRequestHandler("elicitation/create", ({ params }) => {
    // Another gate each time.
    turn.of = 1 - (turn.of ?? 0);
    return { action: "accept", content: { said: `yes to ${params.message}` } };
  });
  const { content } = await client.callTool({ name: "shop__confirm", arguments: {} });
  expect(content).toEqual([{ type: "text", text: '["yes to one","yes to two"]' }]);
  // It was one call.
  expect(running).toEqual(["confirm at 0"]);
  expect(all.map(({ calls }) => calls.ran.length)).toEqual([1, 0]);
  // A call that nobody has any more begins anew.
  const begun = await ask(all[0]?.gate as McpGate, confirmation());
  await all[0]?.gate.close();
  const inputResponses = { question: { action: "accept", content: { said: "late" } } };
  const again = await ask(
    all[1]?.gate as McpGate,
    confirmation({ requestState: begun.result.requestState, inputResponses }),
  );
  expect(again.result.resultType).toBe("input_required");
}, 30_000);

it("takes what the client cancels to the gate that runs it", async () => {
  const { connect, turn, running, release } = await gates(2);
  turn.of = 0;
  const { client } = await connect();
  const ending = new AbortController();
  const call = client.callTool({ name: "shop__slow", arguments: {} }, { signal: ending.signal });
  call.catch(() => {});
  await until(() => running.length === 1);
  turn.of = 1;
  ending.abort();
  await expect(call).rejects.toThrow();
  await until(() => running.includes("cancelled at 0"));
  release();
});

it("ends a session everywhere when its client does, and for nobody else", async () => {
  const { connect, turn, all, store } = await gates(2);
  turn.of = 0;
  const { client, transport } = await connect();
  turn.of = 1;
  await client.listTools();
  const { sessionId = "" } = transport;
  const ping = (place: number, id: string) => at(all, place, raw("POST", sessionId), id);
  expect((await ping(0, "berta")).status).toBe(404);
  expect((await ping(1, "berta")).status).toBe(404);
  await transport.terminateSession();
  expect((await ping(1, "anna")).status).toBe(404);
  await until(async () => (await ping(0, "anna")).status === 404);
  const left = [];
  for await (const name of store.blobs.list("gateway/")) left.push(name);
  expect(left).toEqual([]);
});

it("forgets a session that was idle too long at every gate, and none that has a stream open", async () => {
  const { all } = await gates(2, { sessionIdleMs: 1_000 });
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const begun = await at(all, 0, raw("POST", undefined, { method: "initialize", params }));
  const sessionId = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const stream = await at(all, 1, raw("GET", sessionId));
  expect(stream.status).toBe(200);
  await sleep(2_000);
  const used = await at(all, 0, raw("POST", sessionId));
  expect([used.status, await used.text()]).toEqual([200, expect.stringContaining('"result"')]);
  await stream.body?.cancel();
  await until(() => all.every(({ gate }) => gate.sessions === 0));
  await sleep(1_200);
  expect((await at(all, 1, raw("POST", sessionId))).status).toBe(404);
});
