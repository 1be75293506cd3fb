import { type ChangeWait, ToolglotError } from "@toolglot/core";
import { checkKeys, sleep } from "@toolglot/internal";
import { aboutNoCall } from "../audit/about-no-call.ts";
import { auditKey, type FieldsOf, withFields } from "../audit/logger.ts";
import type { AuditEntry } from "../audit/types.ts";
import { operationId } from "../calls/keyed/keys.ts";
import type { RegisteredCapability } from "../catalog/types.ts";
import { randomId } from "../digest/ids.ts";
import { approvalRequested } from "../events/approval-events.ts";
import type { NewEvent, RouterEvent } from "../events/types.ts";
import type { Principal } from "../identity/types.ts";
import type { PolicyDecision } from "../policy/types.ts";
import type { ApprovalRecord, ApprovalStatus, ApprovalStore } from "../store/approval-types.ts";
import type { RouterStore } from "../store/types.ts";
import { renderApproval } from "./render.ts";

/** What approvals are made of. */
export interface ApprovalDependencies {
  store: Pick<RouterStore, "approvals" | "now">;
  emit(event: RouterEvent): void;
  /** Default: role `approver`, in the request's tenant. The requester never may, whatever this returns. */
  mayDecide?: (who: Principal, approval: ApprovalRecord) => boolean;
  /** How long a request waits, and an approval holds. Milliseconds. */
  approvalTtlMs: number;
  /** How many requests of one principal may wait. Default: no limit. */
  maxPending?: number;
  /** As in `CallDependencies`. */
  outbox?: boolean;
  /** As in `CallDependencies`. */
  auditFields?: FieldsOf | undefined;
}

/** Requests for approval, for people. */
export interface ApprovalRequests {
  /**
   * Newest first; `limit` at most 500, default 100. `before`: those that were made before the one of this id, as the last
   * of a page.
   */
  list(
    who: Principal,
    filter?: { status?: ApprovalStatus; before?: string; limit?: number },
  ): Promise<ApprovalRecord[]>;
  /** One by id, for the requester and those who may decide. Undefined alike for unknown and hidden ones. */
  read(who: Principal, id: string): Promise<ApprovalRecord | undefined>;
  /** Rejects with `ToolglotError` `trp/approval-…`: `not-found`, `not-allowed`, `own-request`, `not-pending`. */
  approve(who: Principal, id: string, comment?: string): Promise<ApprovalRecord>;
  deny(who: Principal, id: string, comment?: string): Promise<ApprovalRecord>;
  /** Resolves when somebody may have decided, in whatever process, or after `ms`, or with the signal. A hint: read it then. */
  whenChanged(id: string, wait: ChangeWait): Promise<void>;
  /** Returns the request in words, as the approver is to see it: capability, risk, requester, every argument. */
  render(approval: ApprovalRecord): string;
}

/** The same, and what the path of a call needs. */
export interface Approvals extends ApprovalRequests {
  /** The record that a call waits for, made when there is none. Rejects when the store does. */
  request(
    call: { principal: Principal; capability: RegisteredCapability },
    wanted: Pick<ApprovalRecord, "operation" | "fingerprint" | "args"> & { decision: PolicyDecision; version: string },
  ): ReturnType<ApprovalStore["request"]>;
}

/** How many a list has at most. For more, ask for those before the last one. */
const maxPage = 500;

/** The model gets a comment, no longer than this. */
const maxComment = 1_000;

/**
 * Requests for consent, and the decisions about them (TRP v0.1 draft, 11.2). Somebody else than the requester decides,
 * in the same tenant; every decision is in the audit log, in the transaction that makes it.
 */
export function createApprovals(dependencies: ApprovalDependencies): Approvals {
  const { store, emit, mayDecide = hasApproverRole, approvalTtlMs, maxPending, outbox, auditFields } = dependencies;

  function sees(who: Principal, approval: ApprovalRecord): boolean {
    return approval.tenant === who.tenant && (approval.requester === who.id || mayDecide(who, approval));
  }

  async function decide(
    who: Principal,
    id: string,
    status: "approved" | "denied",
    comment: string | undefined,
  ): Promise<ApprovalRecord> {
    if (typeof id !== "string") throw new TypeError("an approval is decided by its id, a string");
    if (comment !== undefined && typeof comment !== "string") throw new TypeError("comment must be a string");
    const approval = await store.approvals.read(id);
    if (approval === undefined || approval.tenant !== who.tenant)
      throw refusal("not-found", "there is no such request", id);
    // Before the role: the requester gets the reason that no role can change.
    if (approval.requester === who.id) {
      throw refusal("own-request", "nobody decides about a request of their own", id);
    }
    if (!mayDecide(who, approval)) {
      throw refusal("not-allowed", `${who.id} may not decide about requests`, id);
    }
    const decision = {
      status,
      by: who.id,
      ...(comment === undefined ? {} : { comment: comment.slice(0, maxComment) }),
    };
    const event: NewEvent = {
      ...{ type: "approval.decided", approvalId: id, tenant: approval.tenant, status, by: who.id },
      operation: operationId(approval.operation),
    };
    const { tenant, requester: principal, capId } = approval;
    const fields = auditFields?.({ tenant, principal, capId, key: approval.operation.key });
    const row = withFields(auditRow(approval, status, who), fields);
    const together = { audit: [row], ...(outbox && { events: [event] }) };
    const decided = await store.approvals.decide(id, decision, together);
    if (decided === undefined) {
      const now = await store.approvals.read(id);
      throw refusal("not-pending", "the request is not pending any more", id, { status: now?.status ?? "expired" });
    }
    emit({ at: store.now(), ...event });
    return decided;
  }

  return {
    async list(who, given = {}) {
      checkKeys(
        "approvals.list",
        given,
        'status:"denied"|"pending"|"approved"|"used"|"expired" before:string limit:number',
      );
      const { limit = 100, ...rest } = given;
      const filter = { ...rest, limit: Math.min(limit, maxPage) };
      // By itself: the requests of others must not push one's own out of the list.
      const own = await store.approvals.list({ ...filter, tenant: who.tenant, requester: who.id });
      if (mayDecide === hasApproverRole && !hasApproverRole(who)) return own;
      const newest = await store.approvals.list({ ...filter, tenant: who.tenant });
      const ids = new Set(newest.map(({ id }) => id));
      // What is not among the newest is older than all of them.
      const found = [...newest.filter((approval) => sees(who, approval)), ...own.filter(({ id }) => !ids.has(id))];
      return found.slice(0, filter.limit);
    },
    approve: (who, id, comment) => decide(who, id, "approved", comment),
    deny: (who, id, comment) => decide(who, id, "denied", comment),
    render: renderApproval,
    async read(who, id) {
      const approval = await store.approvals.read(id);
      return approval !== undefined && sees(who, approval) ? approval : undefined;
    },
    async whenChanged(id, { ms, signal }) {
      await (store.approvals.whenChanged?.(id, { ms, signal }) ?? sleep(ms, signal));
    },
    async request(call, { operation, fingerprint, args, decision, version }) {
      const { principal, capability } = call;
      const requested = await store.approvals.request({
        id: randomId("apr"),
        tenant: principal.tenant,
        requester: principal.id,
        operation,
        capId: capability.capId,
        fingerprint,
        args,
        riskTier: capability.definition.riskTier,
        reason: decision.reason,
        policyVersion: version,
        ttlMs: approvalTtlMs,
        ...(maxPending === undefined ? {} : { maxPending }),
        ...(outbox && { outbox }),
      });
      if (requested.status === "created") emit({ at: store.now(), ...approvalRequested(requested.record) });
      return requested;
    },
  };
}

function hasApproverRole(who: Principal): boolean {
  return who.roles.includes("approver");
}

function refusal(why: string, message: string, id: string, more: Record<string, unknown> = {}): ToolglotError {
  return new ToolglotError(`trp/approval-${why}`, message, { data: { id, ...more } });
}

/** Returns the row about a decision. */
function auditRow(approval: ApprovalRecord, status: "approved" | "denied", who: Principal): AuditEntry {
  return {
    ...aboutNoCall,
    kind: "approval",
    tenant: approval.tenant,
    principal: approval.requester,
    cap_id: approval.capId,
    idempotency_key: auditKey(approval.tenant, approval.operation.key),
    policy_decision: "approve",
    policy_version: approval.policyVersion,
    result_status: status === "approved" ? "APPROVED" : "DENIED",
    decided_by: who.id,
    approval_id: approval.id,
    ...(approval.deniedBefore === undefined ? {} : { denied_before: approval.deniedBefore.id }),
  };
}
