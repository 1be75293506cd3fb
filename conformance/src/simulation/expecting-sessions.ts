import { copyJson } from "@toolglot/internal";
import {
  type Admission,
  type AdmissionResult,
  isAsExpected,
  type RouterStore,
  type SessionRecord,
  type StartResult,
} from "@toolglot/trp-core/store";
import type { Connection, Naively, Pace } from "./connection.ts";
import type { About, Act } from "./database.ts";

type Sessions = RouterStore["sessions"];

/** What is needed to send an admission. */
export interface ExpectingOptions {
  connection: Connection;
  sessions: Sessions;
  pace: Pace;
  now(): number;
  about(method: string, given: readonly unknown[]): About;
  /** How long an admission waits for a start that goes with it. Milliseconds; 0: none waits. */
  waitMs: number;
}

/** An admission that was answered before it was sent. */
interface Early {
  view: string;
  /** The start that goes with it; none may join any more when it is `sent`. */
  start: { about: About; act: Act<StartResult>; naively: Naively<StartResult> } | undefined;
  isSent: boolean;
  wake: () => void;
  both: Promise<{ found: AdmissionResult; started?: StartResult }>;
}

/**
 * Sessions that answer the next frame of a known session before it is admitted. The admission then goes with the start
 * that follows, in one transaction, or alone after a moment.
 */
export class ExpectingSessions {
  readonly #options: ExpectingOptions;
  readonly #known = new Map<string, SessionRecord>();
  readonly #early = new Map<string, Early>();

  constructor(options: ExpectingOptions) {
    this.#options = options;
  }

  readonly create: Sessions["create"] = async (wanted) => {
    const session = await this.#options.sessions.create(wanted);
    this.#learn(session);
    return session;
  };

  readonly setView: Sessions["setView"] = (id, from, to) => {
    this.#known.delete(id);
    return this.#options.sessions.setView(id, from, to);
  };

  readonly admit = async (given: Admission): Promise<AdmissionResult> => {
    const { mayExpect = false, ...admission } = copyJson(given);
    const { sessionId, tenant, principal, seq } = admission;
    const { sessions, now, waitMs } = this.#options;
    const session = this.#known.get(sessionId);
    const isNext = mayExpect && waitMs > 0 && session?.expectedSeq === seq && session.expiresAt > now();
    if (!isNext || session.tenant !== tenant || session.principal !== principal) {
      return this.#noted(sessionId, await sessions.admit(admission));
    }
    const expected = { ...session, features: [...session.features], expectedSeq: seq + 1 };
    this.#learn(expected);
    const token = `${sessionId} ${seq} ${this.#early.size}`;
    const early = this.#answerEarly(token, admission, session.view);
    const result = early.both.then(({ found }) => this.#noted(sessionId, found));
    // What the store expected of the frames after this one was wrong as well.
    result.catch(() => this.#known.delete(sessionId));
    return { status: "admitted", session: expected, calls: {}, pending: { token, result } };
  };

  /** A start that is allowed when the admission with this token came out as expected. */
  async start(token: string, about: About, act: Act<StartResult>, naively: Naively<StartResult>): Promise<StartResult> {
    const early = this.#early.get(token);
    if (early === undefined) return { status: "not-admitted" };
    if (!early.isSent) {
      early.start = { about, act, naively };
      early.wake();
      return (await early.both).started ?? { status: "not-admitted" };
    }
    const { found } = await early.both;
    if (!isAsExpected(found, early.view)) return { status: "not-admitted" };
    return await this.#options.connection.write(about, act, naively);
  }

  #answerEarly(token: string, admission: Admission, view: string): Early {
    const early: Early = { view, start: undefined, isSent: false, wake: () => {}, both: Promise.resolve() as never };
    this.#early.set(token, early);
    early.both = this.#send(early, admission);
    return early;
  }

  async #send(early: Early, admission: Admission): Promise<{ found: AdmissionResult; started?: StartResult }> {
    const { connection, pace, waitMs, about } = this.#options;
    const joined = new Promise<void>((resolve) => {
      early.wake = resolve;
    });
    await Promise.race([pace.sleep(waitMs), joined]);
    early.isSent = true;
    const { start, view } = early;
    const alone = about("sessions.admit", [admission]);
    if (start === undefined) {
      return await connection.write(alone, async (store) => ({ found: await store.sessions.admit(admission) }));
    }
    const withStart =
      (act: Act<StartResult>): Act<{ found: AdmissionResult; started: StartResult }> =>
      async (store) => {
        const found = await store.sessions.admit(admission);
        return { found, started: isAsExpected(found, view) ? await act(store) : { status: "not-admitted" } };
      };
    const { again, done } = start.naively;
    const session = this.#known.get(admission.sessionId) as SessionRecord;
    return await connection.write({ ...alone, ...start.about, sessionId: admission.sessionId }, withStart(start.act), {
      ...(again !== undefined && { again: withStart(again) }),
      ...(done !== undefined && {
        done: () => ({ found: { status: "admitted", session, calls: {} }, started: done() }),
      }),
    });
  }

  #noted(sessionId: string, found: AdmissionResult): AdmissionResult {
    if ("session" in found) this.#learn(found.session);
    else this.#known.delete(sessionId);
    return found;
  }

  /** Remembers a session. Its seq never goes back, because later frames may be under way. */
  #learn(found: SessionRecord): void {
    const expectedSeq = Math.max(this.#known.get(found.id)?.expectedSeq ?? 0, found.expectedSeq);
    this.#known.set(found.id, { ...found, features: [...found.features], expectedSeq });
  }
}
