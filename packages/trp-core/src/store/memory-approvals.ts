import { tidyOperation } from "@toolglot/core/operation-log";
import { copyJson } from "@toolglot/internal";
import { approvalRequested } from "../events/approval-events.ts";
import { approvalAt, decideApproval, requestApproval } from "./approval-rules.ts";
import type { ApprovalRecord, ApprovalStore } from "./approval-types.ts";
import { checkApproval, idTaken } from "./checks.ts";
import type { SameTransaction } from "./frame-types.ts";
import type { MemoryFrames } from "./memory-frames.ts";
import { type MemoryTables, mapKey } from "./memory-tables.ts";

/** Approvals of a `MemoryStore`. */
export class MemoryApprovals implements ApprovalStore {
  readonly #tables: MemoryTables;
  readonly #sessions: MemoryFrames;

  constructor(tables: MemoryTables, sessions: MemoryFrames) {
    this.#tables = tables;
    this.#sessions = sessions;
  }

  async request(wanted: Parameters<ApprovalStore["request"]>[0]): ReturnType<ApprovalStore["request"]> {
    const now = this.#tables.enter();
    checkApproval(wanted);
    const { operations, approvals, newestApproval } = this.#tables;
    const key = mapKey(wanted.operation);
    const kept = operations.get(key);
    const { status, record } = requestApproval(
      this.#tables.newestApprovalOf(wanted.operation),
      kept && tidyOperation(kept, now)?.record,
      copyJson(wanted),
      now,
    );
    if (status === "created") {
      if (approvals.has(record.id)) throw idTaken("approvals.request", record.id);
      const { maxPending = Number.POSITIVE_INFINITY } = wanted;
      if (this.#tables.pendingCount(record, now) >= maxPending) return { status: "too-many", record: copyJson(record) };
      const keepEvent = this.#tables.outbox.prepare(wanted.outbox ? [approvalRequested(record)] : [], now);
      this.#tables.added(now);
      this.#tables.keepApproval(record);
      keepEvent();
      newestApproval.set(key, record.id);
    }
    return { status, record: copyJson(record) };
  }

  async read(id: string): Promise<ApprovalRecord | undefined> {
    const now = this.#tables.enter();
    const record = this.#tables.approvals.get(id);
    return record && copyJson(approvalAt(record, now));
  }

  async list({
    tenant,
    requester,
    status,
    before,
    limit = 100,
  }: Parameters<ApprovalStore["list"]>[0]): Promise<ApprovalRecord[]> {
    const now = this.#tables.enter();
    const found: ApprovalRecord[] = [];
    if (before !== undefined && !this.#tables.approvals.has(before)) return found;
    for (const kept of this.#tables.approvals.values()) {
      if (kept.id === before) break;
      const record = approvalAt(kept, now);
      if (record.tenant !== tenant || (requester !== undefined && record.requester !== requester)) continue;
      if (status === undefined || record.status === status) found.push(record);
    }
    return copyJson(found.reverse().slice(0, limit));
  }

  async decide(
    id: string,
    decision: Parameters<ApprovalStore["decide"]>[1],
    { answer, ...rows }: SameTransaction = {},
  ): Promise<ApprovalRecord | undefined> {
    const now = this.#tables.enter();
    const record = decideApproval(this.#tables.approvals.get(id), decision, now);
    if (!record) return undefined;
    const keepRows = this.#tables.prepareRows(rows, now);
    const keepAnswer = answer && this.#sessions.prepare(answer, now);
    this.#tables.keepApproval(record);
    keepRows();
    keepAnswer?.();
    return copyJson(record);
  }
}
