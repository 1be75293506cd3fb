// Run where @toolglot/agent is installed and its optional peer isn't: agents work, and the entry for traces names what is missing.
import assert from "node:assert/strict";
import { createAgent } from "@toolglot/agent";

assert.equal(typeof createAgent, "function");
await assert.rejects(import("@toolglot/agent/otel"), /Cannot find package '@opentelemetry\/api'/);
