import { asPromise } from "@toolglot/internal";
import type { Admission, AdmissionResult, FrameStore, SessionRecord } from "./frame-types.ts";
import { isAsExpected } from "./session-rules.ts";

/** An admission that was already answered with the expected result. `session`: its state after this admission. */
export interface ExpectedAdmission extends Admission {
  expected?: { token: string; session: SessionRecord };
}

/** The most sessions that this side remembers. The one that was used longest ago is dropped first. */
const maxSessions = 4_096;
/** The least ids of a session's frames and calls that it remembers, the newest. */
const maxIds = 64;

/**
 * The sessions of a store that is a message away, with a memory on the caller's side. When the caller allows it (`mayExpect`),
 * the next frame of a remembered session is answered at once with the expected admission. The caller's next request then
 * goes to the store in the same message as the admission. `send` sends an admission, by its token, that waits for that.
 */
export function expectingFrames(
  sessions: FrameStore,
  now: () => number,
  send: (token: string) => void = () => {},
): FrameStore {
  const known = new Map<string, SessionRecord>();
  const seen = new Map<string, RecentIds>();
  /** Admissions that are not committed yet, by session and token. */
  const open = new Map<string, Map<string, Promise<AdmissionResult>>>();
  let count = 0;

  function opened(sessionId: string, token: string, result: Promise<AdmissionResult>): void {
    const own = open.get(sessionId) ?? new Map();
    open.set(sessionId, own.set(token, result));
    const forget = (): void => {
      own.delete(token);
      if (own.size === 0) open.delete(sessionId);
    };
    result.then(forget, forget);
  }

  /** Resolves once the frames that were answered for are admitted or not: who reads a session sees them. */
  async function settled(sessionId: string): Promise<void> {
    const own = [...(open.get(sessionId) ?? [])];
    for (const [token] of own) send(token);
    await Promise.allSettled(own.map(([, result]) => result));
  }

  /** Remembers a session. `expectedSeq` never goes back, because later frames may be under way. */
  function learn(found: SessionRecord): void {
    const { id, features } = found;
    const expectedSeq = Math.max(known.get(id)?.expectedSeq ?? 0, found.expectedSeq);
    // Reinserting keeps the order of use, which matters only when the map is getting full. Otherwise the entry is
    // replaced in its place, because deletions make V8 keep old tables of the `Map` alive.
    if (known.size > maxSessions / 2) known.delete(id);
    known.set(id, { ...found, features: [...features], expectedSeq });
    if (known.size > maxSessions) known.delete(known.keys().next().value as string);
  }

  /**
   * Remembers the ids of a frame. Returns whether one of them came before: a frame that is sent again, and a call that is tried again, are
   * not new, and what they ask for is not to run for nothing.
   */
  function isRepeated({ sessionId, frameId, calls }: Admission): boolean {
    let ids = seen.get(sessionId);
    if (ids === undefined) {
      ids = new RecentIds();
      seen.set(sessionId, ids);
      if (seen.size > maxSessions) seen.delete(seen.keys().next().value as string);
    }
    let isRepeated = ids.has(frameId);
    // All of them before any is added: a frame may bring the same call twice.
    for (const { callId } of calls) isRepeated ||= ids.has(callId);
    ids.add(frameId);
    for (const { callId } of calls) ids.add(callId);
    return isRepeated;
  }

  function admit(admission: ExpectedAdmission): Promise<AdmissionResult> {
    const { sessionId, expected } = admission;
    const learnt = (found: AdmissionResult): AdmissionResult => {
      if (expected !== undefined && isAsExpected(found, expected.session.view)) return found;
      if ("session" in found) learn(found.session);
      else known.delete(sessionId);
      return found;
    };
    const failed = (error: unknown): never => {
      // The expectations for the frames after this one were wrong as well.
      known.delete(sessionId);
      throw error;
    };
    return asPromise(sessions.admit(admission)).then(learnt, failed);
  }

  return {
    ...sessions,
    async create(wanted) {
      const session = await sessions.create(wanted);
      learn(session);
      return session;
    },
    async read(id, who) {
      await settled(id);
      return await sessions.read(id, who);
    },
    async callsInFlight(id) {
      await settled(id);
      return await sessions.callsInFlight(id);
    },
    async setView(id, from, to) {
      known.delete(id);
      return await sessions.setView(id, from, to);
    },
    admit({ mayExpect = false, ...admission }) {
      const { sessionId, tenant, principal, seq } = admission;
      const session = known.get(sessionId);
      const isNext = !isRepeated(admission) && mayExpect && session?.expectedSeq === seq && session.expiresAt > now();
      if (!isNext || session.tenant !== tenant || session.principal !== principal) return admit(admission);
      const token = String(++count);
      const expected = { ...session, features: [...session.features], expectedSeq: seq + 1 };
      learn(expected);
      const result = admit({ expected: { token, session: expected }, ...admission });
      opened(sessionId, token, result);
      const pending = { token, result, mayAnswer: true as const, send: () => send(token) };
      return { status: "admitted", session: expected, calls: {}, pending };
    },
  };
}

/** The newest ids of a session: at least {@link maxIds} of them, at most twice as many. */
class RecentIds {
  #newer = new Set<string>();
  #older = this.#newer;

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }

  add(id: string): void {
    this.#newer.add(id);
    if (this.#newer.size <= maxIds) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }
}
