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
import type { Database } from "../database/database.ts";
import type { Reader, Row, Transaction } from "../database/transaction.ts";
import { Overtaken } from "../errors.ts";
import { lockFor, sameTransactionText, writeSameTransaction } from "./answers.ts";
import { keepPlace, knownAt, lockOperation, operationId, placeMs } from "./operation-rows.ts";

/** Approvals in PostgreSQL. */
export function postgresApprovals(database: Database): ApprovalStore {
  return {
    async request(wanted) {
      checkApproval(wanted);
      const copy = { ...structuredClone(wanted), ttlMs: Math.ceil(Math.min(wanted.ttlMs, 1e15)) };
      return database.write(async (tx) => {
        // The row of the operation, or one in its place, is what stands between this and a start with the same key.
        const found = await lockOperation(tx, copy.operation);
        const now = await tx.now();
        const operation = knownAt(found, now)?.kept?.record;
        const newest = found && (await newestApproval(tx, copy.operation));
        const result = requestApproval(newest, operation, copy, now);
        if (result.status !== "created") return result;
        const { record } = result;
        const taken = await findApproval(tx, copy.id);
        // It may have been made since its operation was looked for.
        if (taken && !found && isSame(taken.operation, copy.operation)) throw new Overtaken();
        if (taken) throw idTaken("approvals.request", copy.id);
        const { maxPending } = copy;
        if (maxPending !== undefined && (await countPending(tx, record, maxPending)) >= maxPending) {
          return { status: "too-many", record };
        }
        const until = record.expiresAt + placeMs;
        if (!found && !(await keepPlace(tx, copy.operation, until))) throw new Overtaken();
        await insertApproval(tx, record);
        const events = copy.outbox ? [approvalRequested(record)] : [];
        await writeSameTransaction(tx, sameTransactionText({ events }));
        return result;
      });
    },
    async read(id) {
      return database.read(async (reader) => {
        const record = await findApproval(reader, id);
        return record && approvalAt(record, await reader.now());
      });
    },
    async list({ tenant, requester, status, before, limit = 100 }) {
      return database.read(async (reader) => {
        const now = await reader.now();
        const below = before === undefined ? Number.MAX_SAFE_INTEGER : await placeOf(reader, before);
        const conditions = status === undefined ? ["true"] : statusConditions[status];
        const size = Math.ceil(Math.min(limit, Number.MAX_SAFE_INTEGER));
        const values = [columnText(tenant), requester === undefined ? null : columnText(requester), now, below, size];
        const whose = requester === undefined ? "$2::text IS NULL" : "requester = $2";
        const pages = conditions.map((condition) => {
          const sql = `SELECT n, id, record FROM @approvals WHERE tenant = $1 AND ${whose} AND ${condition}
            AND $3::bigint > 0 AND n < $4 ORDER BY n DESC LIMIT $5`;
          return reader.all(sql, ...values);
        });
        const rows = (await Promise.all(pages)).flat();
        rows.sort((one, other) => Number(other.n) - Number(one.n));
        return rows.slice(0, size).map((row) => approvalAt(recordOf(reader, row), now));
      });
    },
    async decide(id, { status, by, comment }, together) {
      const beside = sameTransactionText(together);
      const decision = { status, by, ...(comment !== undefined && { comment }) };
      return database.write(async (tx) => {
        await lockFor(tx, beside);
        const found = await lockApproval(tx, id);
        const record = decideApproval(found, decision, await tx.now());
        if (!record) return undefined;
        await writeApproval(tx, record);
        await writeSameTransaction(tx, beside);
        return record;
      });
    },
  };
}

const isSame = (one: OperationKey, other: OperationKey): boolean => one.scope === other.scope && one.key === other.key;

/** The number of a record; of one that is not known, a number below all. */
async function placeOf(reader: Reader, id: string): Promise<number> {
  return Number((await reader.get("SELECT n FROM @approvals WHERE id = $1", columnText(id)))?.n ?? 0);
}

/** What each status is in the columns, where `$3` is the time. Whether one has expired depends on `expires_at`. */
const statusConditions: Readonly<Record<ApprovalStatus, readonly string[]>> = {
  pending: ["status = 'pending' AND expires_at > $3"],
  approved: ["status = 'approved' AND expires_at > $3"],
  expired: ["status = 'pending' AND expires_at <= $3", "status = 'approved' AND expires_at <= $3"],
  denied: ["status = 'denied'"],
  used: ["status = 'used'"],
};

/** Returns how many requests of a requester wait for a decision; no more than `most` are counted. */
async function countPending(reader: Reader, { tenant, requester }: ApprovalRecord, most: number): Promise<number> {
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM @approvals
    WHERE tenant = $1 AND requester = $2 AND status = 'pending' AND expires_at > $3 LIMIT $4) AS pending`;
  const limit = Math.ceil(Math.min(most, Number.MAX_SAFE_INTEGER));
  const row = await reader.get(sql, columnText(tenant), columnText(requester), await reader.now(), limit);
  return Number(row?.n);
}

async function findApproval(reader: Reader, id: string): Promise<ApprovalRecord | undefined> {
  const row = await reader.get("SELECT id, record FROM @approvals WHERE id = $1", columnText(id));
  return row && recordOf(reader, row);
}

async function lockApproval(tx: Transaction, id: string): Promise<ApprovalRecord | undefined> {
  const row = await tx.get("SELECT id, record FROM @approvals WHERE id = $1 FOR UPDATE", columnText(id));
  return row && recordOf(tx, row);
}

/** Returns the newest approval of an operation, and locks it, so that nobody decides it meanwhile. */
export async function newestApproval(tx: Transaction, operation: OperationKey): Promise<ApprovalRecord | undefined> {
  const sql = "SELECT id, record FROM @approvals WHERE operation = $1 ORDER BY n DESC LIMIT 1 FOR UPDATE";
  const row = await tx.get(sql, operationId(operation));
  return row && recordOf(tx, row);
}

async function writeApproval(tx: Transaction, record: ApprovalRecord): Promise<void> {
  const sql = "UPDATE @approvals SET status = $1, record = $2 WHERE id = $3";
  await tx.change(sql, record.status, JSON.stringify(record), columnText(record.id));
}

async function insertApproval(tx: Transaction, record: ApprovalRecord): Promise<void> {
  const { id, tenant, requester, status, operation, expiresAt } = record;
  const sql = `INSERT INTO @approvals (id, tenant, requester, status, operation, expires_at, record)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`;
  const texts = [columnText(id), columnText(tenant), columnText(requester), status];
  const values = [...texts, operationId(operation), expiresAt, JSON.stringify(record)];
  // Another transaction has taken the id since it was looked for.
  if ((await tx.change(sql, ...values)) === 0) throw new Overtaken();
}

/** Returns whether there may be more to drop. */
export async function pruneApprovals(tx: Transaction, atOnce: number): Promise<boolean> {
  const now = await tx.now();
  // A resumed operation may use its approval once more.
  const sql = `DELETE FROM @approvals WHERE n IN (SELECT n FROM @approvals a WHERE expires_at <= $1
    AND NOT (status = 'used' AND EXISTS (SELECT 1 FROM @operations o WHERE o.id = a.operation AND o.state <> 'none'
      AND (o.due_at IS NULL OR o.due_at > $2))) ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED)`;
  return (await tx.change(sql, now - approvalMemoryMs, now, atOnce)) === atOnce;
}

function recordOf(reader: Reader, { id, record }: Row): ApprovalRecord {
  return reader.parse<ApprovalRecord>(
    record,
    "approvals",
    String(id),
    ({ expiresAt, operation, status }) =>
      typeof expiresAt === "number" && typeof operation?.key === "string" && typeof status === "string",
  );
}

/** Uses up an approval for an operation: a record, or a token. `write` is called once the operation begins. */
export async function useOf(
  tx: Transaction,
  approval: ApprovalUse,
  request: ClaimRequest,
  resumed: boolean,
  now: number,
): Promise<{ refused: ReturnType<typeof useToken> & string } | { write(): Promise<void> }> {
  if (approval.kind === "record") {
    const used = useApproval(await lockApproval(tx, approval.id), approval, request, resumed, now);
    return "refused" in used ? used : { write: () => writeApproval(tx, used.record) };
  }
  const jti = columnText(approval.jti);
  const operation = JSON.stringify({ scope: request.scope, key: request.key });
  // Who comes second waits here for the first one's commit, and finds the token spent.
  const spend = "INSERT INTO @tokens (jti, operation, expires_at) VALUES ($1, $2, $3) ON CONFLICT (jti) DO NOTHING";
  const isNew = (await tx.change(spend, jti, operation, Math.ceil(approval.expiresAt))) > 0;
  const spent = isNew ? undefined : await tx.get("SELECT operation FROM @tokens WHERE jti = $1", jti);
  const by =
    spent && tx.parse<OperationKey>(spent.operation, "tokens", approval.jti, (key) => typeof key.scope === "string");
  const refused = useToken(by, approval, request, resumed, now);
  if (refused && isNew) await tx.change("DELETE FROM @tokens WHERE jti = $1", jti);
  return refused ? { refused } : { write: async () => undefined };
}
