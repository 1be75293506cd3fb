import type { JsonObject } from "@toolglot/core";
import type { OutboxEvent, Router } from "@toolglot/trp-core";
import { type NameTool, toolFromId } from "../../report/tool-names.ts";
import type { WebhookEvent } from "./webhook-body.ts";

/** What the events of a router are put into words with. */
export interface EventWords {
  router: Router;
  /** Whether arguments, and the text that an approver sees, go along. */
  includeArguments: boolean;
  toolOf?: NameTool;
  approvalUrl(id: string): string | undefined;
  inDoubtUrl(): string | undefined;
}

/** Returns the record that an event is about: events about one are sent in their order. Undefined for what is not sent. */
export function recordOf({ event }: OutboxEvent): string | undefined {
  if (event.type === "approval.requested" || event.type === "approval.decided") return event.approvalId;
  return event.type === "call.in_doubt" ? (event.operation ?? event.callId) : undefined;
}

/** Puts an event into words. Reads its record as it is now. Undefined for an event that is not sent. */
export async function webhookEvent(
  { index, event }: OutboxEvent,
  words: EventWords,
): Promise<WebhookEvent | undefined> {
  const { router, includeArguments, toolOf = toolFromId, approvalUrl, inDoubtUrl } = words;
  const head = { id: `evt_${index}`, at: new Date(event.at).toISOString() };
  const named = (capId: string): { name: string; facts: JsonObject } => {
    const tool = toolOf(capId);
    if (tool === undefined) return { name: capId, facts: { capId } };
    return { name: `${tool.server} › ${tool.tool}`, facts: { capId, server: tool.server, tool: tool.tool } };
  };
  const link = (url: string | undefined): { url?: string } => (url === undefined ? {} : { url });
  switch (event.type) {
    case "approval.requested": {
      const { approvalId, tenant, requester, capId, expiresAt } = event;
      const record = await router.store.approvals.read(approvalId);
      const { name, facts } = named(capId);
      return {
        ...head,
        type: event.type,
        summary: `${requester} asks for approval of ${name}${record === undefined ? "" : `, ${record.riskTier} risk`}.`,
        ...link(approvalUrl(approvalId)),
        facts: {
          ...{ approvalId, tenant, requester, ...facts, expiresAt: new Date(expiresAt).toISOString() },
          ...(record !== undefined && { riskTier: record.riskTier, reason: record.reason }),
          ...(includeArguments && record && { arguments: record.args, text: router.approvals.render(record) }),
        },
      };
    }
    case "approval.decided": {
      const { approvalId, tenant, status, by } = event;
      const record = await router.store.approvals.read(approvalId);
      const { name, facts } = named(record?.capId ?? "");
      return {
        ...head,
        type: event.type,
        summary: `${by} has ${status} ${record === undefined ? "a request" : `${name} for ${record.requester}`}.`,
        ...link(approvalUrl(approvalId)),
        facts: { approvalId, tenant, status, by, ...(record && { ...facts, requester: record.requester }) },
      };
    }
    case "call.in_doubt": {
      const { tenant, principal, capId, reason, operation } = event;
      const { name, facts } = named(capId);
      return {
        ...head,
        type: "operation.in_doubt",
        summary: `Nobody knows whether ${name} of ${principal} has happened: ${reason}`,
        ...link(inDoubtUrl()),
        facts: { tenant, requester: principal, ...facts, reason, ...(operation !== undefined && { operation }) },
      };
    }
    default:
      return undefined;
  }
}
