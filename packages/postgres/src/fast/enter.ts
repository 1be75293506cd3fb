import type { ClaimRequest } from "@toolglot/core";
import { columnText, textOfColumn } from "@toolglot/internal";
import type { Admission } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import { timed } from "../database/transaction.ts";
import { newWriteId } from "../database/write-id.ts";
import { mayBeOfOne } from "../errors.ts";
import { fixedText, timeoutOf } from "../tables/admission.ts";
import { type SameTransactionText, textLength } from "../tables/answers.ts";
import type { Start } from "../tables/claims.ts";
import { Batch, planNames } from "./batch.ts";
import { type Columns, rowsOf, sizeOf, valuesOf } from "./columns.ts";
import { stagedColumns, stagedOf, stagedParts } from "./staged.ts";

/** A frame of at most one call to be admitted, and what is written with it, which may also come alone. */
export interface Entry extends Joint {
  admission: Admission | undefined;
}

/** What is written together with an admission: the start of an operation, or the answer. */
export interface Joint {
  operation?: EnteredOperation;
  /** The frame's answer, which is the outcome of its only call. */
  reply?: string;
  /** Audit rows and events. */
  beside?: SameTransactionText;
  /** It is written only if this is still the session's view. */
  view?: string;
}

/** An operation of a key that nothing is known of. */
export interface EnteredOperation {
  request: ClaimRequest;
  id: Uint8Array;
  /** Absent: it is claimed, and not begun. */
  begin: Start | undefined;
}

/** What came of an entry. Each part that is missing is to be decided by a transaction of its own; nothing of it was written. */
export interface Entered {
  now: number;
  /** Of the session's row, when the frame was admitted. */
  session: { n: number; view: string; record: string } | undefined;
  /** Of the operation, when it was new and is begun or claimed now. */
  fence: number | undefined;
}

/** Frames of one session that follow one another. */
interface Frames {
  admission: Admission;
  next: number;
  /** Somebody else has sent one of them: none is admitted here. */
  isMixed: boolean;
}

const day = 24 * 60 * 60 * 1000;

const sessionColumns: Columns<Frames> = {
  sid: ["text", ({ admission }) => columnText(admission.sessionId)],
  tenant: ["text", ({ admission }) => columnText(admission.tenant)],
  principal: ["text", ({ admission }) => columnText(admission.principal)],
  seq: ["bigint", ({ admission, isMixed }) => (isMixed ? -1 : admission.seq)],
  next: ["bigint", ({ next }) => next],
};

const callOf = ({ admission }: Entry) => admission?.calls[0];
const callBefore = ({ admission, operation }: Entry) => (admission ? undefined : operation?.begin?.unlessCancelled);
const textOf = (text: string | undefined): string | null => (text === undefined ? null : columnText(text));

const columns: Columns<Entry> = {
  sid: ["text", ({ admission }) => textOf(admission?.sessionId)],
  seq: ["bigint", ({ admission }) => admission?.seq ?? null],
  frame: ["text", ({ admission }) => textOf(admission?.frameId)],
  frame_digest: ["text", ({ admission }) => textOf(admission?.digest)],
  call_id: ["text", (entry) => textOf(callOf(entry)?.callId)],
  timeout_ms: [
    "bigint",
    (entry) => {
      const call = callOf(entry);
      return call ? timeoutOf(call) : null;
    },
  ],
  call: [
    "text",
    (entry) => {
      const call = callOf(entry);
      return call && entry.admission ? fixedText(call, entry.admission) : null;
    },
  ],
  // The call that it is begun for, when that was admitted before.
  of_session: ["text", (entry) => textOf(callBefore(entry)?.sessionId)],
  of_call: ["text", (entry) => textOf(callBefore(entry)?.callId)],
  reply: ["text", ({ reply }) => reply ?? null],
  view: ["text", ({ view }) => textOf(view)],
  op: ["bytea", ({ operation }) => operation?.id ?? null],
  scope: ["text", ({ operation }) => textOf(operation?.request.scope)],
  key: ["text", ({ operation }) => textOf(operation?.request.key)],
  fingerprint: ["text", ({ operation }) => textOf(operation?.request.fingerprint)],
  owner: ["text", ({ operation }) => textOf(operation?.request.owner)],
  lease_ms: ["bigint", ({ operation }) => operation?.request.leaseMs ?? null],
  ttl_ms: ["bigint", ({ operation }) => operation?.request.ttlMs ?? day],
  keep_ms: ["bigint", ({ operation }) => operation?.request.keepMs ?? 0],
  state: ["text", ({ operation }) => (operation?.begin ? "started" : "claimed")],
  data: ["text", ({ operation }) => operation?.begin?.texts.data ?? null],
  effect_id: ["text", ({ operation }) => textOf(operation?.begin?.texts.effectId)],
  // Begun only while no other operation with this effect is unsettled.
  alone: ["text", ({ operation }) => (operation?.begin?.again ? null : textOf(operation?.begin?.texts.effectId))],
};

// $1: `now`; $2: what is written into the rows' `write_id`.
const fromSessions = 3;
const fromEntries = fromSessions + sizeOf(sessionColumns);
const fromStaged = fromEntries + sizeOf(columns);

/**
 * `l` locks sessions that nobody else has locked: for those, a transaction of its own waits, and not all others. `u` finds those of which a
 * frame or a call is known. `s` takes the seqs of those whose frames are the next ones, and new: of a session all or none. `c` and `f` write
 * the frames with their calls. `w` finds calls that were not cancelled; its lock makes a cancellation wait for the start, or the start for
 * it. `o` writes operations of keys that have no row, in one order for all: who comes with the same key at the same time waits there.
 *
 * A plan is kept, so each row is looked up by itself, by its whole key: a join, or an EXISTS that may become one (OFFSET 0 keeps it from that),
 * would be planned for the tables as they were, and read all calls of a session, or all sessions.
 */
const enterSql = `WITH ${timed},
${rowsOf("g", sessionColumns, fromSessions)},
${rowsOf("i", columns, fromEntries)},
${rowsOf("x", stagedColumns, fromStaged)},
l AS MATERIALIZED (SELECT * FROM g, LATERAL (SELECT n FROM @sessions WHERE id = g.sid FOR NO KEY UPDATE SKIP LOCKED) s),
u AS MATERIALIZED (SELECT l.n FROM l JOIN i ON i.sid = l.sid
  WHERE EXISTS (SELECT FROM @calls c WHERE c.session = l.n AND c.call_id = i.call_id OFFSET 0)
    OR EXISTS (SELECT FROM @calls c WHERE c.session = l.n AND c.frame = i.frame OFFSET 0)
    OR EXISTS (SELECT FROM @frames f WHERE f.session = l.n AND f.frame_id = i.frame OFFSET 0)),
s AS (UPDATE @sessions s SET expected_seq = l.next FROM l, t
  WHERE s.n = l.n AND s.tenant = l.tenant AND s.principal = l.principal AND s.expected_seq = l.seq
    AND s.expires_at > t.now AND l.n NOT IN (SELECT n FROM u)
  RETURNING s.n, s.id, s.view, s.record),
c AS (INSERT INTO @calls (session, call_id, seq, place, deadline, frame, frame_digest, record, reply, write_id)
  SELECT s.n, i.call_id, i.seq, 0, t.now + i.timeout_ms, i.frame, i.frame_digest, i.call,
    CASE WHEN i.view = s.view THEN i.reply END, $2
  FROM s JOIN i ON i.sid = s.id, t WHERE i.call_id IS NOT NULL),
f AS (INSERT INTO @frames (session, frame_id, seq, digest, calls, write_id)
  SELECT s.n, i.frame, i.seq, i.frame_digest, '[]', $2 FROM s JOIN i ON i.sid = s.id WHERE i.call_id IS NULL),
w AS MATERIALIZED (SELECT i.ord FROM i,
  LATERAL (SELECT FROM @calls c WHERE c.session = (SELECT n FROM @sessions WHERE id = i.of_session)
    AND c.call_id = i.of_call AND right(c.record, 20) <> ',"isCancelled":true}' FOR SHARE SKIP LOCKED) c),
o AS (INSERT INTO @operations (id, scope, key, fingerprint, state, fence, owner, lease_until, claimed_at, started_at, due_at,
    ttl_ms, keep_ms, effect_id, data, write_id)
  SELECT i.op, i.scope, i.key, i.fingerprint, i.state, nextval('@fences'), i.owner, t.now + i.lease_ms, t.now,
    CASE i.state WHEN 'started' THEN t.now END, CASE i.state WHEN 'claimed' THEN t.now + i.lease_ms + i.ttl_ms END,
    i.ttl_ms, i.keep_ms, i.effect_id, i.data, $2
  FROM i LEFT JOIN s ON s.id = i.sid LEFT JOIN w ON w.ord = i.ord, t
  WHERE i.op IS NOT NULL AND (i.sid IS NULL OR s.id IS NOT NULL) AND (i.view IS NULL OR i.view = s.view)
    AND (i.of_call IS NULL OR w.ord IS NOT NULL) AND (i.alone IS NULL OR (
      SELECT u.id FROM @operations u WHERE u.effect_id = i.alone AND u.state IN ('claimed', 'started', 'in-doubt')
        AND u.lease_until <= t.now ORDER BY u.lease_until LIMIT 1) IS NULL
    AND NOT EXISTS (SELECT FROM @operations u WHERE u.effect_id = i.alone AND u.state = 'in-doubt' OFFSET 0))
  ORDER BY i.op ON CONFLICT (id) DO NOTHING RETURNING id, fence),
d AS (SELECT i.ord FROM i LEFT JOIN o ON o.id = i.op LEFT JOIN s ON s.id = i.sid
  WHERE o.id IS NOT NULL OR (i.reply IS NOT NULL AND i.view = s.view)),
${stagedParts("d")}
SELECT i.ord, t.now, s.n, s.view, s.record, o.fence
FROM i LEFT JOIN s ON s.id = i.sid LEFT JOIN o ON o.id = i.op, t WHERE s.id IS NOT NULL OR o.id IS NOT NULL`;

/** Looks, after the connection was lost, whether it was committed. `$1`: what it wrote into `write_id`. */
const enteredSql = `SELECT i.ord - 1 AS ord, coalesce(o.claimed_at, 0) AS now, s.n, s.view, s.record, o.fence
FROM unnest($2::text[], $3::text[], $4::text[], $5::bytea[]) WITH ORDINALITY AS i (sid, frame, call_id, op, ord)
LEFT JOIN @sessions s ON s.id = i.sid AND (
  EXISTS (SELECT 1 FROM @calls c WHERE c.session = s.n AND c.call_id = i.call_id AND c.write_id = $1)
  OR EXISTS (SELECT 1 FROM @frames f WHERE f.session = s.n AND f.frame_id = i.frame AND f.write_id = $1))
LEFT JOIN @operations o ON o.id = i.op AND o.write_id = $1
WHERE s.n IS NOT NULL OR o.id IS NOT NULL`;

/** What of a batch came to nothing. */
const nothing: Entered = { now: 0, session: undefined, fence: undefined };

/** Admits frames and begins operations, in one statement. Of the entries no two have a call, a frame or an operation in common. */
async function enterTogether(database: Database, entries: readonly Entry[], name: string): Promise<Entered[]> {
  const writeId = newWriteId();
  const written = stagedOf(entries.map(({ beside }) => beside));
  const found = await database.statement({
    sql: enterSql,
    name,
    values: [
      database.now(),
      writeId,
      ...valuesOf(sessionColumns, framesOf(entries)),
      ...valuesOf(columns, entries),
      ...valuesOf(stagedColumns, written),
    ],
    async recover(reader) {
      const { sid, frame, call_id, op } = columns as Record<string, (typeof columns)[string]>;
      const keys = [sid, frame, call_id, op].map((column) => entries.map((entry) => column?.[1](entry) ?? null));
      const rows = await reader.all(enteredSql, writeId, ...keys);
      return rows.length > 0 ? rows : undefined;
    },
  });
  const results = entries.map(() => nothing);
  for (const { ord, now, n, view, record, fence } of found) {
    results[Number(ord)] = {
      now: Number(now),
      session: n === null ? undefined : { n: Number(n), view: textOfColumn(String(view)), record: String(record) },
      fence: fence === null ? undefined : Number(fence),
    };
  }
  const isWritten = ({ place }: { place: number }): boolean => {
    const { session, fence } = results[place] ?? nothing;
    return fence !== undefined || (session !== undefined && session.view === entries[place]?.view);
  };
  database.noteStaged(written.filter(isWritten).length);
  return results;
}

/** The frames of each session, which follow one another. */
function framesOf(entries: readonly Entry[]): Frames[] {
  const found = new Map<string, Frames>();
  for (const { admission } of entries) {
    if (admission === undefined) continue;
    const before = found.get(admission.sessionId);
    const next = admission.seq + 1;
    if (before === undefined) {
      found.set(admission.sessionId, { admission, next, isMixed: false });
      continue;
    }
    const { tenant, principal } = before.admission;
    before.next = next;
    before.isMixed ||= tenant !== admission.tenant || principal !== admission.principal;
  }
  return [...found.values()];
}

/** All that admits frames and begins operations. */
export type Entries = Batch<Entry, Entered>;

export const entriesOf = (database: Database): Entries => {
  const nameOf = planNames("enter");
  return new Batch((entries: readonly Entry[]) => enterTogether(database, entries, nameOf(entries.length)), {
    isOfOne: mayBeOfOne,
    lengthOf: ({ operation, reply = "", beside }) =>
      (operation?.begin?.texts.data?.length ?? 0) + reply.length + textLength(beside),
    names({ admission, operation }) {
      const call = admission?.calls[0];
      return [
        ...(admission ? [`frame ${admission.sessionId} ${admission.frameId}`] : []),
        ...(call && admission ? [`call ${admission.sessionId} ${call.callId}`] : []),
        ...(operation ? [`operation ${Buffer.from(operation.id).toString("latin1")}`] : []),
      ];
    },
    placeOf: ({ admission }) => admission && { chain: `session ${admission.sessionId}`, place: admission.seq },
  });
};
