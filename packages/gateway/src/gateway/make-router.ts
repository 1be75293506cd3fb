import { rename, writeFile } from "node:fs/promises";
import { defined } from "@toolglot/internal";
import {
  type AuditCheckpoint,
  createRouter,
  createSafetyRules,
  type PolicyEngine,
  type Principal,
  type Router,
} from "@toolglot/trp-core";
import type { ApprovalRecord, RouterStore } from "@toolglot/trp-core/store";
import { traceRouter } from "@toolglot/trp-core/tracing";
import {
  askAgain,
  auditFieldsOf,
  type CallChannel,
  elicitationRole,
  type ImportedTool,
  observePolicy,
} from "@toolglot/trp-mcp";
import type { ServerConfig } from "../config/config-types.ts";
import type { GatewaySettings } from "../config/settings.ts";
import { exportedUpTo } from "../report/audit-export.ts";
import { type NameTool, toolFromId } from "../report/tool-names.ts";
import type { GatewayOptions } from "./types.ts";

/** What the router of a gateway is made of. */
export interface RouterParts {
  settings: GatewaySettings;
  store: RouterStore;
  /** That of the configuration. */
  policy: PolicyEngine;
  /** Signs what servers get as keys. */
  secret: string;
  /** Finds a tool by its capability. */
  tool(capId: string): ImportedTool | undefined;
  /** Those of the configuration. Who may decide about a tool that is not listed is what all of them say. Default: none. */
  servers?: readonly Pick<ServerConfig, "settings">[];
  /** Names what is behind a capability, for the audit log. Default: as its id says. */
  nameOf?: NameTool;
  /** What the calls are made with. */
  channel?: CallChannel;
  options: Pick<GatewayOptions, "allowVolatile" | "tracing">;
  /** Gets the newest row of the audit log, each minute in which there is one, and at the end. Default: nobody gets it. */
  onHead?: ((head: AuditCheckpoint) => void) | undefined;
  onError(error: unknown, facts: { capId?: string | undefined; operation?: string | undefined }): void;
}

const day = 86_400_000;

/** Servers have their own care for what a text may hold, and a client that works with them directly is to work here. */
const notOurs = ["control-characters", "secrets", "path", "url", "sql-read", "shell"];

/** Creates the router of a gateway. It closes with `router.close`, the store apart. */
export function makeRouter(parts: RouterParts): Router {
  const { settings, store, policy, secret, tool, options, onHead, onError, channel, nameOf = toolFromId } = parts;
  const { limits, approvals, results, audit, retention, leaseMs } = settings;
  const isKept = retention.auditDays === 0;
  const asking = askAgain(policy);
  return createRouter({
    store,
    policy: settings.mode === "observe" ? observePolicy(asking) : asking,
    allowVolatile: options.allowVolatile === true,
    safety: createSafetyRules({ without: notOurs, maxCharacters: results.maxBytes, maxDepth: 64 }),
    downstreamSecret: secret,
    pendingApprovals: limits.pendingPerPrincipal,
    mayDecide: (who, approval) => mayDecide(who, approval, approversOf(tool(approval.capId), parts.servers)),
    limits: { callsInFlight: limits.callsInFlight },
    times: { leaseMs, approvalTtlMs: approvals.ttlMs, ...(!isKept && { auditTtlMs: retention.auditDays * day }) },
    // Results pass as they come, whatever a model's budget; one token is four bytes, and JSON in JSON is longer.
    maxResultTokens: Math.max(200, results.maxBytes),
    catalogTools: false,
    outbox: approvals.webhook !== undefined,
    auditFields: auditFieldsOf({ ...defined({ channel }), tool: (capId) => nameOf(capId) ?? toolFromId(capId) }),
    ...(options.tracing === true && { tracing: traceRouter() }),
    ...((audit.head !== undefined || onHead !== undefined || !isKept) && {
      checkpoints: {
        exportedUpTo: async () => (await exportedUpTo(store))?.index ?? 0,
        async onCheckpoint(checkpoint) {
          onHead?.(checkpoint);
          if (audit.head !== undefined) await noteHead(audit.head, checkpoint);
        },
      },
    }),
    onError,
  });
}

/** Who may decide: those with a role of each list, and the person at the client program unless the call is critical. */
function mayDecide({ roles }: Principal, { riskTier }: ApprovalRecord, approvers: readonly Roles[]): boolean {
  if (roles.includes(elicitationRole)) return riskTier !== "CRITICAL";
  return approvers.every((list) => list.some((role) => roles.includes(role)));
}

type Roles = readonly string[];

const anybody: Roles = ["approver"];

/** The roles that a tool names. One that is not listed, as before its server is up, may be any of those in the configuration. */
function approversOf(tool: ImportedTool | undefined, servers: RouterParts["servers"] = []): readonly Roles[] {
  if (tool !== undefined) return [tool.settings.approvers ?? anybody];
  const named = servers.flatMap(({ settings }) => Object.values(settings.tools).map(({ approvers }) => approvers));
  return [anybody, ...named.filter((list) => list !== undefined)];
}

/** Writes the newest head of the audit log where it is not with the log; whole or not at all. */
async function noteHead(file: string, { index, hash, at }: AuditCheckpoint): Promise<void> {
  const next = `${file}.${process.pid}.next`;
  await writeFile(next, `${JSON.stringify({ index, hash, at })}\n`, { mode: 0o600 });
  await rename(next, file);
}
