import { andThen, flat, randomHex, whenDone } from "@toolglot/internal";
import type { Feature, RequestFrame, RequestOf, ResponseOf } from "@toolglot/trp-core/frames";
import { type AnswerTo, expectedSeq, isConsumed, toCallError } from "./answer.ts";
import { CatalogView } from "./catalog-view.ts";
import { refusal } from "./errors.ts";
import { checkLimits, clock, type Limits, pause, type RetryRules, retryRules, settleWithin, Waits } from "./limits.ts";
import type { Turn } from "./order.ts";
import { isSessionCode, newSession, type Session, SessionLost } from "./session.ts";
import { type Sending, tooLate, transmit, type Wire } from "./transmit.ts";
import type { ClientEvent, ClientOptions } from "./types.ts";

const allFeatures: readonly Feature[] = ["CALL_DAG", "CANCEL", "CATALOG_DELTA", "RESULT_FAILED", "SEQ_WINDOW"];
const sdkVersion = "toolglot-trp-client/0";
/** How often a frame gets another number before its refusal counts. */
const renumberings = 64;

/** The session and the frames in it: numbers, lost answers, lost sessions. It does not know what the frames mean. */
export class Connection {
  /** Makes ids that no other client makes: a random part, then a count. */
  readonly newId: (prefix: string) => string = idMaker();
  readonly retry: RetryRules;
  readonly requestTimeoutMs: number;
  readonly #options: ClientOptions;
  readonly #wire: Wire;
  readonly #traceId: string = this.newId("trc");
  readonly #waits = new Waits();
  /** Ids of calls whose session was lost: the newest 1,024. */
  readonly #lostCalls = new Set<string>();
  /** Whether any number of frames may wait for their answers at the same time. */
  readonly streams: boolean;
  /** Questions on their way that are answered when their call is over. */
  followers = 0;
  /** The session, when one is open. */
  session: Session | undefined;
  #opening: Promise<Session> | undefined;
  #resume: string | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#resume = options.resumeSessionId;
    this.streams = options.transport.streams === true;
    this.retry = retryRules(options.retry);
    this.#wire = { transport: options.transport, retry: this.retry, emit: (event) => this.emit(event) };
    this.requestTimeoutMs = options.requestTimeoutMs ?? 10_000;
  }

  limits(ms: number, signal?: AbortSignal): Limits {
    return { deadline: clock() + ms, signal, waits: this.#waits };
  }

  emit(event: ClientEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // A listener can't disturb a call.
    }
  }

  async close(): Promise<void> {
    this.#waits.close();
    await this.#wire.transport.close();
  }

  /** Returns the open session, or a new one. Rejects with `trp-client/refused` when the router opens none. */
  open(limits: Limits): Promise<Session> {
    if (this.session !== undefined) return Promise.resolve(this.session);
    checkLimits(limits);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return settleWithin(this.#opening, limits.deadline, limits, notSentInTime);
  }

  async #open(): Promise<Session> {
    const limits = this.limits(this.requestTimeoutMs + this.retry.connectMs);
    const { agentId, features = allFeatures } = this.#options;
    let asks = features.length > 0;
    for (;;) {
      const resume = this.#resume ?? null;
      const trace = this.#options.tracing?.current();
      const frame = this.#frame(undefined, "HELLO_REQ", null, trace?.traceId, {
        agent_id: agentId,
        supported_versions: ["0.1"],
        resume_session_id: resume,
        ...(asks ? { features: [...features] } : {}),
      });
      const answer = await transmit(this.#wire, frame, undefined, {
        limits,
        traceId: undefined,
        trace,
        waitMs: this.requestTimeoutMs,
        repeats: true,
      });
      if (answer.frame_type === "HELLO_RES") return this.#begin(answer, asks ? features : [], resume);
      const error = toCallError(answer.payload);
      // A router of the plain draft refuses the unknown field; one that lost the session opens a new one.
      if (error.code === "TRP_2000" && asks) asks = false;
      else if (isSessionCode(error.code) && resume !== null) this.#resume = undefined;
      else throw refusal("the session", error);
    }
  }

  #begin({ payload }: ResponseOf<"HELLO_RES">, asked: readonly string[], resume: string | null): Session {
    const { session_id: id } = payload;
    const session = newSession(payload, asked, (expectedSeq) =>
      this.emit({ type: "reordered", sessionId: id, expectedSeq }),
    );
    this.session = session;
    this.#resume = undefined;
    this.emit({ type: "session-opened", sessionId: id, features: session.features, resumed: resume === id });
    return session;
  }

  /** Checks whether a call was without outcome when its session was lost. */
  isLostCall(callId: string): boolean {
    return this.#lostCalls.has(callId);
  }

  #lose(session: Session): void {
    if (session.isLost) return;
    session.isLost = true;
    if (this.session === session) this.session = undefined;
    const calls = session.waiting.map(({ callId }) => callId);
    for (const callId of calls) this.#lostCalls.add(callId);
    for (const callId of this.#lostCalls) {
      if (this.#lostCalls.size <= 1024) break;
      this.#lostCalls.delete(callId);
    }
    this.emit({ type: "session-lost", sessionId: session.id, calls });
  }

  /**
   * Sends one frame of the session, under as many numbers as it takes, and returns its answer. Throws or rejects with {@link
   * SessionLost}, and with a client error when there is no answer.
   */
  exchange<Type extends Exclude<RequestFrame["frame_type"], "HELLO_REQ">>(
    session: Session,
    type: Type,
    payload: RequestOf<Type>["payload"],
    sending: Sending,
    numbering: number = 1,
  ): Exchanged<Type> | Promise<Exchanged<Type>> {
    checkLimits(sending.limits);
    const taken = session.order.take(sending.limits, notSentInTime);
    return andThen(taken, (turn) => this.#exchangeAs(turn, session, type, payload, sending, numbering));
  }

  #exchangeAs<Type extends Exclude<RequestFrame["frame_type"], "HELLO_REQ">>(
    turn: Turn,
    session: Session,
    type: Type,
    payload: RequestOf<Type>["payload"],
    sending: Sending,
    numbering: number,
  ): Exchanged<Type> | Promise<Exchanged<Type>> {
    const { order } = session;
    if (session.isLost) {
      order.end(turn, {});
      throw new SessionLost();
    }
    const trace = this.#options.tracing?.current();
    const frame = this.#frame(session, type, turn.seq, sending.traceId ?? trace?.traceId, payload);
    const { limits, traceId, waitMs, repeats, callId, progress, onPartial } = sending;
    // Something came, so the router has taken the number: others need not wait for the answer.
    const onAdmitted = onPartial && ((): void => order.end(turn, { consumed: true }));
    // Written out: a spread costs a call more than all that is in it.
    const sent: Sending = { limits, traceId, trace, waitMs, repeats, callId, progress, onPartial, onAdmitted };
    return whenDone(
      () => transmit(this.#wire, frame, session, sent),
      (answer) => {
        order.end(turn, { expected: expectedSeq(answer), consumed: isConsumed(answer, turn.seq) });
        if (answer.frame_type !== "NACK") return answer as AnswerTo<Type>;
        return this.#refused(answer, session, type, payload, sending, numbering);
      },
      (error) => {
        order.end(turn, {});
        throw error;
      },
    );
  }

  /** A refusal that is about the session or the number of a frame is not the answer to it. */
  async #refused<Type extends Exclude<RequestFrame["frame_type"], "HELLO_REQ">>(
    answer: ResponseOf<"NACK">,
    session: Session,
    type: Type,
    payload: RequestOf<Type>["payload"],
    sending: Sending,
    numbering: number,
  ): Promise<Exchanged<Type>> {
    const { limits, callId } = sending;
    const { error_code: code } = answer.payload;
    if (isSessionCode(code)) {
      this.#lose(session);
      throw new SessionLost();
    }
    // Not admitted under this number, and so not done: it goes out under another. Call id and key stay.
    if ((code !== "TRP_1002" && code !== "TRP_1004") || numbering >= renumberings) return answer;
    const waitMs = numbering === 1 ? 0 : Math.min(10 * numbering, 250);
    this.emit({
      type: "retry",
      frame: type,
      ...(callId ? { callId } : {}),
      attempt: numbering,
      waitMs,
      reason: code,
    });
    if (clock() + waitMs >= limits.deadline) return answer;
    if (waitMs > 0) await pause(waitMs, limits);
    return await this.exchange(session, type, payload, sending, numbering + 1);
  }

  /** The next call will read the catalog again. */
  forgetCatalog(session: Session, catalog: CatalogView | undefined): void {
    if (session.catalog === catalog) session.catalog = undefined;
  }

  /** Reads the catalog, once for all callers at the same time. */
  sync(session: Session, limits: Limits): Promise<CatalogView> {
    session.syncing ??= this.#sync(session).finally(() => {
      session.syncing = undefined;
    });
    return settleWithin(session.syncing, limits.deadline, limits, notSentInTime);
  }

  async #sync(session: Session): Promise<CatalogView> {
    const before = session.features.includes("CATALOG_DELTA") ? session.lastCatalog : undefined;
    const answer = await this.exchange(
      session,
      "CATALOG_SYNC_REQ",
      before === undefined
        ? { mode: "FULL", known_epoch: session.epoch }
        : { mode: "DELTA", known_epoch: before.epoch },
      {
        limits: this.limits(this.requestTimeoutMs + this.retry.connectMs),
        traceId: undefined,
        waitMs: this.requestTimeoutMs,
        repeats: true,
      },
    );
    if (answer.frame_type !== "CATALOG_SYNC_RES") throw refusal("the catalog", toCallError(answer.payload));
    const catalog = new CatalogView(answer.payload, before);
    session.catalog = catalog;
    session.lastCatalog = catalog;
    session.epoch = catalog.epoch;
    this.emit({ type: "catalog-synced", epoch: catalog.epoch, capabilities: catalog.rows.length });
    return catalog;
  }

  #frame<Type extends RequestFrame["frame_type"]>(
    session: Session | undefined,
    type: Type,
    seq: number | null,
    traceId: string | undefined,
    payload: RequestOf<Type>["payload"],
  ): RequestFrame {
    const { authContext } = this.#options;
    const isExtended = session?.isExtended ?? "features" in payload;
    const frame: Record<string, unknown> = {
      trp_version: "0.1",
      frame_type: type,
      session_id: session?.id ?? null,
      frame_id: this.newId("frm"),
      trace_id: traceId ?? this.#traceId,
      timestamp_ms: Date.now(),
      catalog_epoch: session?.epoch ?? null,
      seq,
      payload,
    };
    if (authContext !== undefined) frame.auth_context = authContext;
    if (isExtended) frame.sdk_version = sdkVersion;
    return frame as unknown as RequestFrame;
  }
}

function idMaker(): (prefix: string) => string {
  const part = randomHex(9);
  let count = 0;
  // Looked up, compared and kept many times, on both sides.
  return (prefix) => flat(`${prefix}_${part}${(count++).toString(36)}`);
}

const notSentInTime = (): never => tooLate("not-sent");

/** What comes of a frame. */
type Exchanged<Type extends RequestFrame["frame_type"]> = AnswerTo<Type> | ResponseOf<"NACK"> | ResponseOf<"ACK">;
