import type { AuditFields, AuditSubject } from "@toolglot/trp-core";
import type { ImportedTool } from "../types.ts";
import type { CallChannel } from "./call-channel.ts";
import { effectKeyForm } from "./effect-keys.ts";
import { receiptOf } from "./receipts.ts";

/** What the audit rows of calls through a gateway are made from. */
export interface AuditFieldsParts {
  /** Of the calls that this process makes. Default: it makes none. */
  channel?: CallChannel;
  /** Finds a tool, or a read of resources or prompts, by its capability. */
  tool(capId: string): Pick<ImportedTool, "server" | "tool"> | undefined;
}

/**
 * Returns what `createRouter` takes as `auditFields`: rows name the MCP server and its tool, the client program (name and version), and
 * the receipt that the caller was given. A receipt that holds a client's own key is left out, as keys are in no row in the clear: such a
 * call is found by `idempotency_key`.
 */
export function auditFieldsOf({ channel, tool: find }: AuditFieldsParts): (subject: AuditSubject) => AuditFields {
  return ({ capId, callId, key, agentId }) => {
    const open = callId === undefined ? undefined : channel?.of(callId);
    const tool = open?.tool ?? find(capId);
    const isOurs = key !== undefined && effectKeyForm.test(key);
    const receipt = open?.receipt ?? (isOurs ? receiptOf(capId, key) : undefined);
    return {
      ...(tool && { mcp_server: tool.server, mcp_tool: tool.tool }),
      ...(agentId && { client: agentId }),
      ...(receipt !== undefined && { receipt }),
    };
  };
}
