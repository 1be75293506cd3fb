import { ToolError } from "@toolglot/core";
import { expect, it } from "vitest";
import { Toolkit, ToolkitError } from "../../src/index.ts";
import type { McpHttpTransport } from "../../src/mcp/index.ts";
import { final } from "../support.ts";
import { listed } from "./in-process.ts";
import { greeting, rawServer, unknownMethod } from "./raw-http.ts";
import { clientOf } from "./support.ts";

/** A server that takes only this token. */
function guarded(token: string, options: Partial<McpHttpTransport>) {
  const state = { token };
  const server = rawServer((message, { headers }) => {
    if (new Headers(headers).get("authorization") !== `Bearer ${state.token}`) {
      return new Response(`not ${state.token}`, { status: 401 });
    }
    if (message.method === "initialize") return greeting(message);
    if (message.method === "tools/list") return { result: { tools: [listed("a")] } };
    if (message.method === "tools/call") return { result: { content: [{ type: "text", text: "ok" }] } };
    return unknownMethod;
  }, options);
  return { ...server, state };
}

it("signs requests with the provider's token", async () => {
  const { transport } = guarded("s3cret", { authProvider: { token: async () => "s3cret" } });
  const kit = new Toolkit();
  await kit.registerMcpClient(clientOf({ name: "x", transport }));
  expect(await final(kit, { name: "a" })).toMatchObject({ status: "ok" });
});

it("waits for a provider that takes longer than the server may for its first answer", async () => {
  let isFirst = true;
  const token = async (): Promise<string> => {
    if (isFirst) await new Promise((resolve) => setTimeout(resolve, 1_200));
    isFirst = false;
    return "s3cret";
  };
  const { transport, methods } = guarded("s3cret", { authProvider: { token } });
  const kit = new Toolkit();
  await kit.registerMcpClient(clientOf({ name: "x", transport }));
  expect(methods()).toEqual(["server/discover", "initialize", "notifications/initialized", "tools/list"]);
});

it("knows that a call did not run for which the token has too few rights", async () => {
  const challenge = 'Bearer error="insufficient_scope", scope="write"';
  const { transport, messages } = rawServer(
    (message) => {
      if (message.method === "initialize") return greeting(message);
      if (message.method === "tools/list") return { result: { tools: [listed("a")] } };
      if (message.method !== "tools/call") return unknownMethod;
      return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    },
    { authProvider: { token: async () => "s3cret" } },
  );
  const kit = new Toolkit();
  await kit.registerMcpClient(clientOf({ name: "x", transport }));
  const { error } = await final(kit, { name: "a" });
  expect(error).toMatchObject({
    type: "McpError",
    message: expect.stringContaining('wants an authorisation with the scope "write",'),
  });
  expect(messages.filter(({ method }) => method === "tools/call")).toHaveLength(1);
});

const other = { token: async (): Promise<string> => "0ther-t0ken" };

it.each<[string, Partial<McpHttpTransport>]>([
  ["without a provider", {}],
  ["with a token that is not taken", { authProvider: other }],
  ["over HTTP with SSE", { authProvider: other, fallback: true }],
])("says that an authorisation is wanted %s, and no token", async (_case, options) => {
  const { transport } = guarded("s3cret", options);
  const client = clientOf({ name: "x", transport });
  const error: unknown = await new Toolkit().registerMcpClient(client).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "toolkit/mcp-unauthorised", data: { name: "x" } });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/s3cret|0ther-t0ken/);
});

it("tells the host of a refusal in mid-session, and the model that the host has to act", async () => {
  const { transport, state } = guarded("one", { authProvider: { token: async () => "one" } });
  const errors: Error[] = [];
  const kit = new Toolkit();
  await kit.registerMcpClient(clientOf({ name: "x", transport, onError: (error) => errors.push(error) }));
  state.token = "two";
  const { error } = await final(kit, { name: "a" });
  expect(error).toMatchObject({ type: "McpError", message: expect.stringContaining("wants an authorisation") });
  const told = errors.filter((one) => ToolkitError.isInstance(one));
  expect(told).toMatchObject([{ code: "toolkit/mcp-unauthorised", data: { name: "x" } }]);
});

it("tells the host of a refusal when a new session has to be opened, too", async () => {
  const { transport, state } = guarded("one", { authProvider: { token: async () => "one" } });
  const errors: Error[] = [];
  const kit = new Toolkit();
  const client = clientOf({ name: "x", transport, stateful: false, onError: (error) => errors.push(error) });
  await kit.registerMcpClient(client);
  state.token = "two";
  expect(await final(kit, { name: "a" })).toMatchObject({ error: { type: "McpError" } });
  expect(errors.filter((one) => ToolkitError.isInstance(one))).toHaveLength(1);
});

it("finishAuth is for transports with a provider of OAuth, and says when the code is refused", async () => {
  const { transport } = guarded("s3cret", {});
  await expect(clientOf({ name: "x", transport }).finishAuth("code")).rejects.toThrow(TypeError);
  const stdio = clientOf({ name: "x", transport: { type: "stdio", command: "x" } });
  await expect(stdio.finishAuth("code")).rejects.toThrow(/needs a transport of type http/);
  const signed = guarded("s3cret", { authProvider: { token: async () => "no" } });
  const error: unknown = await clientOf({ name: "x", transport: signed.transport })
    .finishAuth("c0de")
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "toolkit/mcp-unauthorised" });
  expect(String(error)).not.toContain("c0de");
});

it("a refused list says so, too", async () => {
  const { transport, state } = guarded("one", { authProvider: { token: async () => "one" } });
  const client = clientOf({ name: "x", transport });
  await client.connect();
  state.token = "two";
  await expect(client.listTools()).rejects.toMatchObject({ code: "toolkit/mcp-unauthorised" });
  await expect(client.callTool({ name: "a", arguments: {}, repeatable: true })).rejects.toThrow(ToolError);
});
