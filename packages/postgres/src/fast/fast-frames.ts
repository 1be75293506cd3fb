import { columnText, ignoreRejection, textOfColumn } from "@toolglot/internal";
import {
  type Admission,
  type AdmissionResult,
  checkAdmission,
  type ExpectedAdmission,
  type FrameStore,
  isAsExpected,
  type KnownCall,
} from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/transaction.ts";
import { timed } from "../database/transaction.ts";
import { admit, isToTidy } from "../tables/admission.ts";
import { type SameTransactionText, sameTransactionText, writeSameTransaction } from "../tables/answers.ts";
import { type Fixed, recordOf } from "../tables/session-rows.ts";
import { newWriteId, Parameters } from "./parameters.ts";
import { admissionParts, answeredCall, answerPart, isPlain, stagedParts } from "./parts.ts";

/** The admission of the next frame, in one statement. Undefined when it is not as most are; then nothing was written. */
export async function admitNext(database: Database, admission: Admission): Promise<AdmissionResult | undefined> {
  if (admission.calls.length > 1 || isToTidy(admission)) return undefined;
  const p = new Parameters(database.now());
  const writeId = newWriteId();
  const parts = [timed, ...admissionParts(p, admission, undefined, writeId)];
  const rows = await database.statement({
    sql: `WITH ${parts.join(",\n")} SELECT n, view, record FROM s`,
    values: p.values,
    recover: (reader) => reader.all(broughtSql, columnText(admission.sessionId), writeId),
  });
  const [row] = rows;
  return row && admittedBy(row, admission);
}

const broughtSql = `SELECT s.n, s.view, s.record FROM @sessions s JOIN @calls c ON c.session = s.n
  WHERE s.id = $1 AND c.write_id = $2`;

function admittedBy(row: Row, { seq, calls, knownOnly }: Admission): AdmissionResult {
  const fixed = JSON.parse(row.record as string) as Fixed;
  const known: Record<string, KnownCall> = Object.create(null);
  if (!knownOnly) for (const { callId } of calls) known[callId] = { status: "new" };
  const session = { n: Number(row.n), fixed, view: textOfColumn(row.view as string), expectedSeq: seq + 1 };
  return { status: "admitted", session: recordOf(session), calls: known };
}

/** Writes an answer in one statement. False when it is not as most are; then nothing was written. */
async function answerPlain(database: Database, texts: SameTransactionText): Promise<boolean> {
  const { answer, audit, events } = texts;
  if (!isPlain(answer)) return false;
  const p = new Parameters(database.now());
  const writeId = newWriteId();
  const parts = [timed, answeredCall(p, answer), answerPart(p, answer, "k", writeId), ...stagedParts(p, texts, "c")];
  const rows = await database.statement({
    sql: `WITH ${parts.join(",\n")} SELECT 1 FROM c`,
    values: p.values,
    recover: (reader) =>
      reader.all("SELECT 1 FROM @calls WHERE write_id = $1 AND frame = $2", writeId, columnText(answer.frameId)),
  });
  if (rows.length === 0) return false;
  database.noteStaged(audit.length + events.length);
  return true;
}

/** What is written with an admission that waits for it, in one statement: the start of its call's operation, or its answer. */
export interface Joined<T> {
  /** Sends both as one statement. `admitted`: whether the frame was; `done`: what was joined, when it was written. */
  send(admission: Admission, view: string): Promise<{ admitted: boolean; done?: { value: T } }>;
  /** Writes it in another way, after the frame was admitted. */
  after(): Promise<T>;
  /** The frame was not admitted as expected. */
  refused: T;
}

/**
 * The frames of a session go to the database one after another, since each needs that the one before was admitted. An expected
 * admission is held back for what is to be written with it: until that comes, until somebody waits for the admission, or for
 * {@link mostWaitMs}.
 */
export class FrameQueue {
  readonly #database: Database;
  readonly #turns = new Map<string, Promise<void>>();
  readonly #held = new Map<string, HeldAdmission>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Admits a frame. */
  async admit(admission: ExpectedAdmission): Promise<AdmissionResult> {
    checkAdmission(admission);
    const copy = structuredClone(admission);
    const { expected, sessionId } = copy;
    if (expected === undefined || isToTidy(copy)) return await this.#inTurn(sessionId, () => this.#send(copy));
    const held = new HeldAdmission(copy, expected.session.view);
    this.#held.set(expected.token, held);
    const timer = setTimeout(held.go, mostWaitMs);
    const result = this.#inTurn(sessionId, async () => {
      await held.ready;
      clearTimeout(timer);
      return await held.send(() => this.#send(copy));
    });
    held.result = result;
    ignoreRejection(result);
    const forget = (): void => void this.#held.delete(expected.token);
    // What is joined may come later: it looks whether the frame was admitted as expected.
    void result.then(() => setTimeout(forget, keepTokenMs).unref(), forget);
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
    return isAsExpected(await (held.result as Promise<AdmissionResult>), held.view)
      ? await joined.after()
      : joined.refused;
  }

  async #send(admission: ExpectedAdmission): Promise<AdmissionResult> {
    const found = await admitNext(this.#database, admission);
    return found ?? (await this.#database.write((tx) => admit(tx, admission)));
  }

  async #inTurn<T>(sessionId: string, act: () => Promise<T>): Promise<T> {
    const mine = (this.#turns.get(sessionId) ?? Promise.resolve()).then(act);
    const over = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(sessionId, over);
    void over.then(() => {
      if (this.#turns.get(sessionId) === over) this.#turns.delete(sessionId);
    });
    return await mine;
  }
}

/** How long an admission is held back. Milliseconds. */
const mostWaitMs = 10;
/** For so long a start or an answer may follow its admission. Milliseconds. */
const keepTokenMs = 60_000;

/** One admission that waits for what is written with it. */
class HeldAdmission {
  readonly ready: Promise<void>;
  readonly view: string;
  result: Promise<AdmissionResult> | undefined;
  readonly #admission: ExpectedAdmission;
  #isSent = false;
  #start: { joined: Joined<unknown>; resolve(result: unknown): void; reject(error: unknown): void } | undefined;
  go: () => void = () => undefined;

  constructor(admission: ExpectedAdmission, view: string) {
    this.#admission = admission;
    this.view = view;
    this.ready = new Promise((resolve) => {
      this.go = resolve;
    });
  }

  /** Undefined when the admission was sent without it. */
  join<T>(joined: Joined<T>): Promise<T> | undefined {
    if (this.#isSent || this.#start !== undefined) return undefined;
    const result = new Promise<T>((resolve, reject) => {
      this.#start = { joined: joined as Joined<unknown>, resolve: resolve as (result: unknown) => void, reject };
    });
    this.go();
    return result;
  }

  /** Sends the admission with what was joined, else `alone`. */
  async send(alone: () => Promise<AdmissionResult>): Promise<AdmissionResult> {
    this.#isSent = true;
    const start = this.#start;
    if (start === undefined) return await alone();
    try {
      const sent = await start.joined.send(this.#admission, this.view);
      const found = sent.admitted ? this.#asExpected() : await alone();
      if (sent.done !== undefined) start.resolve(sent.done.value);
      else if (isAsExpected(found, this.view)) start.joined.after().then(start.resolve, start.reject);
      else start.resolve(start.joined.refused);
      return found;
    } catch (error) {
      start.reject(error);
      throw error;
    }
  }

  #asExpected(): AdmissionResult {
    const { session } = this.#admission.expected as NonNullable<ExpectedAdmission["expected"]>;
    return { status: "admitted", session: { ...session, features: [...session.features] }, calls: {} };
  }
}

/** The steps of a session that every call needs, each in one statement where nothing stands in the way. */
export function fastFrames(database: Database, queue: FrameQueue): Pick<FrameStore, "admit" | "answer"> {
  return {
    admit: (admission) => queue.admit(admission),
    async answer(answer, { ifAdmitted, ...together } = {}) {
      const texts = sameTransactionText({ ...together, answer });
      const after = async (): Promise<undefined> => {
        if (await answerPlain(database, texts)) return;
        await database.write((tx) => writeSameTransaction(tx, texts));
      };
      if (ifAdmitted === undefined) return await after();
      return await queue.join<undefined | "not-admitted">(ifAdmitted, {
        send: (admission, view) => answerAdmitted(database, admission, view, texts),
        after,
        refused: "not-admitted",
      });
    },
  };
}

/** The admission of a call's frame and its answer, in one statement. */
async function answerAdmitted(
  database: Database,
  admission: Admission,
  view: string,
  texts: SameTransactionText,
): Promise<{ admitted: boolean; done?: { value: undefined } }> {
  const { answer, audit, events } = texts;
  const [call] = admission.calls;
  const isOwn = isPlain(answer) && answer.callId === call?.callId && answer.frameId === admission.frameId;
  if (!isOwn || answer.sessionId !== admission.sessionId) return { admitted: false };
  const p = new Parameters(database.now());
  const writeId = newWriteId();
  const parts = [timed, ...admissionParts(p, admission, view, writeId, answer.reply), ...stagedParts(p, texts, "s")];
  const rows = await database.statement({
    sql: `WITH ${parts.join(",\n")} SELECT 1 FROM s`,
    values: p.values,
    recover: (reader) => reader.all(broughtSql, columnText(admission.sessionId), writeId),
  });
  if (rows.length === 0) return { admitted: false };
  database.noteStaged(audit.length + events.length);
  return { admitted: true, done: { value: undefined } };
}
