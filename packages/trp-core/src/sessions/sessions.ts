import { checkKeys } from "@toolglot/internal";
import { randomId } from "../digest/ids.ts";
import { fault } from "../errors/fault.ts";
import { type Feature, type HelloResPayload, trpVersion } from "../frames/types.ts";
import type { CapabilityRegistry, SessionManager } from "../parts.ts";
import type { RouterTimes } from "../router/types.ts";
import type { RouterStore } from "../store/types.ts";
import { frameDigest } from "./frame-digest.ts";
import { createTurnQueue } from "./turn-queue.ts";

/** Options of {@link createSessions}. */
export interface SessionOptions {
  store: Pick<RouterStore, "sessions">;
  registry: Pick<CapabilityRegistry, "epoch" | "openView">;
  times: Pick<RouterTimes, "sessionTtlMs" | "seqWaitMs">;
  /** How many retries in a row a client should spend. Default 3. */
  retryBudget?: number;
  /** How many frames may wait for those before them, over all sessions; more are answered at once. Default 1,024. */
  waiting?: number;
}

/** What every session has. */
const plain: readonly Feature[] = ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL"];
/** What a session has that asks for it. */
const onRequest: readonly Feature[] = ["RESULT_FAILED", "SEQ_WINDOW"];

/** How far a frame may be ahead of the expected seq to be waited for. */
const windowSize = 64;

/** Sessions in a store: opened and resumed, and the order and duplicates of their frames. */
export function createSessions(options: SessionOptions): SessionManager {
  checkKeys<SessionOptions>("createSessions", options, {
    store: true,
    registry: true,
    times: true,
    retryBudget: true,
    waiting: true,
  });
  const { store, registry, times, retryBudget = 3 } = options;
  const turns = createTurnQueue(options.waiting ?? 1_024);

  return {
    async hello(payload, principal) {
      if (!payload.supported_versions.includes(trpVersion)) {
        return fault("TRP_1001", `This router speaks version ${trpVersion}, which supported_versions does not name.`, {
          fix: `Say hello with supported_versions: ["${trpVersion}"].`,
        });
      }
      const who = { tenant: principal.tenant, principal: principal.id };
      const resumed = payload.resume_session_id ?? undefined;
      if (resumed !== undefined) {
        const session = await store.sessions.read(resumed, who);
        if (session === undefined) return fault("TRP_1008");
        const [epoch, running] = await Promise.all([registry.epoch(), store.sessions.callsInFlight(session.id)]);
        return {
          ...answer(session.id, epoch, session.expectedSeq, session.features as Feature[]),
          in_flight: running.map(({ callId }) => callId),
        };
      }
      const asked = payload.features ?? [];
      const features = [...plain, ...onRequest.filter((feature) => asked.includes(feature))];
      const view = await registry.openView(principal);
      const session = await store.sessions.create({
        id: randomId("sess"),
        ...who,
        agentId: payload.agent_id,
        features,
        view,
        ttlMs: times.sessionTtlMs,
      });
      return answer(session.id, await registry.epoch(), session.expectedSeq, features);
    },

    async admit(frame, calls, principal) {
      const { session_id: sessionId, seq } = frame;
      if (sessionId === null || seq === null) return { status: "no-session" };
      const admission = {
        sessionId,
        tenant: principal.tenant,
        principal: principal.id,
        frameId: frame.frame_id,
        digest: frameDigest(frame, calls),
        seq,
        calls,
        knownOnly: true,
      };
      let result = await store.sessions.admit(admission);
      if (result.status === "gap" && result.session.features.includes("SEQ_WINDOW") && times.seqWaitMs > 0) {
        const until = Date.now() + times.seqWaitMs;
        while (result.status === "gap" && seq < result.session.expectedSeq + windowSize) {
          if (!(await turns.wait(sessionId, seq, until))) break;
          result = await store.sessions.admit(admission);
        }
      }
      if (result.status === "admitted") turns.admitted(sessionId, result.session.expectedSeq);
      return result;
    },
  };

  function answer(id: string, epoch: number, expectedSeq: number, features: Feature[]): HelloResPayload {
    return {
      session_id: id,
      server_version: trpVersion,
      catalog_epoch: epoch,
      retry_budget: retryBudget,
      seq_start: expectedSeq,
      features: [...features],
    };
  }
}
