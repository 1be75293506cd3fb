import { ToolglotError } from "@toolglot/core";
import { asPromise, orRejected } from "@toolglot/internal";
import type { PartialResultEvent, ResponseOf } from "@toolglot/trp-core/frames";
import type { Connection } from "./connection.ts";
import { backoff, clock, pause } from "./limits.ts";
import { type Answered, queryEnd } from "./poll.ts";
import type { Session } from "./session.ts";
import type { Sending } from "./transmit.ts";

/** What following a call comes to. */
export type Followed = Answered | "not-found" | "running";

/** Where a reader of partial results is. */
export interface Cursor {
  /** The number of the last part that was read. */
  after: number;
}

/** Questions that wait for the end of a call at one time; more ask again and again, and leave connections to others. */
const maxWaiting = 16;
/** A router answers within 30 s, also when there is nothing new. */
const followMs = 45_000;
/** Between two questions, at first and at most. Milliseconds. */
const minPauseMs = 50;
const maxPauseMs = 2_000;

/**
 * Yields the partial results of a call after a number, as they come, and returns its end. A stream that broke off is asked for
 * again from where it was. Throws `SessionLost` as `exchange` does; the cursor has how far it came.
 */
export async function* followCall(
  connection: Connection,
  session: Session,
  call: { readonly callId: string; readonly capId: string | undefined },
  cursor: Cursor,
  sending: Omit<Sending, "repeats">,
): AsyncGenerator<PartialResultEvent, Followed> {
  const { limits } = sending;
  const { maxRetries = session.retryBudget } = connection.retry;
  let failures = 0;
  for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    const before = cursor.after;
    let answer: Answer;
    try {
      answer = yield* ask(connection, session, call.callId, cursor, sending);
      failures = 0;
    } catch (error) {
      if (clock() >= limits.deadline && isLost(error)) return "running";
      failures = cursor.after > before ? 0 : failures + 1;
      if (!isLost(error) || failures > maxRetries) throw error;
      // Not the same question again: what has come need not come twice.
      await pause(Math.max(backoff(Math.max(1, failures), connection.retry), session.budget.take()), limits);
      continue;
    }
    if (answer.frame_type === "NACK" || answer.frame_type === "RESULT_QUERY_RES") {
      const end = queryEnd(answer, call);
      if (end !== "running") return end === "stop" ? "running" : end;
    }
    if (cursor.after > before) pauseMs = minPauseMs;
    if (clock() + pauseMs >= limits.deadline) return "running";
    await pause(pauseMs, limits);
  }
}

/** Checks whether a question got no answer, so that another one may. */
function isLost(error: unknown): boolean {
  return ToolglotError.isInstance(error) && lost.has(error.code) && error.data.permanent !== true;
}

const lost: ReadonlySet<string> = new Set(["trp-client/no-answer", "trp-client/timeout", "trp-client/bad-answer"]);

type Answer = Awaited<ReturnType<typeof Connection.prototype.exchange<"RESULT_QUERY_REQ">>>;

/** One question, and the partial results that come with its answer or before it. */
async function* ask(
  connection: Connection,
  session: Session,
  callId: string,
  cursor: Cursor,
  sending: Omit<Sending, "repeats">,
): AsyncGenerator<PartialResultEvent, Answer> {
  const found: PartialResultEvent[] = [];
  const take = ({ payload }: ResponseOf<"PARTIAL_RESULT">): void => {
    // A stream that brings something is worth to be opened again.
    if (payload.next_after_event_id > cursor.after) session.budget.credit();
    for (const event of payload.events) {
      // A router may repeat what it has sent; it marks what it leaves out.
      if (event.event_id <= cursor.after) continue;
      cursor.after = event.event_id;
      found.push(event);
    }
  };
  let wake = (): void => {};
  const isWaiting = connection.streams || connection.followers < maxWaiting;
  const query = {
    ...sending,
    waitMs: isWaiting ? followMs : connection.requestTimeoutMs,
    repeats: false,
    ...(isWaiting && {
      onPartial: (frame: ResponseOf<"PARTIAL_RESULT">): void => {
        take(frame);
        wake();
      },
    }),
  };
  connection.followers++;
  let answer: Answer | undefined;
  let failure: { error: unknown } | undefined;
  const payload = { call_id: callId, after_event_id: cursor.after };
  const asked = asPromise(orRejected(() => connection.exchange(session, "RESULT_QUERY_REQ", payload, query)))
    .then(
      (given) => {
        answer = given;
      },
      (error: unknown) => {
        failure = { error };
      },
    )
    .finally(() => {
      connection.followers--;
      wake();
    });
  for (;;) {
    yield* found.splice(0);
    if (failure !== undefined) throw failure.error;
    if (answer !== undefined) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (found.length > 0 || answer !== undefined || failure !== undefined) resolve();
    });
  }
  await asked;
  if (answer.frame_type === "PARTIAL_RESULT") take(answer);
  yield* found.splice(0);
  return answer;
}
