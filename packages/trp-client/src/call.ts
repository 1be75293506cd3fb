import { andFinally, andThen, asPromise, defined, removeFrom, uuidV7, whenDone } from "@toolglot/internal";
import type { AliasRow, CallItem, CallReqPayload, FaultPayload, RetryHint } from "@toolglot/trp-core/frames";
import { type CatalogView, isUnchanged, keyRequired, needsKey } from "./catalog-view.ts";
import { type Connection, type Session, SessionLost } from "./connection.ts";
import { clientError, refusedWith } from "./errors.ts";
import { backoff, clock, type Limits, pause } from "./limits.ts";
import { needsApproval, type OpenKeys } from "./open-keys.ts";
import { type CallFacts, fromNack, fromResult, mayRetry, refusedLocally, stillRunning } from "./outcome.ts";
import { type Answered, pollOutcome } from "./poll.ts";
import { checkRequest } from "./request.ts";
import { explain, type Progress, type Sending } from "./transmit.ts";
import type { CallRequest, CallResult } from "./types.ts";

/** How calls are made, the same for all of a client. */
export interface CallRules {
  keys: "auto" | "explicit";
  timeoutMs: number;
  /** Keys of the client's calls that are not over: a call without a key of its own resumes one of these. */
  open: OpenKeys;
}

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

/** One call, from the request to its one outcome. Everything that stays the same over its attempts is here. */
export class Call implements CallFacts {
  readonly request: CallRequest;
  readonly callId: string;
  readonly capId: string;
  key: string | undefined;
  /** The catalog row that the call is for. */
  row: AliasRow | undefined;
  attempts = 0;
  /** Whether any frame of it may have been executed. */
  readonly progress: Progress = { isOpen: false };
  /** ASYNC: it is left to the router once it has started. */
  readonly mode: "SYNC" | "ASYNC";
  /** Whether it was left to the router. */
  isRunning = false;
  readonly #connection: Connection;
  readonly #rules: CallRules;
  /** Once the catalog changed, numbers come from it. */
  #idx: number | undefined;

  constructor(connection: Connection, rules: CallRules, request: CallRequest, mode: "SYNC" | "ASYNC" = "SYNC") {
    checkRequest(request);
    this.mode = mode;
    this.request = request;
    this.callId = request.callId ?? connection.newId("call");
    this.capId = request.capId;
    this.key = request.key;
    this.#idx = request.idx;
    this.#connection = connection;
    this.#rules = rules;
  }

  /** As they are now. */
  get facts(): CallFacts {
    const { callId, capId, key, attempts, row } = this;
    return { callId, capId, key, attempts, row };
  }

  get timeoutMs(): number {
    return this.request.timeoutMs ?? this.#rules.timeoutMs;
  }

  /** Whether the frame may be sent again when its answer was lost. */
  get repeats(): boolean {
    return this.key !== undefined || (this.row !== undefined && !keyRequired(this.row));
  }

  /** Finds the capability in the catalog; the refusal when it isn't there or is another now. Throws `key-required`. */
  place(catalog: CatalogView): CallResult | undefined {
    const { capId, schemaDigest } = this.request;
    const row = catalog.get(capId);
    if (row === undefined) {
      return this.#mismatch(`There is no capability ${capId} in the catalog.`, "Choose one that is in the catalog.");
    }
    const isSame =
      (schemaDigest === undefined || schemaDigest === row.schema_digest) &&
      (this.row === undefined || isUnchanged(this.row, row));
    if (!isSame) {
      const message = `The capability ${capId} has changed since its description was read.`;
      return this.#mismatch(message, "Read its description again, then decide again.");
    }
    if (this.row !== undefined && this.row !== row) this.#idx = row.idx;
    this.row = row;
    // A call that is left to the router needs a key to be found again, should the session get lost.
    if (this.key === undefined && (needsKey(row) || this.mode === "ASYNC")) {
      const isExplicit = this.#rules.keys === "explicit";
      if (isExplicit && keyRequired(row)) {
        throw clientError("trp-client/key-required", `${capId} changes something: give the call an idempotency key.`, {
          data: { callId: this.callId, capId },
        });
      }
      // Where the router does without, it is the caller's choice.
      if (isExplicit && this.mode === "SYNC") return undefined;
      this.key = this.#rules.open.find(capId, this.request.args ?? {}) ?? uuidV7();
    }
    return undefined;
  }

  #mismatch(message: string, fix: string): CallResult {
    const error = { code: "TRP_1003", errorClass: "CATALOG_MISMATCH", message, fix };
    return refusedLocally(error, this.facts);
  }

  /** Returns the call as a frame holds it. */
  item(session: Session): CallItem {
    const { capId, args = {}, approvalToken, dependsOn = [] } = this.request;
    const item: CallItem = {
      call_id: this.callId,
      idempotency_key: this.key ?? null,
      idx: this.#idx ?? this.row?.idx ?? 0,
      cap_id: capId,
      depends_on: [...dependsOn],
      attempt: Math.max(1, this.attempts),
      timeout_ms: this.timeoutMs,
      approval_token: approvalToken ?? null,
      args,
    };
    if (session.isExtended && this.row !== undefined) item.schema_digest = this.row.schema_digest;
    return item;
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

  /** Remembers the key of a call whose outcome is unknown, and forgets the key of one that is over. */
  noted(result: CallResult): CallResult {
    // A call that waits for an approval may be made twice on purpose.
    if (!needsApproval(result)) this.#rules.open.note(this.request.args ?? {}, result);
    return result;
  }

  /** Notes that the call got no answer. */
  noteLost({ isOpen }: Progress): void {
    if (isOpen) this.#rules.open.noteLost(this.request.capId, this.request.args ?? {}, this.key);
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
