import { andFinally, andThen, asPromise, defined, removeFrom, whenDone } from "@toolglot/internal";
import type { CallReqPayload, FaultPayload, RetryHint } from "@toolglot/trp-core/frames";
import type { CatalogView } from "./catalog-view.ts";
import type { Connection } from "./connection.ts";
import { clientError, refusedWith } from "./errors.ts";
import { backoff, clock, type Limits, pause } from "./limits.ts";
import { fromNack, fromResult, mayRetry, refusedLocally, stillRunning } from "./outcome.ts";
import { type CallRules, PlacedCall } from "./placed-call.ts";
import { type Answered, pollOutcome } from "./poll.ts";
import { type Session, SessionLost } from "./session.ts";
import { explain, type Progress, type Sending } from "./transmit.ts";
import type { CallRequest, CallResult } from "./types.ts";

/** How a call is sent; whether it may be repeated depends on its row. */
type CallSending = Omit<Sending, "repeats">;

type CallAnswer = Awaited<ReturnType<typeof Connection.prototype.exchange<"CALL_REQ">>>;

/** What came of a call's attempts so far. */
interface SoFar {
  changesLeft: number;
  retries: number;
  /** A catalog in which its number was wrong. */
  stale: CatalogView | undefined;
}

/** How often a call is sent again because its session or its catalog changed. */
const changes = 4;
/** How much longer than the capability its answer may take. */
const graceMs = 5000;

/** One call, from the request to its one outcome: its attempts. */
export class Call extends PlacedCall {
  /** Whether any frame of it may have been executed. */
  readonly progress: Progress = { isOpen: false };
  /** Whether it was left to the router. */
  isRunning = false;
  readonly #connection: Connection;

  constructor(connection: Connection, rules: CallRules, request: CallRequest, mode: "SYNC" | "ASYNC" = "SYNC") {
    super(connection.newId, rules, request, mode);
    this.#connection = connection;
  }

  /** Runs it to its end. `attempts` counts on from a batch. */
  run(limits: Limits, traceId: string | undefined): Promise<CallResult> {
    const sending = { limits, traceId, waitMs: this.timeoutMs + graceMs, callId: this.callId };
    const failed = (error: unknown): CallResult | Promise<never> => {
      const refused = refusedWith(error);
      if (refused !== undefined) return refusedLocally(refused, this);
      const { callId, capId, key } = this;
      this.noteLost(this.progress);
      return Promise.reject(explain(error, this.progress, { callId, capId, ...defined({ key }) }));
    };
    const ended = whenDone(
      () => this.#run(sending, { changesLeft: changes, retries: 0, stale: undefined }),
      (result) => this.noted(result),
      failed,
    );
    return asPromise(ended);
  }

  #run(sending: CallSending, so: SoFar): CallResult | Promise<CallResult> {
    const connection = this.#connection;
    return andThen(connection.session ?? connection.open(sending.limits), (session) =>
      whenDone<Attempt, CallResult>(
        () => this.#attempt(session, so.stale, sending),
        (end) => this.#goOn(session, end, sending, so),
        (error) => {
          // A new session: the same call under the same key, so that the router knows what became of it in the old one.
          if (!(error instanceof SessionLost)) throw error;
          if (--so.changesLeft < 0) throw clientError("trp-client/no-answer", "The session was lost again and again.");
          so.stale = undefined;
          return this.#run(sending, so);
        },
      ),
    );
  }

  /** Returns the result of an attempt, or makes another one where something can be done about it. */
  #goOn(
    session: Session,
    { result, problem, catalog }: Attempt,
    sending: CallSending,
    so: SoFar,
  ): CallResult | Promise<CallResult> {
    if (result.status === "success") session.budget.credit();
    if (problem === undefined) return result;
    if (problem === "catalog") {
      if (--so.changesLeft < 0) return result;
      so.stale = catalog;
      return this.#run(sending, so);
    }
    const connection = this.#connection;
    const hint = result.error?.retryHint ?? {};
    const most = connection.retry.maxRetries ?? session.retryBudget;
    if (++so.retries > Math.min(most, (hint.max_attempts ?? Number.POSITIVE_INFINITY) - 1)) return result;
    const waitMs = Math.max(backoff(so.retries, connection.retry, hint), session.budget.take());
    if (clock() + waitMs >= sending.limits.deadline) return result;
    const reason = result.error?.code ?? "NOT_FOUND";
    connection.emit({ type: "retry", frame: "CALL_REQ", callId: this.callId, attempt: so.retries, waitMs, reason });
    return pause(waitMs, sending.limits).then(() => this.#run(sending, so));
  }

  /** Sends it once, and waits for its outcome. */
  #attempt(session: Session, stale: CatalogView | undefined, sending: CallSending): Attempt | Promise<Attempt> {
    return andThen(this.#find(session, stale, sending.limits), (misplaced) =>
      misplaced === undefined ? this.#send(session, sending) : { result: misplaced },
    );
  }

  #send(session: Session, sending: CallSending): Attempt | Promise<Attempt> {
    const connection = this.#connection;
    const { catalog } = session;
    const end = (): void => {
      if (!session.isLost) removeFrom(session.waiting, this);
    };
    session.waiting.push(this);
    return whenDone<CallAnswer, Attempt>(
      () => {
        this.attempts++;
        const payload: CallReqPayload = this.item(session);
        payload.execution_mode = this.mode;
        this.isRunning = false;
        const { limits, traceId, waitMs } = sending;
        const { callId, repeats, progress } = this;
        return connection.exchange(session, "CALL_REQ", payload, {
          limits,
          traceId,
          waitMs,
          repeats,
          callId,
          progress,
        });
      },
      (answer) => {
        if (answer.frame_type === "ACK") {
          return andFinally(() => this.#accepted(session, catalog, answer.payload.retry_hint, sending), end);
        }
        end();
        const attempt = this.judge(answer, catalog);
        if (isOutdated(attempt.result)) connection.forgetCatalog(session, catalog);
        return attempt;
      },
      (error) => {
        end();
        throw error;
      },
    );
  }

  /** Asks for the outcome of a call that the router has taken; unless it is left to the router. */
  async #accepted(
    session: Session,
    catalog: CatalogView | undefined,
    hint: RetryHint | undefined,
    sending: CallSending,
  ): Promise<Attempt> {
    if (this.mode === "ASYNC") {
      this.isRunning = true;
      return { result: stillRunning(this) };
    }
    const end = await pollOutcome(this.#connection, session, this, hint, sending);
    if (end === "running") return { result: stillRunning(this) };
    if (end === "not-found") return { result: stillRunning(this), ...(this.repeats ? { problem: "retry" } : {}) };
    return this.judge(end, catalog);
  }

  /** Its row, of a catalog that is fresh enough; the refusal when there is none for it. */
  #find(
    session: Session,
    stale: CatalogView | undefined,
    limits: Limits,
  ): CallResult | undefined | Promise<CallResult | undefined> {
    const { catalog } = session;
    if (catalog === undefined || catalog.isExpired || catalog === stale) return this.#findAnew(session, limits);
    const misplaced = this.place(catalog);
    // A capability that the client never saw may be new.
    return misplaced === undefined || this.row !== undefined ? misplaced : this.#findAnew(session, limits);
  }

  async #findAnew(session: Session, limits: Limits): Promise<CallResult | undefined> {
    return this.place(await this.#connection.sync(session, limits));
  }

  /** Returns what an answer means: the outcome, and whether something can be done about it. */
  judge(answer: Answered, catalog: CatalogView | undefined): Attempt {
    const { payload } = answer;
    const result = answer.frame_type === "NACK" ? fromNack(answer.payload, this) : fromResult(answer.payload, this);
    const { error } = result;
    if (error === undefined) return { result };
    if (error.code === "TRP_1003" && !error.dispatched) {
      return { result, problem: "catalog", ...defined({ catalog }) };
    }
    const isStated = typeof faultOf(payload)?.dispatched === "boolean";
    return { result, ...(mayRetry(error, this, isStated) ? { problem: "retry" } : {}) };
  }

  /** Returns the outcome of a call that came with a batch which is still running; undefined when it has to be sent itself. */
  async awaitOutcome(session: Session, limits: Limits, traceId: string | undefined): Promise<CallResult | undefined> {
    const sending = { limits, traceId, waitMs: 0, callId: this.callId };
    const end = await pollOutcome(this.#connection, session, this.facts, undefined, sending);
    if (end === "running") return stillRunning(this.facts);
    return end === "not-found" ? undefined : this.judge(end, undefined).result;
  }
}

/** Whether a result refuses its call for an old digest. */
export function isOutdated({ error }: CallResult): boolean {
  return error?.code === "TRP_2007";
}

/** How one attempt ended. `catalog`: read it again and find the capability's number; `retry`: later again. */
export interface Attempt {
  result: CallResult;
  problem?: "catalog" | "retry";
  /** With which the attempt was made. */
  catalog?: CatalogView;
}

/** The part of an answer that holds the error. */
function faultOf(payload: Answered["payload"]): Partial<FaultPayload> | undefined {
  return "error" in payload ? payload.error : (payload as Partial<FaultPayload>);
}
