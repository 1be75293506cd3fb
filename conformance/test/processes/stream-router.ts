import { setTimeout as sleep } from "node:timers/promises";
import { openSqlite } from "@toolglot/sqlite";
import { createRouter, defineCapability, principal } from "@toolglot/trp-core";
import { serveHttp, serveStdio } from "@toolglot/trp-core/node";
import { webSockets } from "@toolglot/trp-core/ws";

// One router of several on one file, as a process that may be killed: `node stream-router.mjs FILE http`, which prints its
// port, or `… stdio`.

const [file = "", how] = process.argv.slice(2);

const talk = defineCapability({
  ...{ capId: "cap.talk.v1", name: "talk", description: "Says who it is.", riskTier: "LOW", ioClass: "WRITE" },
  ...{ effect: "keyed", args: { parts: "integer" } },
  async execute({ parts }, { progress }) {
    for (let n = 1; n <= parts; n++) {
      progress({ stage: String(process.pid), message: String(n) });
      await sleep(60);
    }
    return "whole";
  },
});
const router = createRouter({ store: await openSqlite({ file }), capabilities: [talk], times: { leaseMs: 500 } });
const who = principal({ id: "agent" });
if (how === "stdio") {
  await serveStdio(router, { principal: who }).done;
  process.exit();
}
const { port } = await serveHttp(router, { authenticate: () => who, webSockets: webSockets() });
console.log(port);
