import { isObject, onAbort, SenderContext } from "@toolglot/internal";
import { type Fault, fault } from "../frames/fault.ts";
import { readHead } from "../frames/parse-frame.ts";
import { emptyHead, nack } from "../frames/replies.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { MetricsPage } from "../http/types.ts";
import type { Principal } from "../identity/types.ts";
import type { Router } from "../router/types.ts";
import { MemoryRates } from "../store/memory-rates.ts";
import type { TraceHeaders } from "../tracing/spans.ts";
import { AcceptedCalls } from "./accepted-calls.ts";
import type { TransportLimits } from "./limits.ts";

/** Who sent a frame, and how they can be reached. */
export interface FrameSender {
  readonly principal: Principal;
  /** Aborted when they are gone. */
  readonly signal: AbortSignal;
  /**
   * Frames of their connection that are being answered, this one aside. Default: all of the principal's without a
   * connection.
   */
  readonly inFlight?: number;
  /** Takes frames that come before the answer, where the transport can carry them. */
  readonly early?: ((frame: ResponseFrame) => void) | undefined;
  /** The trace that the transport passes on with the frame. */
  readonly trace?: TraceHeaders | undefined;
}

/** From a parsed message to its answer: what all transports of one server have in common. */
export class FrameAnswers {
  readonly limits: TransportLimits;
  readonly #perPrincipal: number;
  readonly #router: Router;
  readonly #accepted: AcceptedCalls;
  readonly #rates = new MemoryRates();
  /** Frames without a connection, by principal. */
  readonly #inFlight = new Map<string, number>();
  /** Of questions that wait for the end of a call. */
  readonly #waiting = new Set<AbortController>();
  readonly #metrics: Pick<MetricsPage, "refused"> | undefined;
  #isClosing = false;

  /** @param perPrincipal Frames without a connection that one principal may have in flight. */
  constructor(
    router: Router,
    limits: TransportLimits,
    perPrincipal: number = limits.framesInFlight,
    metrics?: Pick<MetricsPage, "refused">,
  ) {
    this.#router = router;
    this.#metrics = metrics;
    this.limits = limits;
    this.#perPrincipal = perPrincipal;
    this.#accepted = new AcceptedCalls(router);
  }

  /** From now on frames are refused (TRP_5003); questions that wait for the end of a call are answered as it stands. */
  close(): void {
    this.#isClosing = true;
    for (const waiting of this.#waiting) waiting.abort();
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Never rejects. */
  async answer(frame: unknown, sender: FrameSender): Promise<ResponseFrame> {
    const { principal, early } = sender;
    const key = sender.inFlight === undefined ? `${principal.tenant} ${principal.id}` : undefined;
    const inFlight = sender.inFlight ?? this.#inFlight.get(key as string) ?? 0;
    const most = key === undefined ? this.limits.framesInFlight : this.#perPrincipal;
    const refusal = this.#refusal(principal, inFlight < most ? undefined : most);
    if (refusal !== undefined) return this.refuse(refusal, frame);
    if (key !== undefined) this.#inFlight.set(key, inFlight + 1);
    try {
      if (early === undefined) return await this.#router.handle(frame, new SenderContext(principal, sender));
      return await this.#answerEarly(frame, sender, early);
    } finally {
      if (key !== undefined) this.#leave(key);
    }
  }

  async #answerEarly(
    frame: unknown,
    { principal, signal, trace }: FrameSender,
    early: (frame: ResponseFrame) => void,
  ): Promise<ResponseFrame> {
    // When it is aborted, only questions end: nothing else waits for the sake of its sender.
    const waiting = new AbortController();
    this.#waiting.add(waiting);
    const stopListening = onAbort(signal, () => waiting.abort());
    const acknowledged = this.#accepted.acknowledge(frame, early);
    try {
      return await this.#router.handle(frame, new SenderContext(principal, { signal: waiting.signal, trace }, early));
    } finally {
      acknowledged();
      stopListening();
      this.#waiting.delete(waiting);
    }
  }

  #leave(key: string): void {
    const left = (this.#inFlight.get(key) ?? 1) - 1;
    if (left === 0) this.#inFlight.delete(key);
    else this.#inFlight.set(key, left);
  }

  /** Returns the NACK for a message that is not handed to the router. `frame`: as far as it could be read. */
  refuse(reason: Fault, frame: unknown): ResponseFrame {
    this.#metrics?.refused?.(reason.code);
    return nack(isObject(frame) ? readHead(frame) : emptyHead, reason, { now: this.#router.store.now() });
  }

  /** `reached`: so many frames are in flight, and no more may be. */
  #refusal(principal: Principal, reached: number | undefined): Fault | undefined {
    const fix = "Send the same frame again in a moment.";
    if (this.#isClosing) return fault("TRP_5003", "The server is shutting down.", { fix });
    const { framesPerSecond } = this.limits;
    if (reached !== undefined) return fault("TRP_5003", `${reached} frames are being answered already.`);
    if (framesPerSecond === Number.POSITIVE_INFINITY) return undefined;
    const rate = { limit: framesPerSecond, windowMs: 1_000 };
    const taken = this.#rates.take(JSON.stringify([principal.tenant, principal.id]), rate, performance.now());
    if (taken.ok) return undefined;
    const retryHint = { backoff_ms: taken.retryAfterMs };
    return fault("TRP_4006", `More than ${framesPerSecond} frames came in a second.`, { retryHint });
  }
}
