// Run where @toolglot/trp-core is installed and its optional peers aren't: the message must say what to install.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRouter } from "@toolglot/trp-core";
import { serveHttp } from "@toolglot/trp-core/node";
import { serveWebSockets, webSockets } from "@toolglot/trp-core/ws";

const router = createRouter({ capabilities: [] });
const authenticate = () => undefined;
for (const serving of [
  serveHttp(router, { port: 0, authenticate, webSockets: webSockets() }),
  serveWebSockets(router, { server: createServer(), authenticate }),
]) {
  const error = await serving.catch((thrown) => thrown);
  assert.equal(error.code, "trp/ws-missing");
  assert.match(error.message, /npm install ws/);
}
await router.close();

// Entries that are made for a peer say which one is missing.
await assert.rejects(import("@toolglot/trp-core/metrics"), /Cannot find package 'prom-client'/);
await assert.rejects(import("@toolglot/trp-core/tracing"), /Cannot find package '@opentelemetry\/api'/);
