import { columnText } from "@toolglot/internal";
import { checkAdmission, checkSession, type FrameStore, idTaken } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import { admit } from "./admission.ts";
import { sameTransactionText, writeSameTransaction } from "./answers.ts";
import {
  callColumns,
  callOf,
  type Fixed,
  type FixedCall,
  findCall,
  findSession,
  isOwner,
  lockSession,
  recordOf,
} from "./session-rows.ts";

/** Sessions in PostgreSQL, with transactions of several statements. */
export function postgresFrames(database: Database): FrameStore {
  return {
    async create(wanted) {
      checkSession(wanted);
      const { id, tenant, principal, agentId, view } = wanted;
      const features = [...wanted.features];
      const ttlMs = Math.ceil(Math.min(wanted.ttlMs, 1e15));
      return database.write(async (tx) => {
        const now = await tx.now();
        const fixed: Fixed = { id, tenant, principal, agentId, features, createdAt: now, expiresAt: now + ttlMs };
        const sql = `INSERT INTO @sessions (id, tenant, principal, expected_seq, view, expires_at, record)
          VALUES ($1, $2, $3, 1, $4, $5, $6) ON CONFLICT (id) DO NOTHING`;
        const texts = [id, tenant, principal, view].map(columnText);
        if ((await tx.change(sql, ...texts, fixed.expiresAt, JSON.stringify(fixed))) === 0) {
          throw idTaken("sessions.create", id);
        }
        return { ...fixed, view, expectedSeq: 1 };
      });
    },
    async read(id, { tenant, principal }) {
      return database.read(async (reader) => {
        const session = await findSession(reader, id);
        return session && isOwner(session.fixed, { tenant, principal }) ? recordOf(session) : undefined;
      });
    },
    async setView(id, from, to) {
      return database.write(async (tx) => {
        const session = await lockSession(tx, id);
        if (session?.view !== from) return false;
        await tx.change("UPDATE @sessions SET view = $1 WHERE n = $2", columnText(to), session.n);
        return true;
      });
    },
    async admit(admission) {
      checkAdmission(admission);
      const copy = structuredClone(admission);
      return database.write((tx) => admit(tx, copy));
    },
    async answer(answer, { ifAdmitted, ...together } = {}) {
      // No admission is pending here.
      if (ifAdmitted !== undefined) return "not-admitted";
      const texts = sameTransactionText({ ...together, answer });
      await database.write((tx) => writeSameTransaction(tx, texts));
      return undefined;
    },
    async readCall(sessionId, callId) {
      return database.read(async (reader) => {
        const session = await findSession(reader, sessionId);
        return session && (await findCall(reader, session, callId));
      });
    },
    async cancelCall(sessionId, callId) {
      return database.write(async (tx) => {
        const session = await lockSession(tx, sessionId);
        const call = session && (await findCall(tx, session, callId));
        if (session === undefined || call === undefined || call.isCancelled) return call;
        const { digest, frameId, operation } = call;
        const record: FixedCall = { callId, digest, frameId, ...(operation && { operation }), isCancelled: true };
        const sql = "UPDATE @calls SET record = $1 WHERE session = $2 AND call_id = $3";
        await tx.change(sql, JSON.stringify(record), session.n, columnText(callId));
        return { ...call, isCancelled: true as const };
      });
    },
    async callsInFlight(sessionId) {
      return database.read(async (reader) => {
        const session = await findSession(reader, sessionId);
        if (!session) return [];
        const sql = `SELECT ${callColumns} FROM @calls WHERE session = $1 AND outcome IS NULL AND reply IS NULL
          ORDER BY seq, place`;
        return (await reader.all(sql, session.n)).map((row) => callOf(reader, row, session));
      });
    },
  };
}
