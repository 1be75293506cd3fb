// biome-ignore-all format: as the doc comments have them.
// biome-ignore-all lint/correctness/noUnusedVariables: they only show what there is.
import type { Server } from "node:http";
import type { Tool } from "@toolglot/core";
import {
  catalogLines, createClient, fetchTransport, inProcessTransport, programTools, routerExecutor, routerTool,
  type Transport, type TrpClient, webSocketTransport,
} from "@toolglot/trp-client";
import { httpTransport, stdioTransport, wsTransport } from "@toolglot/trp-client/node";
import { traceClient } from "@toolglot/trp-client/tracing";
import {
  type AnyCapability, bearerToken, bearerTokens, capabilityOf, checkpointSigner, checkpointVerifier, createCheckpointKeys,
  createFetchHandler, createPolicy, createRouter, createSafetyRules, defineCapability, issueApprovalToken,
  MemoryStore, type Principal, principal, type Router, schemaToTemplate, templateToSchema, verifyApprovalToken,
} from "@toolglot/trp-core";
import { fault, isFault, nack, parseFrame } from "@toolglot/trp-core/frames";
import { routerMetrics } from "@toolglot/trp-core/metrics";
import { serveHttp, serveStdio } from "@toolglot/trp-core/node";
import type { RouterStore } from "@toolglot/trp-core/store";
import { traceRouter } from "@toolglot/trp-core/tracing";
import { serveWebSockets, webSockets } from "@toolglot/trp-core/ws";

// What the examples have from around them.
declare const approvalSecret: string, text: string, url: string, token: string, approvalId: string, capId: string;
declare const createTicket: Tool<Record<string, unknown>>;
declare const frame: unknown, args: Record<string, never>, router: Router, capabilities: AnyCapability[];
declare const store: RouterStore, client: TrpClient, transport: Transport, httpServer: Server;
declare const who: (token: string | undefined) => Principal | undefined;
declare const authenticate: (header: string | undefined) => Principal | undefined;
declare const bank: { refund(order: string, cents: number, key: string | undefined): Promise<unknown> };

async function example1(): Promise<unknown> {
  const token = issueApprovalToken({
    secret: approvalSecret,
    capId: "cap.mail.send.v1",
    args: { to: "ada@example.com", text: "Hi" },
    ttlMs: 300_000,
    sub: "agent-7",
  });
  return undefined;
}

async function example2(): Promise<unknown> {
  const found = verifyApprovalToken(token, { secrets: [approvalSecret], capId, args, requester: "agent-7", now: Date.now() });
  if (isFault(found)) console.log(found.message);
  return undefined;
}

async function example3(): Promise<unknown> {
  const safety = createSafetyRules({ maxCharacters: 100_000, forbiddenKeys: ["__proto__", "constructor"] });
  const router = createRouter({ capabilities, safety });
  return undefined;
}

async function example4(): Promise<unknown> {
  const { privateKey, publicKey } = await createCheckpointKeys();
  const router = createRouter({ store, checkpoints: { signer: await checkpointSigner(privateKey) } });
  const report = await router.audit.verify({ keys: [await checkpointVerifier(publicKey)] });
  return undefined;
}

async function example5(): Promise<unknown> {
  templateToSchema({ query: "string", top_k: "int?" });
  // { type: "object", properties: { query: { type: "string" }, top_k: { type: "integer" } }, required: ["query"], … }
  return undefined;
}

async function example6(): Promise<unknown> {
  schemaToTemplate({ type: "object", properties: { query: { type: "string" } }, required: ["query"] });
  // { query: "string" }
  return undefined;
}

async function example7(): Promise<unknown> {
  const refund = defineCapability({
    capId: "cap.billing.refund.v1",
    name: "refund",
    description: "Refunds an order.",
    riskTier: "HIGH",
    ioClass: "WRITE",
    effect: "keyed",
    args: { order: "string", cents: "integer" },
    execute: ({ order, cents }, { operationKey }) => bank.refund(order, cents, operationKey),
  });
  return undefined;
}

async function example8(): Promise<unknown> {
  const capability = capabilityOf(createTicket, { capId: "cap.ticket.create.v1", effect: "keyed" });
  return undefined;
}

async function example9(): Promise<unknown> {
  fault("TRP_2001", "to: expected a string, got a number").retryHint; // { action: "FIX_ARGUMENTS" }
  return undefined;
}

async function example10(): Promise<unknown> {
  const parsed = parseFrame(JSON.parse(text), { depth: 64, batchCalls: 64 });
  if ("fault" in parsed) return nack(parsed.head, parsed.fault, { now: Date.now() });
  return undefined;
}

async function example11(): Promise<unknown> {
  const who = bearerTokens({ "secret-token": { principal: "agent-7" } });
  const worker = { fetch: createFetchHandler(router, { authenticate: (header) => who(bearerToken(header)) }) };
  return undefined;
}

async function example12(): Promise<unknown> {
  const boss = principal({ id: "ada", roles: ["approver"] });
  await router.approvals.approve(boss, approvalId, "Fine with me.");
  return undefined;
}

async function example13(): Promise<unknown> {
  const who = bearerTokens({ "secret-token": { principal: "ada", roles: ["approver"] } });
  const server = await serveHttp(router, { authenticate: (header) => who(bearerToken(header)) });
  return undefined;
}

async function example14(): Promise<unknown> {
  const server = await serveHttp(router, { authenticate, metrics: routerMetrics(router) });
  return undefined;
}

async function example15(): Promise<unknown> {
  const server = await serveHttp(router, { port: 8080, authenticate: (header) => who(bearerToken(header)) });
  console.log(server.url);
  await server.close();
  return undefined;
}

async function example16(): Promise<unknown> {
  const server = serveStdio(router, { principal: principal({ id: "agent-7" }) });
  await server.done;
  return undefined;
}

async function example17(): Promise<unknown> {
  const face = await serveWebSockets(router, { server: httpServer, authenticate });
  await face.close();
  return undefined;
}

async function example18(): Promise<unknown> {
  const server = await serveHttp(router, { authenticate, webSockets: webSockets({ path: "/trp/ws" }) });
  return undefined;
}

async function example19(): Promise<unknown> {
  createPolicy({
    version: "2026-11-21",
    rules: [
      { id: "mail-stays-here", decision: "deny", which: { families: ["cap.mail.*"] },
        args: [{ at: "/to", not: true, matches: ["*@example.com"] }] },
      { id: "search-rate", decision: "deny", which: { capIds: ["cap.search.*"] }, rate: { limit: 30, windowMs: 60_000 } },
    ],
  });
  return undefined;
}

async function example20(): Promise<unknown> {
  const router = createRouter({
    capabilities: [
      defineCapability({
        capId: "cap.time.read.v1",
        name: "read_time",
        description: "Returns the time.",
        riskTier: "LOW",
        ioClass: "READ",
        effect: "pure",
        args: {},
        execute: () => ({ now: new Date().toISOString() }),
      }),
    ],
  });
  const answer = await router.handle(frame, { principal: principal({ id: "agent" }) });
  return undefined;
}

async function example21(): Promise<unknown> {
  const router = createRouter({ capabilities, store: new MemoryStore(), allowVolatile: true });
  return undefined;
}

async function example22(): Promise<unknown> {
  const router = createRouter({ capabilities, tracing: traceRouter() });
  return undefined;
}

async function example23(): Promise<unknown> {
  const client = createClient({ transport: httpTransport({ url, token }), agentId: "agent-7" });
  const result = await client.callByCap("cap.note.add.v1", { text: "Buy milk" });
  if (result.status === "success") console.log(result.result?.data);
  await client.close();
  return undefined;
}

async function example24(): Promise<unknown> {
  const client = createClient({ transport: fetchTransport({ url: "https://router.example", token }), agentId: "page" });
  return undefined;
}

async function example25(): Promise<unknown> {
  const transport = inProcessTransport(router, principal({ id: "agent-7" }));
  const client = createClient({ transport, agentId: "agent-7" });
  return undefined;
}

async function example26(): Promise<unknown> {
  const lines = catalogLines((await client.catalog()).rows);
  return undefined;
}

async function example27(): Promise<unknown> {
  const tools = await programTools(client, { runId: "report-2026-11-29" });
  return undefined;
}

async function example28(): Promise<unknown> {
  const executor = routerExecutor(client);
  return undefined;
}

async function example29(): Promise<unknown> {
  const tool = await routerTool(client);
  return undefined;
}

async function example30(): Promise<unknown> {
  const client = createClient({ transport: httpTransport({ url: "http://127.0.0.1:8080", token }), agentId: "agent-7" });
  return undefined;
}

async function example31(): Promise<unknown> {
  const client = createClient({ transport: stdioTransport({ command: "node", args: ["router.mjs"] }), agentId: "agent-7" });
  return undefined;
}

async function example32(): Promise<unknown> {
  const client = createClient({ transport: wsTransport({ url: "ws://127.0.0.1:8080", token }), agentId: "agent-7" });
  return undefined;
}

async function example33(): Promise<unknown> {
  const client = createClient({ transport, agentId: "agent-7", tracing: traceClient() });
  return undefined;
}

async function example34(): Promise<unknown> {
  const transport = webSocketTransport({ url: "wss://router.example", token });
  return undefined;
}

/** Compiled, and never run: they need servers and files. */
export const examples: readonly (() => Promise<unknown>)[] = [
  example1, example2, example3, example4, example5, example6, example7, example8, example9, example10, example11, example12, example13, example14, example15, example16, example17, example18, example19, example20, example21, example22, example23, example24, example25, example26, example27, example28, example29, example30, example31, example32, example33, example34,
];
