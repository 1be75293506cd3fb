import { onTestFinished } from "vitest";
import { createHttpApp } from "../../src/http/app.ts";
import { type HttpHost, listen } from "../../src/http/listen.ts";
import { type ApprovalsPage, createApprovalsPage } from "../../src/page/approvals-page.tsx";
import { type Rig, rig } from "../rig.ts";

/** A rig on a port, with its page. */
export interface Served extends Rig {
  host: HttpHost;
  page: ApprovalsPage;
}

const local = { allowedHosts: [], allowedOrigins: [] };

export async function served(store?: Parameters<typeof rig>[0]): Promise<Served> {
  const parts = await rig(store);
  const page = createApprovalsPage({ ...parts, listen: local });
  const app = createHttpApp({ mcp: async () => new Response(), ...parts, listen: local, page });
  const host = await listen(app, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => host.close(0));
  return { ...parts, host, page };
}
