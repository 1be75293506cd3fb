import fc from "fast-check";
import { expect, it } from "vitest";
import { answer, serve, tools } from "./fixtures/conformance-upstream.ts";
import { gateOf, newest, principal, upstream } from "./support.ts";

const methods = [
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/read",
  "resources/subscribe",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
  "tasks/get",
  "notifications/cancelled",
  "constructor",
];
const text = fc.oneof(
  fc.string(),
  fc.constantFrom("__proto__", "toString", "suite__test_simple_text", "toolglot_call"),
);
const envelope = fc.record(
  {
    "io.modelcontextprotocol/protocolVersion": fc.oneof(fc.constant(newest), fc.constant("2099-01-01"), fc.anything()),
    "io.modelcontextprotocol/clientCapabilities": fc.oneof(
      fc.constant({}),
      fc.json().map((json) => JSON.parse(json)),
    ),
    progressToken: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
    "toolglot/idempotencyKey": fc.oneof(fc.string(), fc.constant({})),
  },
  { requiredKeys: [] },
);
const params = fc.record(
  {
    _meta: fc.oneof(envelope, fc.jsonValue()),
    name: fc.oneof(text, fc.jsonValue()),
    uri: fc.oneof(text, fc.constant("test://static-text"), fc.jsonValue()),
    arguments: fc.oneof(fc.dictionary(text, fc.jsonValue()), fc.jsonValue()),
    requestState: fc.oneof(fc.string(), fc.jsonValue()),
    inputResponses: fc.jsonValue(),
    ref: fc.jsonValue(),
    notifications: fc.oneof(fc.record({ resourceSubscriptions: fc.jsonValue() }), fc.jsonValue()),
    protocolVersion: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant("2.0"), fc.jsonValue()),
    id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom(...methods), fc.jsonValue()),
    params: fc.oneof(params, fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const body = fc.oneof({ weight: 6, arbitrary: message }, fc.array(message, { maxLength: 3 }), fc.jsonValue());
const header = fc.oneof(
  fc.constantFrom(...methods, newest, "2025-11-25", "=?base64?_?="),
  fc.stringMatching(/^[!-~]{0,12}$/),
);
const headers = fc.dictionary(
  fc.constantFrom("mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id", "last-event-id", "accept"),
  header,
);

it("answers whatever is sent with an answer of the protocol, and is as before", async () => {
  const { gate, calls, errors } = gateOf([await upstream("suite", tools, answer, { serve })], { face: "search" });
  const usual = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  await fc.assert(
    fc.asyncProperty(body, headers, fc.boolean(), fc.boolean(), async (sent, more, isParsed, lenientHeaders) => {
      const text = JSON.stringify(sent);
      const request = new Request("http://gate.test/mcp", {
        method: "POST",
        headers: { ...usual, ...more },
        body: text,
      });
      const caller = { principal: principal("anna"), lenientHeaders };
      const parsed = isParsed ? JSON.parse(text) : undefined;
      if (isParsed) await request.text();
      const response = await gate.fetch(request, caller, parsed);
      expect(response.status, text).toBeLessThan(500);
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (isStream) await response.body?.cancel();
      else await response.text();
    }),
    { numRuns: 400 },
  );
  expect(errors.filter((error) => error instanceof TypeError || error instanceof RangeError)).toEqual([]);
  expect(calls.ran.every((ran) => ran.startsWith("suite__"))).toBe(true);
  await gate.end(() => true);
  expect(gate.sessions).toBe(0);
});
