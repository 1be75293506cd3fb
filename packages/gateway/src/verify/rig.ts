import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolglot/core";
import { type PolicyDecision, type Principal, principal, type Router } from "@toolglot/trp-core";
import { familyOf } from "@toolglot/trp-core/store";
import {
  CallChannel,
  type Caller,
  type ImportedServer,
  type ImportedTool,
  type ToolAnswer,
  type ToolCalls,
} from "@toolglot/trp-mcp";
import type { GatewayConfig } from "../config/config-types.ts";
import { policyFrom } from "../config/policy.ts";
import { serverDefaults } from "../config/settings-schema.ts";
import { FakeUpstream } from "./fake-upstream.ts";
import type { RigParts } from "./rig-parts.ts";

/** What of a configuration is verified; it can go to another process. */
export type VerifiedConfig = Pick<GatewayConfig, "settings"> & {
  servers: readonly Pick<GatewayConfig["servers"][number], "name" | "settings">[];
};

/** A tool, who calls it, and the policy's decision. */
export interface Subject {
  tool: ImportedTool;
  caller: Caller;
  decision: PolicyDecision["decision"];
}

/** A gateway without a client, before servers in this process. */
export interface Rig {
  config: VerifiedConfig;
  router: Router;
  calls: ToolCalls;
  servers: readonly ImportedServer[];
  /** How many calls reached a server. */
  ran(): number;
  /** The next call's reply is lost. */
  loseReply(tool: ImportedTool): void;
  close(): Promise<void>;
}

/** Makes one. `file`: its store; undefined where the configuration wants one in memory. */
export async function openRig(config: VerifiedConfig, parts: RigParts, file: string | undefined): Promise<Rig> {
  const store = await parts.openStore(file === undefined ? "memory" : `sqlite:${file}`);
  const channel = new CallChannel();
  const servers: ImportedServer[] = [];
  const tool = (capId: string): ImportedTool | undefined =>
    servers.flatMap(({ tools }) => tools).find((one) => one.capId === capId);
  const { policy, approvals, ...settings } = config.settings;
  // Nobody outside hears of what is only tried.
  const { webhook: _, ...quiet } = approvals;
  const router = parts.makeRouter({
    settings: { ...settings, approvals: quiet, audit: {} },
    store,
    // Anew each time: what was counted for one check is no matter of another.
    policy: policyFrom(typeof policy === "object" ? policy : undefined),
    secret: "verify",
    tool,
    options: { allowVolatile: file === undefined },
    onError: () => {},
  });
  const upstreams = new Map(config.servers.map((server) => [server.name, new FakeUpstream(server)]));
  for (const { name, settings: given } of config.servers) {
    const { allow, deny, tools, pin, trustAnnotations, maxConcurrency, repeat = settings.repeat } = given;
    const client = (upstreams.get(name) as FakeUpstream).client();
    const options = { name, channel, tools, pin, trustAnnotations, maxConcurrency, repeat };
    servers.push(
      await parts.importMcpServer(router, client, { ...options, ...(allow && { allow }), ...(deny && { deny }) }),
    );
  }
  await Promise.all(servers.map((server) => server.ready()));
  const calls = parts.createToolCalls(router, {
    tool,
    channel,
    waitMs: 0,
    damaged: ({ server }) => config.servers.find(({ name }) => name === server)?.settings.damaged ?? "refuse",
  });
  return {
    config,
    router,
    calls,
    servers,
    ran: () => [...upstreams.values()].reduce((sum, { ran }) => sum + ran.length, 0),
    loseReply(of) {
      const upstream = upstreams.get(of.server);
      if (upstream !== undefined) upstream.losesReply = true;
    },
    async close() {
      await calls.close();
      for (const server of servers) await server.close();
      await router.close({ graceMs: 0 });
      await store.close();
    },
  };
}

/** The configuration, with a server where it has none: then the gateway's own defaults are verified. */
export function verified({ settings, servers }: Pick<GatewayConfig, "settings" | "servers">): VerifiedConfig {
  const named = servers.map(({ name, settings: own }) => ({ name, settings: own }));
  return { settings, servers: named.length > 0 ? named : [{ name: "server", settings: serverDefaults() }] };
}

/** Runs something with a folder that is gone afterwards. */
export async function inScratch<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "toolglot-verify-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All tools with those who may come to call them, and the policy's decision: the first caller for each decision. */
export async function subjects(rig: Rig): Promise<Subject[]> {
  const found: Subject[] = [];
  for (const tool of rig.servers.flatMap(({ tools }) => tools)) {
    const seen = new Set<string>();
    for (const who of callers(rig.config)) {
      const decision = await decisionOf(rig, tool, who, argumentsOf(tool, "0"));
      if (seen.has(decision)) continue;
      seen.add(decision);
      found.push({ tool, caller: callerOf(who), decision });
    }
  }
  return found;
}

/** The policy's decision about a call. At its start: then rates are not counted. */
export async function decisionOf(
  { router }: Rig,
  { capId, risk, io, effect }: ImportedTool,
  who: Principal,
  args: JsonObject,
): Promise<PolicyDecision["decision"]> {
  const capability = { capId, family: familyOf(capId), riskTier: risk, ioClass: io, effect };
  const input = { principal: who, capability, args, now: router.store.now(), phase: "start" } as const;
  return (await router.policy.evaluate(input)).decision;
}

/** Those whom the rules name, and one whom they don't. */
function callers({ settings: { tenant, policy } }: VerifiedConfig): Principal[] {
  const rules = typeof policy === "object" ? policy.rules : [];
  const named = rules.flatMap(({ who }) => {
    if (who === undefined) return [];
    const { principals: [id = "verify"] = [], tenants: [of = tenant] = [], roles = [], canDelete = true } = who;
    return [principal({ id: plain(id), tenant: plain(of), roles: roles.slice(0, 1).map(plain), canDelete })];
  });
  return [principal({ id: "verify", tenant, canDelete: true }), ...named];
}

const plain = (pattern: string): string => pattern.replaceAll("*", "verify");

export function callerOf(who: Principal): Caller {
  return { principal: who, client: { name: "verify", version: "1" }, mayElicit: false };
}

/** Arguments of a call; another `id` names another effect. */
export function argumentsOf({ settings: { effectKey = "" } }: ImportedTool, id: string): JsonObject {
  const args: JsonObject = { id };
  for (const [, name = ""] of effectKey.matchAll(/\{([^{}]+)\}/g)) {
    const steps = name.replace(/^\//, "").split("/");
    let at = args;
    for (const step of steps.slice(0, -1)) {
      const inner: JsonObject = {};
      at[step] = inner;
      at = inner;
    }
    at[steps.at(-1) as string] = id;
  }
  return args;
}

/** Somebody who may decide about calls of a tool, and never asks for any. */
export function approverOf({ settings }: ImportedTool, { tenant }: Principal): Principal {
  return principal({ id: "verify-approver", tenant, roles: [...(settings.approvers ?? ["approver"]), "approver"] });
}

/** Makes a call, and approves it where a person is asked. */
export async function perform(rig: Rig, { tool, caller }: Subject, args: JsonObject): Promise<ToolAnswer> {
  const first = await rig.calls.call({ tool, arguments: args }, { caller });
  const { status, approvalId } = first.outcome;
  if (status !== "pending" || approvalId === undefined) return first;
  await rig.router.approvals.approve(approverOf(tool, caller.principal), approvalId);
  return rig.calls.call({ tool, arguments: args }, { caller });
}

/** Whether calling a tool twice may do something twice. */
export function isRepeatable({ io, effect }: ImportedTool): boolean {
  return io === "READ" || effect === "pure" || effect === "idempotent";
}
