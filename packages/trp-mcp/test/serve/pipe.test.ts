import { PassThrough } from "node:stream";
import { Client, type ClientOptions, ReadBuffer, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { expect, it, onTestFinished } from "vitest";
import type { GateConnection, McpGate } from "../../src/index.ts";
import { answer, serve, tools } from "./fixtures/conformance-upstream.ts";
import { gateOf, newest, principal, until, upstream } from "./support.ts";

/** Both ends of a pipe; `written`: all that the gate wrote. */
async function piped(gate: McpGate, options: ClientOptions, prepare: (client: Client) => void = () => {}) {
  const [toGate, fromGate] = [new PassThrough(), new PassThrough()];
  let written = "";
  const buffer = new ReadBuffer();
  const transport: Transport = {
    start: async () => {
      fromGate.on("data", (chunk: Buffer) => {
        written += chunk;
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
          transport.onmessage?.(message);
        }
      });
    },
    send: async (message) => void toGate.write(serializeMessage(message)),
    close: async () => {
      toGate.end();
      transport.onclose?.();
    },
  };
  const connection = gate.connect(new StdioServerTransport(toGate, fromGate), { principal: principal("local") });
  const client = new Client({ name: "piped", version: "3.0.0" }, options);
  prepare(client);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, connection: connection as GateConnection, written: () => written };
}

const eras: [string, ClientOptions][] = [
  [newest, { versionNegotiation: { mode: { pin: newest } } }],
  ["2025-11-25", { supportedProtocolVersions: ["2025-11-25"] }],
  ["2024-11-05", { supportedProtocolVersions: ["2024-11-05"] }],
];

it.each(eras)("serves a pipe in %s, and writes nothing but messages", async (revision, options) => {
  const server = await upstream("desk", [{ name: "sell", approval: "ask" }, { name: "look" }]);
  const { gate, calls } = gateOf([server]);
  const { client, connection, written } = await piped(
    gate,
    { ...options, capabilities: { elicitation: { form: {} } } },
    (made) =>
      made.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { decision: "approve" } })),
  );
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  const { tools: listed } = await client.listTools();
  expect(listed.map(({ name }) => name)).toEqual(["desk__look", "desk__sell", "toolglot_again", "toolglot_status"]);
  expect((await client.callTool({ name: "desk__sell" })).content).toEqual([{ type: "text", text: "sell" }]);
  expect(calls.contexts[0]?.caller).toMatchObject({ principal: { id: "local" }, client: { name: "piped" } });
  await client.close();
  await connection.closed;
  for (const line of written().trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

it("serves a client that asks for the newest revision first, and falls back", async () => {
  const { gate } = gateOf([await upstream("desk", [{ name: "look" }])]);
  const { client } = await piped(gate, { versionNegotiation: { mode: "auto" } });
  expect(client.getNegotiatedProtocolVersion()).toBe(newest);
  expect((await client.callTool({ name: "desk__look" })).content).toHaveLength(1);
});

it.each(eras.slice(0, 2))("tells a pipe in %s of changed lists and resources", async (revision, options) => {
  let update: ((uri: string) => Promise<void>) | undefined;
  const server = await upstream("suite", tools, answer, {
    serve: (made) => {
      serve(made);
      update = (uri) => made.sendResourceUpdated({ uri });
    },
  });
  const { gate } = gateOf([server], { face: "tools" });
  const heard: string[] = [];
  const listen = (what: string) => ({ onChanged: () => void heard.push(what), autoRefresh: false, debounceMs: 0 });
  const { client } = await piped(gate, {
    ...options,
    listChanged: { tools: listen("tools"), prompts: listen("prompts") },
  });
  client.setNotificationHandler("notifications/resources/updated", ({ params: { uri } }) => void heard.push(uri));
  const uri = "test://watched-resource";
  const subscription =
    revision === newest
      ? await client.listen({ resourceSubscriptions: [uri] })
      : await client.subscribeResource({ uri });
  await until(async () => {
    gate.notifyChanged();
    gate.notifyChanged("prompts");
    await update?.(uri);
    await update?.("test://static-text");
    await new Promise((resolve) => setTimeout(resolve, 10));
    return new Set(heard).size === 3;
  });
  expect(new Set(heard)).toEqual(new Set(["tools", "prompts", uri]));
  expect(subscription).toBeDefined();
});

it("ends with the gate", async () => {
  const { gate } = gateOf([]);
  const { connection } = await piped(gate, eras[0]?.[1] ?? {});
  await gate.close();
  await connection.closed;
});

it("cancels nothing that runs when the pipe ends", async () => {
  let running = false;
  const server = await upstream("desk", [{ name: "wait" }], async () => {
    running = true;
    return new Promise(() => {});
  });
  const { gate, calls } = gateOf([server]);
  const { client, connection } = await piped(gate, eras[1]?.[1] ?? {});
  client.callTool({ name: "desk__wait" }).catch(() => {});
  await until(() => running);
  await client.close();
  await connection.closed;
  expect(calls.contexts[0]?.signal?.aborted).toBe(false);
});
