import { columnText } from "@toolglot/internal";
import { checkSession, type FrameStore, idTaken } from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";

import { newCall } from "./admission.ts";
import {
  callColumns,
  callOf,
  type Fixed,
  type FixedCall,
  findCall,
  findSession,
  isOwner,
  recordOf,
} from "./session-rows.ts";

/** Sessions in SQLite, without the two steps that every call needs; `framesBySteps` has these. */
export function sqliteFrames(commits: GroupCommit): Omit<FrameStore, "admit" | "answer"> {
  return {
    async create(wanted) {
      checkSession(wanted);
      const { id, tenant, principal, agentId, view, ttlMs } = wanted;
      const features = [...wanted.features];
      return commits.write((tx) => {
        const now = tx.now();
        const fixed: Fixed = { id, tenant, principal, agentId, features, createdAt: now, expiresAt: now + ttlMs };
        const taken = tx.get("SELECT n FROM sessions WHERE id = ?", columnText(id));
        if (taken) throw idTaken("sessions.create", id);
        tx.run(
          "INSERT INTO sessions (id, expected_seq, view, expires_at, record) VALUES (?, 1, ?, ?, ?)",
          ...[columnText(id), columnText(view), fixed.expiresAt, JSON.stringify(fixed)],
        );
        tx.drop(`session ${id}`);
        return { ...fixed, view, expectedSeq: 1 };
      });
    },
    async read(id, { tenant, principal }) {
      return commits.read((tx) => {
        const session = findSession(tx, id);
        return session && isOwner(session.fixed, { tenant, principal }) ? recordOf(session) : undefined;
      });
    },
    async setView(id, from, to) {
      return commits.write((tx) => {
        const session = findSession(tx, id);
        if (session?.view !== from) return false;
        tx.run("UPDATE sessions SET view = ? WHERE n = ?", columnText(to), session.n);
        session.view = to;
        return true;
      });
    },
    async readCall(sessionId, callId) {
      return commits.read((tx) => {
        const session = findSession(tx, sessionId);
        return session && findCall(tx, session, callId);
      });
    },
    async cancelCall(sessionId, callId) {
      return commits.write((tx) => {
        const session = findSession(tx, sessionId);
        const call = session && findCall(tx, session, callId);
        if (session === undefined || call === undefined || call.isCancelled) return call;
        tx.drop(newCall(sessionId, callId));
        const { digest, frameId, operation } = call;
        const record: FixedCall = { callId, digest, frameId, ...(operation && { operation }), isCancelled: true };
        const sql = "UPDATE calls SET record = ? WHERE session = ? AND call_id = ?";
        tx.run(sql, JSON.stringify(record), session.n, columnText(callId));
        return { ...call, isCancelled: true as const };
      });
    },
    async callsInFlight(sessionId) {
      return commits.read((tx) => {
        const session = findSession(tx, sessionId);
        if (!session) return [];
        const sql = `SELECT ${callColumns} FROM calls WHERE session = ? AND outcome IS NULL AND reply IS NULL ORDER BY seq, place`;
        return tx.all(sql, session.n).map((row) => callOf(tx, row, session, sessionId));
      });
    },
  };
}
