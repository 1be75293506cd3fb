import type { ClaimRequest } from "@toolglot/core";
import { columnText } from "@toolglot/internal";
import {
  type Admission,
  type RouterOperationLog,
  type StartOptions,
  type StartResult,
  startedResult,
} from "@toolglot/trp-core/store";
import type { Acknowledged } from "../database/acknowledged.ts";
import type { Database } from "../database/database.ts";
import { type Row, timed } from "../database/transaction.ts";
import { sameTransactionText, writeSameTransaction } from "../tables/answers.ts";
import { operationId } from "../tables/operation-rows.ts";
import { checked, endOf, type Start, start, startOf } from "../tables/operations.ts";
import type { FrameQueue } from "./fast-frames.ts";
import { newWriteId, Parameters } from "./parameters.ts";
import { admissionParts, answeredCall, answerPart, isPlain, stagedParts } from "./parts.ts";

const day = 24 * 60 * 60 * 1000;

/** `o` begins an operation of a new key, unless one with its effect is unsettled. `source`: what must have a row. */
function startPart(
  p: Parameters,
  request: ClaimRequest,
  { texts, again }: Start,
  source: string,
  writeId: number,
): string {
  const { scope, key, fingerprint, owner, leaseMs, ttlMs = day, keepMs = 0 } = request;
  const text = (value: string | undefined): string => p.add(value ?? null, "text");
  const effect = text(texts.effectId === undefined ? undefined : columnText(texts.effectId));
  const values = [
    p.add(operationId(request), "bytea"),
    ...[scope, key, fingerprint].map((one) => text(columnText(one))),
    "'started', nextval('@fences')",
    text(columnText(owner)),
    `t.now + ${p.add(leaseMs, "bigint")}, t.now, t.now`,
    p.add(ttlMs, "bigint"),
    p.add(keepMs, "bigint"),
    effect,
    text(texts.data),
    p.add(writeId, "bigint"),
  ];
  const isFree =
    again || texts.effectId === undefined
      ? ""
      : `WHERE NOT EXISTS (SELECT 1 FROM @operations u WHERE u.effect_id = ${effect}
      AND u.state IN ('claimed', 'started', 'in-doubt') AND (u.state = 'in-doubt' OR u.lease_until <= t.now))`;
  return `o AS (INSERT INTO @operations (id, scope, key, fingerprint, state, fence, owner, lease_until, claimed_at, started_at,
      ttl_ms, keep_ms, effect_id, data, write_id)
    SELECT ${values.join(", ")} FROM ${source} ${isFree} ON CONFLICT (id) DO NOTHING RETURNING fence)`;
}

const begunSql = "SELECT claimed_at AS now, fence FROM @operations WHERE id = $1 AND write_id = $2";

/** Starts and ends of operations, each in one statement where nothing stands in the way. */
export function fastOperations(
  database: Database,
  queue: FrameQueue,
  acknowledged: Acknowledged,
  slow: RouterOperationLog,
): Pick<RouterOperationLog, "start" | "finish" | "renew"> {
  /** Undefined when it is not as most are. */
  async function begin(request: ClaimRequest, given: Start, sentAt: number): Promise<StartResult | undefined> {
    if (!isPlainStart(given)) return undefined;
    const p = new Parameters(database.now());
    const writeId = newWriteId();
    const { unlessCancelled } = given;
    const parts = [timed];
    if (unlessCancelled) parts.push(wantedCall(p, unlessCancelled));
    parts.push(
      startPart(p, request, given, unlessCancelled ? "w, t" : "t", writeId),
      ...stagedParts(p, given.beside, "o"),
    );
    const [row] = await database.statement({
      sql: `WITH ${parts.join(",\n")} SELECT t.now, o.fence FROM t, o`,
      values: p.values,
      recover: async (reader) => {
        const rows = await reader.all(begunSql, operationId(request), writeId);
        return rows.length > 0 ? rows : undefined;
      },
    });
    return row && begunBy(row, request, given, sentAt);
  }

  function begunBy(row: Row, request: ClaimRequest, given: Start, sentAt: number): StartResult {
    const { audit, events } = given.beside;
    database.noteStaged(audit.length + events.length);
    const result = startedResult(request, given.texts.data, Number(row.now), Number(row.fence));
    note(request, result, sentAt);
    return result;
  }

  function note(request: ClaimRequest, result: StartResult, sentAt: number): void {
    if (result.status !== "claimed") return;
    const { leaseMs, ttlMs = day } = request;
    acknowledged.started(operationId(request), result.claim.fence, { leaseMs, ttlMs }, sentAt);
  }

  async function startSlowly(request: ClaimRequest, given: Start, sentAt: number): Promise<StartResult> {
    const result = await database.write((tx) => start(tx, request, given));
    note(request, result, sentAt);
    return result;
  }

  /** The admission of the call's frame and the start, in one statement. */
  async function beginAdmitted(
    request: ClaimRequest,
    given: Start,
    admission: Admission,
    view: string,
    sentAt: number,
  ): Promise<{ admitted: boolean; done?: { value: StartResult } }> {
    const p = new Parameters(database.now());
    const writeId = newWriteId();
    const parts = [timed, ...admissionParts(p, admission, view, writeId)];
    parts.push(startPart(p, request, given, "s, t", writeId), ...stagedParts(p, given.beside, "o"));
    const [row] = await database.statement({
      sql: `WITH ${parts.join(",\n")} SELECT t.now, s.n, (SELECT fence FROM o) AS fence FROM t, s`,
      values: p.values,
      recover: async (reader) => {
        const rows = await reader.all(
          `SELECT o.claimed_at AS now, o.fence FROM @sessions s JOIN @calls c ON c.session = s.n
           LEFT JOIN @operations o ON o.id = $3 AND o.write_id = $2 WHERE s.id = $1 AND c.write_id = $2`,
          columnText(admission.sessionId),
          writeId,
          operationId(request),
        );
        return rows.length > 0 ? rows : undefined;
      },
    });
    if (row === undefined) return { admitted: false };
    return row.fence === null
      ? { admitted: true }
      : { admitted: true, done: { value: begunBy(row, request, given, sentAt) } };
  }

  return {
    async start(wanted, options) {
      const request = checked(wanted);
      const given = startOf(options);
      const sentAt = performance.now();
      const after = async (): Promise<StartResult> =>
        (await begin(request, given, sentAt)) ?? (await startSlowly(request, given, sentAt));
      const { ifAdmitted } = options;
      if (ifAdmitted === undefined) return await after();
      return await queue.join<StartResult>(ifAdmitted, {
        send: async (admission, view) => {
          if (!isPlainStart(given) || !isOwnCall(given, admission)) return { admitted: false };
          return await beginAdmitted(request, given, admission, view, sentAt);
        },
        after,
        refused: { status: "not-admitted" },
      });
    },
    async finish(claim, result, together) {
      const held = { ...claim };
      const { end, texts } = endOf(result);
      const beside = sameTransactionText(together);
      const id = operationId(held);
      const { answer } = beside;
      if (end.state === "released" || (answer !== undefined && !isPlain(answer))) {
        const isOver = await slow.finish(held, result, together);
        if (isOver) acknowledged.finished(id, end.state !== "released");
        return isOver;
      }
      const p = new Parameters(database.now());
      const writeId = newWriteId();
      const parts = [timed];
      if (answer) parts.push(answeredCall(p, answer));
      const number = p.add(writeId, "bigint");
      parts.push(`o AS (UPDATE @operations o SET state = ${p.add(end.state, "text")}, finished_at = t.now,
        expires_at = t.now + o.ttl_ms, due_at = t.now + o.ttl_ms, outcome = ${p.add(texts.outcome ?? null, "text")},
        settled = NULL, write_id = ${number} FROM t WHERE o.id = ${p.add(id, "bytea")} AND o.fence = ${p.add(held.fence, "bigint")}
        AND o.state = 'started' ${answer ? "AND EXISTS (SELECT 1 FROM k)" : ""} RETURNING 1)`);
      if (answer) parts.push(answerPart(p, answer, "k, o", writeId));
      parts.push(...stagedParts(p, beside, "o"));
      const [row] = await database.statement({
        sql: `WITH ${parts.join(",\n")} SELECT ${answer ? "(SELECT count(*) FROM c)" : "1"} AS answered FROM o`,
        values: p.values,
        recover: async (reader) => {
          const sql = `SELECT 0 AS answered FROM @operations WHERE id = $1 AND write_id = $2`;
          const rows = await reader.all(sql, id, writeId);
          return rows.length > 0 ? rows : undefined;
        },
      });
      if (row === undefined) {
        const isOver = await slow.finish(held, result, together);
        if (isOver) acknowledged.finished(id, true);
        return isOver;
      }
      database.noteStaged(beside.audit.length + beside.events.length);
      acknowledged.finished(id, true);
      // The call's row was changed by another frame at the same moment, or the connection ended before the answer came.
      if (answer && Number(row.answered) === 0) {
        await database.write((tx) => writeSameTransaction(tx, { audit: [], events: [], answer }));
      }
      return true;
    },
    async renew(claim, leaseMs) {
      const { scope, key, fence } = claim;
      if (!(leaseMs > 0)) return await slow.renew(claim, leaseMs);
      const sql = `WITH ${timed} UPDATE @operations o SET lease_until = t.now + $2 FROM t
        WHERE o.id = $3 AND o.fence = $4 AND o.state = 'started' RETURNING 1`;
      const values = [database.now(), Math.ceil(Math.min(leaseMs, 1e15)), operationId({ scope, key }), fence];
      const rows = await database.statement({ sql, values, recover: async () => undefined });
      return rows.length > 0 || (await slow.renew(claim, leaseMs));
    },
  };
}

function isPlainStart({ approval, ifFence }: Start): boolean {
  return approval === undefined && (ifFence ?? 0) === 0;
}

/** A call that is admitted in the same statement was cancelled by nobody. */
function isOwnCall({ unlessCancelled }: Start, { sessionId, calls }: Admission): boolean {
  if (calls.length !== 1) return false;
  return (
    unlessCancelled === undefined ||
    (unlessCancelled.sessionId === sessionId && unlessCancelled.callId === calls[0]?.callId)
  );
}

/** `w` has a row unless the call was cancelled; its lock makes a cancellation wait for the start, or the start for it. */
function wantedCall(p: Parameters, { sessionId, callId }: NonNullable<StartOptions["unlessCancelled"]>): string {
  const id = p.add(columnText(sessionId), "text");
  return `w AS (SELECT 1 FROM @calls c WHERE c.session = (SELECT n FROM @sessions WHERE id = ${id})
    AND c.call_id = ${p.add(columnText(callId), "text")} AND right(c.record, 20) <> ',"isCancelled":true}' FOR SHARE)`;
}
