import type { OperationKey } from "@toolglot/core";
import {
  type ApprovalRecord,
  type ApprovalStore,
  approvalAt,
  approvalMemoryMs,
  checkApproval,
  decideApproval,
  idTaken,
  requestApproval,
} from "@toolglot/trp-core/store";
import type { Row } from "../driver.ts";
import type { GroupCommit } from "../group-commit.ts";
import { columnText, type Transaction } from "../transaction.ts";
import { findOperation } from "./operation-rows.ts";
import { alongText, writeAlong } from "./operations.ts";

/** Approvals in SQLite. */
export function sqliteApprovals(commits: GroupCommit): ApprovalStore {
  return {
    async request(wanted) {
      checkApproval(wanted);
      const copy = structuredClone(wanted);
      return commits.write((tx) => {
        const now = tx.now();
        const operation = findOperation(tx, copy.operation)?.kept.record;
        const result = requestApproval(newestApproval(tx, copy.operation), operation, copy, now);
        if (result.status === "created") {
          if (findApproval(tx, copy.id)) throw idTaken("approvals.request", copy.id);
          insertApproval(tx, result.record);
        }
        return result;
      });
    },
    async read(id) {
      return commits.read((tx) => {
        const record = findApproval(tx, id);
        return record && approvalAt(record, tx.now());
      });
    },
    async list({ tenant, requester, status, limit = 100 }) {
      return commits.read((tx) => {
        const now = tx.now();
        const found: ApprovalRecord[] = [];
        // As it stands in a record: others are not even read, but for those that have the same in their arguments.
        const named = JSON.stringify({ requester }).slice(1, -1);
        let below = Number.MAX_SAFE_INTEGER;
        // Whether one has expired is not in a column: read on until there are enough.
        while (found.length < limit) {
          const rows =
            requester === undefined
              ? tx.all(newestOf(""), columnText(tenant), below)
              : tx.all(newestOf("AND instr(record, ?) > 0"), columnText(tenant), below, named);
          for (const row of rows) {
            const record = approvalAt(recordOf(tx, row), now);
            if (requester !== undefined && record.requester !== requester) continue;
            if (status === undefined || record.status === status) found.push(record);
          }
          if (rows.length < 100) break;
          below = Number(rows.at(-1)?.n);
        }
        return found.slice(0, limit);
      });
    },
    async decide(id, { status, by, comment }, along) {
      const beside = alongText(along);
      const decision = { status, by, ...(comment !== undefined && { comment }) };
      return commits.write((tx) => {
        const record = decideApproval(findApproval(tx, id), decision, tx.now());
        if (!record) return undefined;
        writeApproval(tx, record);
        writeAlong(tx, beside);
        return record;
      });
    },
  };
}

function newestOf(condition: string): string {
  return `SELECT n, id, record FROM approvals WHERE tenant = ? AND n < ? ${condition} ORDER BY n DESC LIMIT 100`;
}

export function findApproval(tx: Transaction, id: string): ApprovalRecord | undefined {
  const row = tx.get("SELECT id, record FROM approvals WHERE id = ?", columnText(id));
  return row && recordOf(tx, row);
}

const anyApproval = "any approval";

export function newestApproval(tx: Transaction, { scope, key }: OperationKey): ApprovalRecord | undefined {
  // Asked about every key that is claimed, and mostly there are none at all.
  if (!tx.held(anyApproval, () => tx.get("SELECT 1 AS found FROM approvals LIMIT 1") !== undefined)) return undefined;
  const sql = "SELECT id, record FROM approvals WHERE scope = ? AND key = ? ORDER BY n DESC LIMIT 1";
  const row = tx.get(sql, columnText(scope), columnText(key));
  return row && recordOf(tx, row);
}

export function writeApproval(tx: Transaction, record: ApprovalRecord): void {
  const used = record.status === "used" ? 1 : 0;
  tx.run("UPDATE approvals SET used = ?, record = ? WHERE id = ?", used, JSON.stringify(record), columnText(record.id));
}

/** Gives whether there may be more. */
export function pruneApprovals(tx: Transaction, atOnce: number): boolean {
  const now = tx.now();
  // An operation that goes on may use its approval once more.
  const sql = `SELECT n FROM approvals AS a WHERE expires_at <= ? AND NOT (used = 1 AND EXISTS (
      SELECT 1 FROM operations AS o WHERE o.scope = a.scope AND o.key = a.key
      AND o.state <> 'forgotten' AND (o.due_at IS NULL OR o.due_at > ?)
    )) LIMIT ?`;
  const due = tx.all(sql, now - approvalMemoryMs, now, atOnce);
  for (const { n } of due) tx.run("DELETE FROM approvals WHERE n = ?", n as number);
  return due.length === atOnce;
}

function insertApproval(tx: Transaction, record: ApprovalRecord): void {
  tx.letGo(anyApproval);
  const { id, tenant, operation, expiresAt } = record;
  tx.run(
    "INSERT INTO approvals (id, tenant, scope, key, used, expires_at, record) VALUES (?, ?, ?, ?, 0, ?, ?)",
    ...[columnText(id), columnText(tenant), columnText(operation.scope), columnText(operation.key)],
    ...[expiresAt, JSON.stringify(record)],
  );
}

function recordOf(tx: Transaction, { id, record }: Row): ApprovalRecord {
  return tx.parse<ApprovalRecord>(
    record,
    "approvals",
    String(id),
    ({ expiresAt, operation, status }) =>
      typeof expiresAt === "number" && typeof operation?.key === "string" && typeof status === "string",
  );
}
