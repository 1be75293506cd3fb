import { catalogLines, createClient, fetchTransport, inProcessTransport, routerTool } from "@toolglot/trp-client";
import { createFetchHandler, createRouter, defineCapability, principal } from "@toolglot/trp-core";

let added = 0;
const add = defineCapability({
  capId: "cap.counter.add.v1",
  name: "add",
  description: "Adds to the counter.",
  riskTier: "MEDIUM",
  ioClass: "WRITE",
  effect: "opaque",
  args: { by: "integer" },
  execute: ({ by }) => {
    added += by;
    return added;
  },
});

export async function consume(): Promise<string> {
  const router = createRouter({ capabilities: [add], allowVolatile: true });
  const agent = principal({ id: "agent" });
  const inside = createClient({ transport: inProcessTransport(router, agent), agentId: "inside" });
  const { rows } = await inside.catalog();
  const tool = await routerTool(inside);
  const first = await inside.callByCap("cap.counter.add.v1", { by: 2 }, { key: "once" });
  const handle = createFetchHandler(router, { authenticate: () => agent });
  const fetchIt = (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    handle(new Request(url, init));
  const transport = fetchTransport({ url: "http://router.example", fetch: fetchIt as typeof fetch });
  const outside = createClient({ transport, agentId: "outside" });
  const again = await outside.callByCap("cap.counter.add.v1", { by: 2 }, { key: "once" });
  await outside.close();
  await inside.close();
  await router.close();
  return [catalogLines(rows)[0], tool.name, first.status, again.result?.data, added].join(" | ");
}

export const expected = "0 add(by:int) W Adds to the counter | router | success | 2 | 2";
