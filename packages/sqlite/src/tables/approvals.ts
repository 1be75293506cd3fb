import type { ClaimRequest, OperationKey } from "@toolglot/core";
import { columnText } from "@toolglot/internal";
import {
  type ApprovalRecord,
  type ApprovalStatus,
  type ApprovalStore,
  type ApprovalUse,
  approvalAt,
  approvalMemoryMs,
  approvalRequested,
  checkApproval,
  decideApproval,
  idTaken,
  requestApproval,
  useApproval,
  useToken,
} from "@toolglot/trp-core/store";
import type { Row } from "../drivers/types.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { Transaction } from "../transaction.ts";
import { sameTransactionText, writeSameTransaction } from "./answers.ts";
import { findOperation } from "./operation-rows.ts";
import { writeEvents } from "./outbox.ts";

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
          const { maxPending } = copy;
          if (maxPending !== undefined && countPending(tx, result.record, maxPending) >= maxPending) {
            return { status: "too-many", record: result.record };
          }
          insertApproval(tx, result.record);
          if (copy.outbox) writeEvents(tx, [JSON.stringify(approvalRequested(result.record))]);
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
    async list({ tenant, requester, status, before, limit = 100 }) {
      const found: ApprovalRecord[] = [];
      const about: About = { tenant, ...(requester === undefined ? {} : { requester }) };
      let below: number | undefined;
      // A piece at a time: a record may be long, and the process has others to answer.
      for (let done = false; !done; ) {
        const most = Math.min(pageSize, limit - found.length);
        const page = await commits.read((tx) => {
          below ??= before === undefined ? Number.MAX_SAFE_INTEGER : placeOf(tx, before);
          return listPage(tx, about, status, below, most);
        });
        found.push(...page.records);
        below = page.below;
        done = page.records.length < most || found.length >= limit;
      }
      return found;
    },
    async decide(id, { status, by, comment }, together) {
      const beside = sameTransactionText(together);
      const decision = { status, by, ...(comment !== undefined && { comment }) };
      return commits.write((tx) => {
        const record = decideApproval(findApproval(tx, id), decision, tx.now());
        if (!record) return undefined;
        writeApproval(tx, record);
        writeSameTransaction(tx, beside);
        return record;
      });
    },
  };
}

/** Read at one time. */
const pageSize = 50;

interface About {
  tenant: string;
  requester?: string;
}

/** The number of a record; of one that is not known, a number below all. */
function placeOf(tx: Transaction, id: string): number {
  return Number(tx.get("SELECT n FROM approvals WHERE id = ?", columnText(id))?.n ?? 0);
}

/** What each status is in the columns, each by an index of its own. */
const statusConditions: Readonly<Record<ApprovalStatus, readonly string[]>> = {
  pending: ["status = 'pending' AND expires_at > ?"],
  approved: ["status = 'approved' AND expires_at > ?"],
  expired: ["status = 'pending' AND expires_at <= ?", "status = 'approved' AND expires_at <= ?"],
  denied: ["status = 'denied' AND ? IS NOT NULL"],
  used: ["status = 'used' AND ? IS NOT NULL"],
};

/** Newest first, below a number. */
function listPage(
  tx: Transaction,
  { tenant, requester }: About,
  status: ApprovalStatus | undefined,
  below: number,
  most: number,
): { records: ApprovalRecord[]; below: number } {
  const now = tx.now();
  const whose = requester === undefined ? "tenant = ?" : "tenant = ? AND requester = ?";
  const about = requester === undefined ? [columnText(tenant)] : [columnText(tenant), columnText(requester)];
  const conditions = status === undefined ? ["? IS NOT NULL"] : statusConditions[status];
  const rows = conditions.flatMap((condition) => {
    const sql = `SELECT n, id, record FROM approvals WHERE ${whose} AND ${condition} AND n < ? ORDER BY n DESC LIMIT ?`;
    return tx.all(sql, ...about, now, below, most);
  });
  rows.sort((one, other) => Number(other.n) - Number(one.n));
  const page = rows.slice(0, most);
  return { records: page.map((row) => approvalAt(recordOf(tx, row), now)), below: Number(page.at(-1)?.n ?? 0) };
}

/** Returns how many requests of a requester wait for a decision; no more than `most` are counted. */
function countPending(tx: Transaction, { tenant, requester }: ApprovalRecord, most: number): number {
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM approvals
    WHERE tenant = ? AND requester = ? AND status = 'pending' AND expires_at > ? LIMIT ?)`;
  return Number(tx.get(sql, columnText(tenant), columnText(requester), tx.now(), most)?.n);
}

function findApproval(tx: Transaction, id: string): ApprovalRecord | undefined {
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

function writeApproval(tx: Transaction, record: ApprovalRecord): void {
  const { id, status } = record;
  const sql = "UPDATE approvals SET used = ?, status = ?, record = ? WHERE id = ?";
  tx.run(sql, status === "used" ? 1 : 0, status, JSON.stringify(record), columnText(id));
}

/** Returns whether there may be more to drop. */
export function pruneApprovals(tx: Transaction, atOnce: number): boolean {
  const now = tx.now();
  // A resumed operation may use its approval once more.
  const sql = `SELECT n FROM approvals AS a WHERE expires_at <= ? AND NOT (used = 1 AND EXISTS (
      SELECT 1 FROM operations AS o WHERE o.scope = a.scope AND o.key = a.key
      AND o.state <> 'forgotten' AND (o.due_at IS NULL OR o.due_at > ?)
    )) LIMIT ?`;
  const due = tx.all(sql, now - approvalMemoryMs, now, atOnce);
  for (const { n } of due) tx.run("DELETE FROM approvals WHERE n = ?", n as number);
  return due.length === atOnce;
}

function insertApproval(tx: Transaction, record: ApprovalRecord): void {
  tx.drop(anyApproval);
  const { id, tenant, requester, status, operation, expiresAt } = record;
  tx.run(
    `INSERT INTO approvals (id, tenant, requester, status, scope, key, used, expires_at, record)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)`,
    ...[columnText(id), columnText(tenant), columnText(requester), status],
    ...[columnText(operation.scope), columnText(operation.key), expiresAt, JSON.stringify(record)],
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

/** Uses up an approval for an operation: a record, or a token. `write` is called once the operation begins. */
export function useOf(
  tx: Transaction,
  approval: ApprovalUse,
  request: ClaimRequest,
  resumed: boolean,
  now: number,
): { refused: ReturnType<typeof useToken> & string } | { write(): void } {
  if (approval.kind === "record") {
    const used = useApproval(findApproval(tx, approval.id), approval, request, resumed, now);
    return "refused" in used ? used : { write: () => writeApproval(tx, used.record) };
  }
  const jti = columnText(approval.jti);
  const spent = tx.get("SELECT operation FROM tokens WHERE jti = ?", jti);
  const spentBy =
    spent && tx.parse<OperationKey>(spent.operation, "tokens", approval.jti, (by) => typeof by.scope === "string");
  const refused = useToken(spentBy, approval, request, resumed, now);
  if (refused) return { refused };
  const operation = JSON.stringify({ scope: request.scope, key: request.key });
  const sql = "INSERT OR REPLACE INTO tokens (jti, operation, expires_at) VALUES (?, ?, ?)";
  return { write: () => tx.run(sql, jti, operation, approval.expiresAt) };
}
