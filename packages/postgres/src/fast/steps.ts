import { columnText } from "@toolglot/internal";
import { renewUpTo } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import { timed } from "../database/transaction.ts";
import { newWriteId } from "../database/write-id.ts";
import { mayBeOfOne } from "../errors.ts";
import { type SameTransactionText, textLength } from "../tables/answers.ts";
import { Batch, planNames } from "./batch.ts";
import { type Columns, rowsOf, sizeOf, valuesOf } from "./columns.ts";
import { stagedColumns, stagedOf, stagedParts } from "./staged.ts";

/** A step of an operation, the answer to a frame, or both, with what is written in the same transaction. */
export interface Step {
  operation: SteppedOperation | undefined;
  /** Its answer, if it has one, is the outcome of its frame's only call. */
  beside: SameTransactionText;
}

/** An operation that is begun or ended, under its claim. */
export interface SteppedOperation {
  id: Uint8Array;
  fence: number;
  state: "started" | "done" | "failed";
  data?: string | undefined;
  outcome?: string | undefined;
}

const textOf = (text: string | undefined): string | null => (text === undefined ? null : columnText(text));

const columns: Columns<Step> = {
  op: ["bytea", ({ operation }) => operation?.id ?? null],
  fence: ["bigint", ({ operation }) => operation?.fence ?? null],
  state: ["text", ({ operation }) => operation?.state ?? null],
  data: ["text", ({ operation }) => operation?.data ?? null],
  outcome: ["text", ({ operation }) => operation?.outcome ?? null],
  sid: ["text", ({ beside }) => textOf(beside.answer?.sessionId)],
  frame: ["text", ({ beside }) => textOf(beside.answer?.frameId)],
  call_id: ["text", ({ beside }) => textOf(beside.answer?.callId)],
  reply: ["text", ({ beside }) => beside.answer?.reply ?? null],
};

const fromSteps = 3;

/**
 * `k` finds the calls that are answered for the first time, as far as their rows are also their frames' and need no renewal, and `m` the operations, both as
 * far as nobody else has locked them: for those, a transaction of its own waits, and not all others. `o` writes the steps, and `c`
 * the answers: both, or none of both. Each row is looked up by itself, by its whole key, as in the statement that admits frames.
 */
const stepSql = `WITH ${timed},
${rowsOf("i", columns, fromSteps)},
${rowsOf("x", stagedColumns, fromSteps + sizeOf(columns))},
k AS MATERIALIZED (SELECT i.ord, i.op, i.reply, c.session, c.call_id, c.frame FROM t, i,
  LATERAL (SELECT * FROM @sessions WHERE id = i.sid OFFSET 0) s,
  LATERAL (SELECT c.* FROM @calls c WHERE c.session = s.n AND c.call_id = i.call_id
    AND c.frame = i.frame AND c.seq > s.expected_seq + ${renewUpTo(-1)} AND c.reply IS NULL AND c.outcome IS NULL
    FOR NO KEY UPDATE SKIP LOCKED) c
  WHERE s.expires_at > t.now),
m AS MATERIALIZED (SELECT i.*, CASE WHEN i.state <> 'started' THEN t.now END AS ended FROM t, i
  LEFT JOIN k ON k.ord = i.ord, LATERAL (SELECT FROM @operations o WHERE o.id = i.op FOR UPDATE SKIP LOCKED) o
  WHERE i.sid IS NULL OR k.ord IS NOT NULL),
o AS (UPDATE @operations o SET state = m.state, data = coalesce(m.data, o.data), outcome = m.outcome, write_id = $2,
    started_at = coalesce(o.started_at, t.now), finished_at = m.ended, expires_at = m.ended + o.ttl_ms,
    due_at = m.ended + o.ttl_ms, settled = CASE WHEN m.ended IS NULL THEN o.settled END
  FROM m, t WHERE o.id = m.op AND o.fence = m.fence AND (o.state = 'started'
      OR o.state = 'claimed' AND m.state = 'started' AND o.lease_until + o.ttl_ms > t.now)
  RETURNING m.ord),
c AS (UPDATE @calls c SET reply = k.reply, outcome = NULL, write_id = $2
  FROM k LEFT JOIN o ON o.ord = k.ord
  WHERE c.session = k.session AND c.call_id = k.call_id AND c.frame = k.frame AND (k.op IS NULL OR o.ord IS NOT NULL)
  RETURNING k.ord),
d AS (SELECT i.ord, c.ord AS answered FROM i LEFT JOIN o ON o.ord = i.ord LEFT JOIN c ON c.ord = i.ord
  WHERE o.ord IS NOT NULL OR c.ord IS NOT NULL),
${stagedParts("d")}
SELECT ord, answered FROM d`;

/** Looks, after the connection was lost, whether it was committed. `$1`: what it wrote into `write_id`. */
const steppedSql = `SELECT i.ord - 1 AS ord, c.session AS answered
FROM unnest($2::bytea[], $3::text[], $4::text[]) WITH ORDINALITY AS i (op, sid, call_id, ord)
LEFT JOIN @operations o ON o.id = i.op AND o.write_id = $1
LEFT JOIN (@sessions s JOIN @calls c ON c.session = s.n AND c.write_id = $1) ON s.id = i.sid AND c.call_id = i.call_id
WHERE o.id IS NOT NULL OR c.session IS NOT NULL`;

/**
 * Whether a step was written, with what was to be written beside it. When it wasn't, nothing of it was, and a transaction of its own has
 * to decide. `unanswered`: all but the answer was, because another frame changed the call at the same moment.
 */
export type Stepped = "written" | "unanswered" | "not-written";

async function stepTogether(database: Database, steps: readonly Step[], name: string): Promise<Stepped[]> {
  const writeId = newWriteId();
  const written = stagedOf(steps.map(({ beside }) => beside));
  const found = await database.statement({
    sql: stepSql,
    name,
    values: [database.now(), writeId, ...valuesOf(columns, steps), ...valuesOf(stagedColumns, written)],
    async recover(reader) {
      const { op, sid, call_id } = columns as Record<string, (typeof columns)[string]>;
      const keys = [op, sid, call_id].map((column) => steps.map((step) => column?.[1](step) ?? null));
      const rows = await reader.all(steppedSql, writeId, ...keys);
      return rows.length > 0 ? rows : undefined;
    },
  });
  const results = steps.map((): Stepped => "not-written");
  for (const { ord, answered } of found) {
    const place = Number(ord);
    const isMissing = steps[place]?.beside.answer !== undefined && answered === null;
    results[place] = isMissing ? "unanswered" : "written";
  }
  database.noteStaged(written.filter(({ place }) => results[place] !== "not-written").length);
  return results;
}

/** All that begins and ends operations, and answers frames. */
export type Steps = Batch<Step, Stepped>;

export const stepsOf = (database: Database): Steps => {
  const nameOf = planNames("step");
  return new Batch((steps: readonly Step[]) => stepTogether(database, steps, nameOf(steps.length)), {
    isOfOne: mayBeOfOne,
    lengthOf: ({ operation, beside }) =>
      (operation?.data?.length ?? 0) + (operation?.outcome?.length ?? 0) + textLength(beside),
    names: ({ operation, beside: { answer } }) => [
      ...(operation ? [`operation ${Buffer.from(operation.id).toString("latin1")}`] : []),
      ...(answer ? [`call ${answer.sessionId} ${answer.callId}`] : []),
    ],
  });
};
