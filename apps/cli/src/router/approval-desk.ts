import { ToolglotError } from "@toolglot/core";
import type { Router } from "@toolglot/trp-core";
import type { ApprovalRecord, ApprovalStatus } from "@toolglot/trp-core/store";
import { localOperator } from "./environment.ts";

/** A request for approval, with the router's own words for it. */
export type ShownApproval = ApprovalRecord & { text: string };

/** Where a person decides about requests. Methods reject with `ToolglotError` when something can't be decided. */
export interface ApprovalDesk {
  list(status?: ApprovalStatus): Promise<ShownApproval[]>;
  decide(verb: "approve" | "deny", id: string, comment?: string): Promise<ShownApproval>;
}

/** A desk inside the router, for `local-operator`. */
export function deskOf({ approvals }: Router): ApprovalDesk {
  const shown = (approval: ApprovalRecord): ShownApproval => ({ ...approval, text: approvals.render(approval) });
  return {
    list: async (status) => (await approvals.list(localOperator, status && { status })).map(shown),
    decide: async (verb, id, comment) => shown(await approvals[verb](localOperator, id, comment)),
  };
}

/** No router answers at that address. Code `router-unreachable`. */
export const unreachable = "router-unreachable";

/** A desk over a running router's HTTP API. The token identifies the person who decides. */
export function remoteDesk(url: string, token: string | undefined): ApprovalDesk {
  const ask = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    let response: Response;
    try {
      response = await fetch(new URL(path, url), {
        method: body ? "POST" : "GET",
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      });
    } catch (error) {
      throw new ToolglotError(unreachable, `No router answers at ${url}.`, { cause: error });
    }
    const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    if (response.ok) return answer;
    const { code = "router-refused", message } = (answer.error ?? {}) as { code?: string; message?: string };
    const what = message ?? `The router at ${url} answered ${response.status}.`;
    const cure = response.status === 401 ? " Give the --token of somebody with the role approver." : "";
    throw new ToolglotError(code, what + cure);
  };
  return {
    async list(status) {
      const { approvals } = await ask(`/trp/approvals${status ? `?status=${status}` : ""}`);
      return approvals as ShownApproval[];
    },
    async decide(verb, id, comment) {
      const path = `/trp/approvals/${encodeURIComponent(id)}/${verb}`;
      return (await ask(path, comment === undefined ? {} : { comment })).approval as ShownApproval;
    },
  };
}
