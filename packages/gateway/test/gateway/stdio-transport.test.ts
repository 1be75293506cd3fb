import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, it, onTestFinished } from "vitest";
import { stdioTransport } from "../../src/gateway/stdio-transport.ts";

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: { a: [1] } } };
const deep = `${"[".repeat(70)}${"]".repeat(70)}`;

async function opened() {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = stdioTransport(input, output);
  const messages: JSONRPCMessage[] = [];
  transport.onmessage = (message) => void messages.push(message);
  await transport.start();
  onTestFinished(() => transport.close());
  return { input, messages, answer: async () => JSON.parse(String((await once(output, "data"))[0])) as unknown };
}

it.each([
  ["has null for its _meta", { ...call, params: { ...call.params, _meta: null } }],
  ["has a token of another kind", { ...call, params: { ...call.params, _meta: { progressToken: {} } } }],
  ["has a list for its parameters", { ...call, params: [] }],
  ["is of another version", { ...call, jsonrpc: "1.0" }],
  ["is another method", { ...call, method: "tools/list", params: 5 }],
  ["is nested too deeply", { ...call, params: { name: "t", arguments: JSON.parse(`{"a":${deep}}`) as object } }],
])("refuses a request that %s, and reads on", async (_, given) => {
  const { input, messages, answer } = await opened();
  const next = answer();
  input.write(`${JSON.stringify({ ...given, id: "five" })}\n`);
  expect(await next).toEqual({
    ...{ jsonrpc: "2.0", id: "five" },
    error: { code: -32600, message: expect.stringContaining("Invalid request") },
  });
  input.write(`${JSON.stringify(call)}\n`);
  await expect.poll(() => messages).toEqual([call]);
});

it("reads messages however they are cut, and passes over what is none", async () => {
  const { input, messages } = await opened();
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const text = `words\n\n5\n${JSON.stringify(call)}\r\n{"jsonrpc":"2.0"}\n${JSON.stringify(list)}\n`;
  for (const byte of Buffer.from(text)) input.write(Buffer.from([byte]));
  await expect.poll(() => messages).toEqual([call, list]);
});
