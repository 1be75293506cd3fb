import { checkKeys, defined, type KnownKeys, uuidV7 } from "@toolglot/internal";
import type {
  AliasRow,
  BatchItemResult,
  CallItem,
  CallReqPayload,
  FaultPayload,
  NackPayload,
  ResultPayload,
  RetryHint,
} from "@toolglot/trp-core/frames";
import { toCallError } from "./answer.ts";
import { type CatalogView, isUnchanged, needsKey } from "./catalog-view.ts";
import { type Connection, type Session, SessionLost } from "./connection.ts";
import { clientError, refusedWith } from "./errors.ts";
import { clock, type Limits, pause } from "./limits.ts";
import { remove } from "./list.ts";
import { needsApproval, type OpenKeys } from "./open-keys.ts";
import { type CallFacts, fromNack, fromResult, mayRetry, refusedLocally, stillRunning } from "./outcome.ts";
import { backoff } from "./retry.ts";
import { explain, type Progress, type Sending } from "./transmit.ts";
import type { CallRequest, CallResult } from "./types.ts";

/** How calls are made, the same for all of a client. */
export interface CallRules {
  keys: "auto" | "explicit";
  timeoutMs: number;
  /** Keys of the client's calls that are not over: a call without a key of its own goes on with one of these. */
  open: OpenKeys;
}

/** How often a call is sent again because its session or its catalog changed. */
const changes = 4;
/** How much longer than the capability its answer may take. */
const graceMs = 5000;

/** One call, from the request to its one outcome. Everything that stays the same over its attempts is here. */
export class Call {
  readonly request: CallRequest;
  readonly callId: string;
  key: string | undefined;
  /** The catalog row that the call is for. */
  row: AliasRow | undefined;
  attempts = 0;
  /** Whether any frame of it may have been executed. */
  readonly progress: Progress = { isOpen: false };
  readonly #connection: Connection;
  readonly #rules: CallRules;
  /** Once the catalog changed, numbers come from it. */
  #idx: number | undefined;

  constructor(connection: Connection, rules: CallRules, request: CallRequest) {
    checkRequest(request);
    this.request = request;
    this.callId = request.callId ?? connection.newId("call");
    this.key = request.key;
    this.#idx = request.idx;
    this.#connection = connection;
    this.#rules = rules;
  }

  get facts(): CallFacts {
    return {
      callId: this.callId,
      capId: this.request.capId,
      key: this.key,
      attempts: this.attempts,
      row: this.row,
    };
  }

  get timeoutMs(): number {
    return this.request.timeoutMs ?? this.#rules.timeoutMs;
  }

  /** Whether the frame may be sent again when its answer was lost. */
  get repeats(): boolean {
    return this.key !== undefined || (this.row !== undefined && !needsKey(this.row));
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
    if (this.key === undefined && needsKey(row)) {
      if (this.#rules.keys === "explicit") {
        throw clientError("trp-client/key-required", `${capId} changes something: give the call an idempotency key.`, {
          data: { callId: this.callId, capId },
        });
      }
      this.key = this.#rules.open.find(capId, this.request.args ?? {}) ?? uuidV7();
    }
    return undefined;
  }

  #mismatch(message: string, fix: string): CallResult {
    const error = { code: "TRP_1003", errorClass: "CATALOG_MISMATCH", message, fix };
    return refusedLocally(error, this.facts);
  }

  /** The call as a frame holds it. */
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
    return this.#run(limits, traceId).then(
      (result) => this.noted(result),
      (error: unknown) => {
        const refused = refusedWith(error);
        if (refused !== undefined) return refusedLocally(refused, this.facts);
        const { callId, capId, key } = this.facts;
        this.noteLost(this.progress);
        throw explain(error, this.progress, { callId, capId, ...defined({ key }) });
      },
    );
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

  async #run(limits: Limits, traceId: string | undefined): Promise<CallResult> {
    const connection = this.#connection;
    const sending = { limits, traceId, waitMs: this.timeoutMs + graceMs, callId: this.callId };
    let changesLeft = changes;
    let retries = 0;
    let stale: CatalogView | undefined;
    for (;;) {
      const session = connection.session ?? (await connection.open(limits));
      let end: Attempt;
      try {
        end = await this.#attempt(session, stale, sending);
      } catch (error) {
        // A new session: the same call under the same key, so that the router knows what became of it in the old one.
        if (!(error instanceof SessionLost)) throw error;
        if (--changesLeft < 0) throw clientError("trp-client/no-answer", "The session was lost again and again.");
        stale = undefined;
        continue;
      }
      const { result, problem } = end;
      if (result.status === "success") session.budget.credit();
      if (problem === undefined) return result;
      if (problem === "catalog") {
        if (--changesLeft < 0) return result;
        stale = end.catalog;
        continue;
      }
      const hint = result.error?.retryHint ?? {};
      const most = this.#connection.retry.maxRetries ?? session.retryBudget;
      if (++retries > Math.min(most, (hint.max_attempts ?? Number.POSITIVE_INFINITY) - 1)) return result;
      const waitMs = Math.max(backoff(retries, connection.retry, hint), session.budget.take());
      if (clock() + waitMs >= limits.deadline) return result;
      const reason = result.error?.code ?? "NOT_FOUND";
      connection.emit({ type: "retry", frame: "CALL_REQ", callId: this.callId, attempt: retries, waitMs, reason });
      await pause(waitMs, limits);
    }
  }

  /** Sends it once, and waits for its outcome. */
  async #attempt(
    session: Session,
    stale: CatalogView | undefined,
    sending: Omit<Sending, "repeats">,
  ): Promise<Attempt> {
    const found = this.#find(session, stale, sending.limits);
    const misplaced = found instanceof Promise ? await found : found;
    if (misplaced !== undefined) return { result: misplaced };
    const { catalog } = session;
    session.waiting.push(this.callId);
    try {
      this.attempts++;
      const payload: CallReqPayload = this.item(session);
      payload.execution_mode = "SYNC";
      const { limits, traceId, waitMs } = sending;
      const { callId, repeats, progress } = this;
      const full = { limits, traceId, waitMs, repeats, callId, progress };
      const answer = await this.#connection.exchange(session, "CALL_REQ", payload, full);
      if (answer.frame_type !== "ACK") {
        const attempt = this.judge(answer, catalog);
        if (isOutdated(attempt.result)) this.#connection.forgetCatalog(session, catalog);
        return attempt;
      }
      const end = await this.#poll(session, answer.payload.retry_hint, sending);
      if (end === "running") return { result: stillRunning(this.facts) };
      if (end === "not-found")
        return { result: stillRunning(this.facts), ...(this.repeats ? { problem: "retry" } : {}) };
      return this.judge(end, catalog);
    } finally {
      if (!session.isLost) remove(session.waiting, this.callId);
    }
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

  /** What an answer means: the outcome, and whether something can be done about it. */
  judge(answer: Answered, catalog: CatalogView | undefined): Attempt {
    const { payload } = answer;
    const result =
      answer.frame_type === "NACK" ? fromNack(answer.payload, this.facts) : fromResult(answer.payload, this.facts);
    const { error } = result;
    if (error === undefined) return { result };
    if (error.code === "TRP_1003" && !error.dispatched) {
      return { result, problem: "catalog", ...defined({ catalog }) };
    }
    const isStated = typeof faultOf(payload)?.dispatched === "boolean";
    return { result, ...(mayRetry(error, this.facts, isStated) ? { problem: "retry" } : {}) };
  }

  /** The outcome of a call that came with a batch which is still running; undefined when it has to be sent itself. */
  async awaitOutcome(session: Session, limits: Limits, traceId: string | undefined): Promise<CallResult | undefined> {
    const sending = { limits, traceId, waitMs: 0, callId: this.callId };
    const end = await this.#poll(session, undefined, sending);
    if (end === "running") return stillRunning(this.facts);
    return end === "not-found" ? undefined : this.judge(end, undefined).result;
  }

  /** Asks for the outcome of a call that runs. */
  async #poll(
    session: Session,
    hint: RetryHint | undefined,
    sending: Omit<Sending, "repeats">,
  ): Promise<Answered | "not-found" | "running"> {
    const { limits } = sending;
    const connection = this.#connection;
    for (let asked = 1; ; asked++) {
      const waitMs = Math.max(
        Math.min(50 * 2 ** Math.min(asked - 1, 10), 2000),
        asked === 1 ? (hint?.backoff_ms ?? 0) : 0,
      );
      if (clock() + waitMs >= limits.deadline) return "running";
      await pause(waitMs, limits);
      const query = { ...sending, waitMs: connection.requestTimeoutMs, repeats: true };
      const answer = await connection.exchange(session, "RESULT_QUERY_REQ", { call_id: this.callId }, query);
      if (answer.frame_type !== "RESULT_QUERY_RES") {
        if (answer.frame_type === "NACK" && !toCallError(answer.payload).retryable) return "running";
        continue;
      }
      // A plain router may leave out what is null.
      const { status, result = null, error = null } = answer.payload;
      if (status === "NOT_FOUND") return "not-found";
      if (status === "IN_PROGRESS") continue;
      if (result !== null) {
        const { cap_id: capId = this.request.capId } = result;
        return capId === this.request.capId ? { frame_type: "RESULT", payload: result } : "running";
      }
      if (error !== null && status === "FAILED") return { frame_type: "NACK", payload: error };
      return "running";
    }
  }
}

/** Whether a result says that its call was sent with an old digest. */
export function isOutdated({ error }: CallResult): boolean {
  return error?.code === "TRP_2007";
}

/** A final answer, however it came. */
export type Answered =
  | { frame_type: "RESULT"; payload: ResultPayload | BatchItemResult }
  | { frame_type: "NACK"; payload: NackPayload };

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

const requestKeys: KnownKeys<CallRequest> = {
  idx: true,
  capId: true,
  args: true,
  key: true,
  callId: true,
  timeoutMs: true,
  approvalToken: true,
  dependsOn: true,
  schemaDigest: true,
};

function checkRequest(request: CallRequest): void {
  if (typeof request !== "object" || request === null) throw new TypeError("a call is an object like { capId, args }");
  const { capId, args, key, callId, timeoutMs, idx } = request;
  checkKeys<CallRequest>("a call", request, requestKeys);
  if (typeof capId !== "string" || capId === "")
    throw new TypeError("capId must be a capability's id, as cap.mail.send.v2");
  if (args !== undefined && (typeof args !== "object" || args === null || Array.isArray(args))) {
    throw new TypeError(`args of ${capId} must be an object`);
  }
  checkId("key", key);
  checkId("callId", callId);
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError(`timeoutMs must be a whole number of milliseconds from 1, not ${timeoutMs}`);
  }
  if (idx !== undefined && !(Number.isInteger(idx) && idx >= 0)) {
    throw new TypeError(`idx must be a whole number from 0, not ${idx}`);
  }
}

function checkId(name: string, value: unknown): void {
  if (value !== undefined && (typeof value !== "string" || value === "")) {
    throw new TypeError(`${name} must be text that is not empty; leave it out to have one made`);
  }
}
