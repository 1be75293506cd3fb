// Run where @toolglot/trp-client is installed and its optional peers aren't: the message must say what to install.
import assert from "node:assert/strict";
import { createClient } from "@toolglot/trp-client";
import { wsTransport } from "@toolglot/trp-client/node";

const client = createClient({
  transport: wsTransport({ url: "ws://127.0.0.1:1" }),
  agentId: "none",
  retry: { maxRetries: 0, connectMs: 0 },
});
const error = await client.hello().catch((thrown) => thrown);
assert.match(`${error.message} ${error.cause?.message ?? ""}`, /npm install ws/);
await client.close();
await assert.rejects(import("@toolglot/trp-client/tracing"), /Cannot find package '@opentelemetry\/api'/);
