import { andThen, canonicalJson, ignoreRejection, settleWithin } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { CapabilityRegistry } from "../catalog/types.ts";
import { randomId } from "../digest/ids.ts";
import { sha256Digest } from "../digest/sha256.ts";
import { type Fault, fault } from "../frames/fault.ts";
import { featuresOnRequest } from "../frames/features.ts";
import {
  type CallItem,
  type Feature,
  type HelloReqPayload,
  type HelloResPayload,
  type RequestFrame,
  trpVersion,
} from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { Admission, AdmissionResult, AdmittedCall } from "../store/frame-types.ts";
import type { RouterStore } from "../store/types.ts";

/** Sessions, their order, and the duplicates in it. */
export interface SessionManager {
  /** Opens a session, or resumes one (same principal; else TRP_1008). */
  hello(payload: HelloReqPayload, principal: Principal): Promise<HelloResPayload | Fault>;
  /**
   * Order and duplicates. `mayExpect`: as in `Admission`, default false. Waits up to 250 ms for the frames before it, when the session has `SEQ_WINDOW` and `seq` lies
   * inside the window of 64.
   */
  admit(
    frame: RequestFrame,
    calls: AdmittedCall[],
    principal: Principal,
    mayExpect?: boolean,
  ): MaybePromise<AdmissionResult>;
}

/** Options of {@link createSessions}. */
export interface SessionOptions {
  store: Pick<RouterStore, "sessions">;
  registry: Pick<CapabilityRegistry, "epoch" | "openView">;
  /** Milliseconds, as in `RouterTimes`. */
  times: { sessionTtlMs: number; seqWaitMs: number };
  /** How many retries in a row a client should spend. Default 3. */
  retryBudget?: number;
  /** How many frames may wait for those before them, over all sessions; more are answered at once. Default 1,024. */
  waiting?: number;
}

/** What every session has. */
const plain: readonly Feature[] = ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL", "ASYNC"];

/** How far a frame may be ahead of the expected seq to be waited for. */
const windowSize = 64;

/** Sessions in a store: opened and resumed, and the order and duplicates of their frames. */
export function createSessions(options: SessionOptions): SessionManager {
  const { store, registry, times, retryBudget = 3 } = options;
  const queue = createFrameQueue(options.waiting ?? 1_024);

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
      const features = [...plain, ...featuresOnRequest.filter((feature) => asked.includes(feature))];
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

    admit(frame, calls, principal, mayExpect = false) {
      const { session_id: sessionId, seq, frame_id: frameId, payload } = frame;
      if (sessionId === null || seq === null) return { status: "no-session" };
      const { tenant, id } = principal;
      const digest = frameDigest(frame, calls);
      const admission: Admission = { sessionId, tenant, principal: id, frameId, digest, seq, calls, knownOnly: true };
      if (mayExpect) admission.mayExpect = true;
      if ("call_id" in payload && calls.length === 0) admission.asks = payload.call_id;
      return andThen(store.sessions.admit(admission), (found) => {
        const waits = found.status === "gap" && found.session.features.includes("SEQ_WINDOW") && times.seqWaitMs > 0;
        if (waits) return afterOthers(admission, found);
        wake(admission, found);
        return found;
      });
    },
  };

  /** Waits for the frames before it. */
  async function afterOthers(admission: Admission, first: AdmissionResult): Promise<AdmissionResult> {
    const { sessionId, seq } = admission;
    const until = performance.now() + times.seqWaitMs;
    let found = first;
    while (found.status === "gap" && seq < found.session.expectedSeq + windowSize) {
      if (!(await queue.wait(sessionId, seq, until))) break;
      found = await store.sessions.admit(admission);
    }
    wake(admission, found);
    return found;
  }

  /** Lets those go on that waited for a frame, once it is admitted. */
  function wake(admission: Admission, found: AdmissionResult): void {
    if (found.status !== "admitted") return;
    if (found.pending === undefined) queue.admitted(admission.sessionId, found.session.expectedSeq);
    else ignoreRejection(found.pending.result.then((result) => wake(admission, result)));
  }

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

const none: readonly never[] = [];

/** How often the store is asked, in milliseconds: another router may have admitted what is waited for. */
const askEveryMs = 25;

/** Frames that came before those in front of them: of all sessions, at most `limit`. */
export function createFrameQueue(limit: number): {
  /**
   * Waits until the store should be asked again about this seq. False when the time is up (`until`, of `performance.now()`),
   * or too many frames wait already.
   */
  wait(sessionId: string, seq: number, until: number): Promise<boolean>;
  /** A frame of this session was admitted in this router, and `expected` is the next. */
  admitted(sessionId: string, expected: number): void;
} {
  const sessions = new Map<string, Set<{ seq: number; wake(): void }>>();
  let waiting = 0;
  return {
    async wait(sessionId, seq, until) {
      const left = until - performance.now();
      if (left <= 0 || waiting >= limit) return false;
      const waiters = sessions.get(sessionId) ?? new Set();
      sessions.set(sessionId, waiters);
      const waiter = { seq, wake: (): void => {} };
      const admitted = new Promise<void>((resolve) => {
        waiter.wake = resolve;
      });
      waiters.add(waiter);
      waiting++;
      await settleWithin(admitted, { ms: Math.min(left, askEveryMs) });
      waiters.delete(waiter);
      waiting--;
      if (waiters.size === 0 && sessions.get(sessionId) === waiters) sessions.delete(sessionId);
      return true;
    },
    admitted(sessionId, expected) {
      for (const waiter of sessions.get(sessionId) ?? none) if (waiter.seq <= expected) waiter.wake();
    },
  };
}

/**
 * Of a frame's type, seq and payload, by which a frame that comes again under the same `frame_id` is known to be the
 * same. The digests of its calls stand for their capabilities, keys and arguments, which need no second hashing.
 */
function frameDigest({ frame_type: type, seq, payload }: RequestFrame, calls: readonly AdmittedCall[]): string {
  if (type === "CALL_REQ") {
    const only = calls[0] as AdmittedCall;
    const { execution_mode = "SYNC", approval_token, call_id, idx, attempt = 1, timeout_ms, schema_digest } = payload;
    if (approval_token) return sha256Digest(canonicalJson([type, seq, execution_mode, callFacts(payload, only)]));
    // No fact has line breaks in it. Without a token nothing is secret, and the text is short: it stands for itself. It is not made
    // one piece: most are never compared, and the long pieces are kept anyway.
    const numbers = `\n${idx}\n${attempt}\n${timeout_ms}\n`;
    const text = `${execution_mode}\n${seq}${numbers}${call_id}\n${schema_digest ?? ""}\n${only.digest}`;
    const { depends_on = [] } = payload;
    return depends_on.length === 0 ? text : `${text}\n${depends_on.join("\n")}`;
  }
  if (type !== "CALL_BATCH_REQ" && type !== "CALL_DAG_REQ") return sha256Digest(canonicalJson([type, seq, payload]));
  const { calls: items, ...rest } = payload;
  return sha256Digest(
    canonicalJson([type, seq, rest, ...items.map((item, index) => callFacts(item, calls[index] as AdmittedCall))]),
  );
}

/** Returns everything of a call that {@link AdmittedCall.digest} doesn't cover, and that digest. */
function callFacts(item: CallItem, { digest }: AdmittedCall): (string | number)[] {
  const { call_id, idx, attempt = 1, timeout_ms, depends_on = [], approval_token, schema_digest } = item;
  return [digest, call_id, idx, attempt, timeout_ms, approval_token ?? "", schema_digest ?? "", ...depends_on];
}
