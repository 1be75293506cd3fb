import { createToolCalls, importMcpServer } from "@toolglot/trp-mcp";
import { makeRouter } from "../gateway/make-router.ts";
import { openStore } from "../store/open-store.ts";

/** What a gateway is made of, without its front. */
export interface RigParts {
  openStore: typeof openStore;
  makeRouter: typeof makeRouter;
  importMcpServer: typeof importMcpServer;
  createToolCalls: typeof createToolCalls;
}

export const rigParts: RigParts = { openStore, makeRouter, importMcpServer, createToolCalls };
