import {
  type Admission,
  type AdmissionResult,
  checkAdmission,
  type ExpectedAdmission,
  isAsExpected,
  type KnownCall,
} from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import { admit, isToTidy } from "../tables/admission.ts";
import { type Fixed, recordOf } from "../tables/session-rows.ts";
import type { Entered, Entries, Joint } from "./enter.ts";

/** What is written with an admission that waits for it: the start of its call's operation, or its answer. */
export interface Joined<T> {
  /** What is written together with the admission; undefined when that has to come after it. */
  joint(admission: Admission): Omit<Joint, "view"> | undefined;
  /** What came of it; undefined when it was not written with the admission. */
  result(entered: Entered): { value: T } | undefined;
  /** Writes it in another way, after the frame was admitted. */
  after(): Promise<T>;
  /** The frame was not admitted as expected. */
  refused: T;
}

/** How far a frame is; the next one of its session looks at it. */
interface Turn {
  /** It is on its way to the database: what is sent after it arrives after it. */
  isAsked: Promise<void>;
  isOver: Promise<void>;
}

/** How long an admission is held back. Milliseconds. */
const maxWaitMs = 10;
/** For so long a start or an answer may follow its admission. Milliseconds. */
const keepTokenMs = 60_000;
const none = Promise.resolve();

/**
 * The frames of a session go to the database in the order in which they came, since each needs that the one before was admitted; those that
 * wait go together. An expected admission is held back for what is to be written with it: until that comes, until somebody waits for the
 * admission, or for {@link maxWaitMs}.
 */
export class FrameQueue {
  readonly #database: Database;
  readonly #entries: Entries;
  readonly #turns = new Map<string, Turn>();
  readonly #held = new Map<string, HeldAdmission>();

  constructor(database: Database, entries: Entries) {
    this.#database = database;
    this.#entries = entries;
  }

  /** Admits a frame. */
  async admit(admission: ExpectedAdmission): Promise<AdmissionResult> {
    checkAdmission(admission);
    const copy = copyOf(admission);
    const { expected } = copy;
    const isUsual = copy.calls.length <= 1 && !isToTidy(copy);
    const held = expected && new HeldAdmission(expected.session.view);
    if (!isUsual) held?.take();
    const result = this.#inTurn(copy.sessionId, (before, asked) =>
      isUsual ? this.#together(copy, held, before, asked) : this.#alone(copy, before),
    );
    if (expected && held) this.#hold(expected.token, held, result);
    return await result;
  }

  /** Sends an admission that is held back. */
  send(token: string): void {
    this.#held.get(token)?.go();
  }

  /** Writes something for a call whose admission was expected. */
  async join<T>(token: string, joined: Joined<T>): Promise<T> {
    const held = this.#held.get(token);
    if (held === undefined) return joined.refused;
    const together = held.join(joined);
    if (together !== undefined) return await together;
    const found = await (held.result as Promise<AdmissionResult>);
    return isAsExpected(found, held.view) ? await joined.after() : joined.refused;
  }

  #hold(token: string, held: HeldAdmission, result: Promise<AdmissionResult>): void {
    this.#held.set(token, held);
    held.result = result;
    const timer = setTimeout(() => held.go(), maxWaitMs);
    void held.ready.then(() => clearTimeout(timer));
    // What is joined may come later: it looks whether the frame was admitted as expected.
    const kept = (): void => {
      held.keptUntil = performance.now() + keepTokenMs;
    };
    void result.then(kept, () => void this.#held.delete(token));
    this.#forgetOld();
  }

  /** Forgets what was admitted long ago. A timer for each would be one for every call of the last minute. */
  #forgetOld(): void {
    const now = performance.now();
    for (const [token, { keptUntil }] of this.#held) {
      if (keptUntil > now) return;
      this.#held.delete(token);
    }
  }

  async #together(
    admission: Admission,
    held: HeldAdmission | undefined,
    before: Turn,
    asked: () => void,
  ): Promise<AdmissionResult> {
    await before.isAsked;
    await held?.ready;
    const joining = held?.take();
    try {
      const joint = joining?.joined.joint(admission);
      const sent = this.#entries.ask({ admission, ...joint, ...(joint && held && { view: held.view }) });
      asked();
      const entered = await sent;
      const found = admittedBy(entered, admission) ?? (await this.#alone(admission, before));
      const result = joint && entered.session?.view === held?.view ? joining?.joined.result(entered) : undefined;
      if (result !== undefined) joining?.resolve(result.value);
      else if (isAsExpected(found, held?.view as string)) joining?.joined.after().then(joining.resolve, joining.reject);
      else joining?.resolve(joining.joined.refused);
      return found;
    } catch (error) {
      joining?.reject(error);
      throw error;
    }
  }

  async #alone(admission: Admission, before: Turn): Promise<AdmissionResult> {
    await before.isOver;
    return await this.#database.write((tx) => admit(tx, admission));
  }

  async #inTurn(
    sessionId: string,
    act: (before: Turn, asked: () => void) => Promise<AdmissionResult>,
  ): Promise<AdmissionResult> {
    const before = this.#turns.get(sessionId) ?? { isAsked: none, isOver: none };
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const result = act(before, asked);
    const isOver = result.then(asked, asked).then(() => before.isOver);
    const turn = { isAsked, isOver };
    this.#turns.set(sessionId, turn);
    void isOver.then(() => {
      if (this.#turns.get(sessionId) === turn) this.#turns.delete(sessionId);
    });
    return await result;
  }
}

/** The caller may change its objects afterwards. */
function copyOf(admission: ExpectedAdmission): ExpectedAdmission {
  const { calls, expected } = admission;
  return {
    ...admission,
    calls: calls.map((call) => ({ ...call, ...(call.operation && { operation: { ...call.operation } }) })),
    ...(expected && {
      expected: { ...expected, session: { ...expected.session, features: [...expected.session.features] } },
    }),
  };
}

/** Undefined when the frame was not admitted. */
function admittedBy({ session }: Entered, { seq, calls, knownOnly }: Admission): AdmissionResult | undefined {
  if (session === undefined) return undefined;
  const known: Record<string, KnownCall> = Object.create(null);
  if (!knownOnly) for (const { callId } of calls) known[callId] = { status: "new" };
  const { n, view, record } = session;
  const fixed = JSON.parse(record) as Fixed;
  return { status: "admitted", session: recordOf({ n, fixed, view, expectedSeq: seq + 1 }), calls: known };
}

/** What is to be sent with an admission. */
interface Waiting {
  joined: Joined<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One admission that waits for what is written with it. */
class HeldAdmission {
  readonly ready: Promise<void>;
  readonly view: string;
  result: Promise<AdmissionResult> | undefined;
  /** Of `performance.now()`. */
  keptUntil: number = Number.POSITIVE_INFINITY;
  go: () => void = () => undefined;
  #isTaken = false;
  #joined: Waiting | undefined;

  constructor(view: string) {
    this.view = view;
    this.ready = new Promise((resolve) => {
      this.go = resolve;
    });
  }

  /** Undefined when the admission goes without it. */
  join<T>(joined: Joined<T>): Promise<T> | undefined {
    if (this.#isTaken || this.#joined !== undefined) return undefined;
    const result = new Promise<T>((resolve, reject) => {
      this.#joined = { joined: joined as Joined<unknown>, resolve: resolve as (result: unknown) => void, reject };
    });
    this.go();
    return result;
  }

  /** Returns what has come. What comes later goes by itself. */
  take(): Waiting | undefined {
    this.#isTaken = true;
    return this.#joined;
  }
}
