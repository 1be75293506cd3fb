import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, inProcessTransport, type Transport } from "@toolglot/trp-client";
import { createRouter, principal } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { start } from "../processes.ts";
import type { Peer } from "./load.ts";
import type { Gaps } from "./servers.ts";
import { address, found, readCapability, writeCapability } from "./work.ts";

/** The script of the servers, see servers.ts. */
export const servers: string = join(dirname(fileURLToPath(import.meta.url)), "servers.mjs");

/** A server in a separate process. */
export interface Server {
  url: string;
  pid: number;
  gaps(): Promise<Gaps>;
  stop(): Promise<void>;
}

/** Starts a server with a port. */
export async function serve(...args: string[]): Promise<Server> {
  const { pid, said, ask, end } = start([servers, ...args]);
  const [url] = await said(/^(?:http|ws):\S+$/);
  return { url, pid, gaps: () => ask("") as Promise<Gaps>, stop: end };
}

/** A client's call that has to succeed. */
export function calling(name: string, transport: Transport, { capId } = readCapability): Peer {
  const client = createClient({ transport, agentId: "bench" });
  return {
    name,
    call: async () => {
      const { status, result, error } = await client.callByCap(capId, { ...address });
      const data = result?.data as { line?: string } | undefined;
      if (status !== "success" || data?.line !== found) throw new Error(`${name}: ${status} ${error?.message ?? ""}`);
    },
    close: () => client.close(),
  };
}

/** The same through a router in this process, on a store, or on none; in turn by as many clients as there are sessions. */
export function inProcess(name: string, store?: RouterStore, capability = readCapability, sessions = 1): Peer {
  const router = createRouter({
    capabilities: [readCapability, writeCapability],
    allowVolatile: true,
    ...(store && { store }),
  });
  const clients = Array.from({ length: sessions }, () =>
    calling(name, inProcessTransport(router, principal({ id: "bench" })), capability),
  );
  let count = 0;
  return {
    name,
    call: () => (clients[count++ % sessions] as Peer).call(),
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await router.close();
      await store?.close();
    },
  };
}
