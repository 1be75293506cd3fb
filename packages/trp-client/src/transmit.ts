import { ToolglotError } from "@toolglot/core";
import { whenDone } from "@toolglot/internal";
import type { RequestFrame, ResponseFrame, ResponseOf } from "@toolglot/trp-core/frames";
import { readAnswer, toCallError } from "./answer.ts";
import { clientError } from "./errors.ts";
import {
  backoff,
  checkLimits,
  clock,
  type Limits,
  pause,
  type RetryBudget,
  type RetryRules,
  settleWithin,
} from "./limits.ts";
import type { SendOptions, TraceContext, Transport } from "./transport-types.ts";
import type { ClientEvent } from "./types.ts";

/** Whether any frame of a call may have been executed: it decides the error. */
export interface Progress {
  isOpen: boolean;
}

/** How one frame is sent. */
export interface Sending {
  limits: Limits;
  traceId: string | undefined;
  /** Set with each frame, as is `onAdmitted`. */
  trace?: TraceContext | undefined;
  /** How long to wait for one answer. */
  waitMs: number;
  /** Whether the frame may be sent again when its answer was lost. */
  repeats: boolean;
  callId?: string | undefined;
  /** Kept up to date, for frames that do something. */
  progress?: Progress | undefined;
  /** Gets the partial results that come before the answer, when the transport can carry them. */
  onPartial?: ((frame: ResponseOf<"PARTIAL_RESULT">) => void) | undefined;
  /** Called when something came before the answer. */
  onAdmitted?: (() => void) | undefined;
}

/** What frames are sent with. */
export interface Wire {
  transport: Transport;
  retry: RetryRules;
  emit(event: ClientEvent): void;
}

/** How often a frame was sent before. */
interface Tried {
  attempts: number;
  retries: number;
  /** Of {@link clock}. */
  began: number;
}

/** Sends one frame, and the same frame again when its answer was lost, where that is safe. May throw what it would reject with. */
export function transmit(
  wire: Wire,
  frame: RequestFrame,
  session: { retryBudget: number; budget: RetryBudget } | undefined,
  sending: Sending,
  before?: Tried,
): ResponseFrame | Promise<ResponseFrame> {
  const { limits, progress = { isOpen: false } } = sending;
  checkLimits(limits);
  const now = clock();
  const tried = before ?? { attempts: 0, retries: 0, began: now };
  const wasOpen = progress.isOpen;
  progress.isOpen = true;
  const stop = new LazyAbort(listener(frame, sending), sending.trace);
  const again = async (error: unknown): Promise<ResponseFrame> => {
    await beforeRetry(wire, frame, session, sending, tried, error);
    return await transmit(wire, frame, session, sending, tried);
  };
  return whenDone<unknown, ResponseFrame>(
    () =>
      settleWithin(
        wire.transport.send(frame, stop),
        Math.min(now + sending.waitMs, limits.deadline),
        limits,
        lateAnswer,
      ),
    (value) => {
      try {
        const answer = readAnswer(value, frame);
        if (answer.frame_type === "NACK" && !toCallError(answer.payload).dispatched) progress.isOpen = wasOpen;
        return answer;
      } catch (error) {
        return again(error);
      }
    },
    (error) => {
      stop.abort();
      return again(notAnswered(error, progress, wasOpen));
    },
  );
}

/** Waits before a frame is sent once more. Throws the error when it must not be, or when that would be too late. */
async function beforeRetry(
  { retry, emit }: Wire,
  frame: RequestFrame,
  session: { retryBudget: number; budget: RetryBudget } | undefined,
  { limits, repeats, callId }: Sending,
  tried: Tried,
  error: unknown,
): Promise<void> {
  if (!ToolglotError.isInstance(error) || final.has(error.code)) throw error;
  const attempt = ++tried.attempts;
  const isSent = error.data.outcome !== "not-sent";
  const waitMs = Math.max(backoff(attempt, retry), isSent ? (session?.budget.take() ?? 0) : 0);
  const maxRetries = retry.maxRetries ?? session?.retryBudget ?? 3;
  const givesUp = isSent ? !repeats || ++tried.retries > maxRetries : clock() + waitMs - tried.began > retry.connectMs;
  if (givesUp || error.data.permanent === true || clock() + waitMs >= limits.deadline) throw error;
  const reason = error.code;
  emit({ type: "retry", frame: frame.frame_type, ...(callId ? { callId } : {}), attempt, waitMs, reason });
  await pause(waitMs, limits);
}

/** Turns a transport's error into the error of the call. A frame that was not sent does not change the progress. */
function notAnswered(error: unknown, progress: Progress, wasOpen: boolean): unknown {
  if (error instanceof TypeError || (ToolglotError.isInstance(error) && error.data.outcome === "not-sent")) {
    progress.isOpen = wasOpen;
    return error;
  }
  if (ToolglotError.isInstance(error)) return error;
  return clientError("trp-client/no-answer", "The transport failed.", { cause: error });
}

const lateAnswer = (): never => tooLate("unknown");

/** Errors after which nothing is sent again. */
const final = new Set(["trp-client/closed", "trp-client/aborted"]);

/** Returns what the transport calls with frames that come before the answer. Throws for what is no frame of this request. */
function listener(frame: RequestFrame, { onPartial, onAdmitted }: Sending): SendOptions["onPartial"] {
  if (onPartial === undefined) return undefined;
  return (value) => {
    const early = readAnswer(value, frame);
    onAdmitted?.();
    if (early.frame_type === "PARTIAL_RESULT") onPartial(early);
  };
}

/**
 * Makes its signal only when a transport reads it, because most transports don't, and making one takes a tenth of a
 * call.
 */
class LazyAbort implements SendOptions {
  #controller: AbortController | undefined;
  #stop: (() => void) | undefined;
  #isAborted = false;
  readonly onPartial: SendOptions["onPartial"];
  readonly trace: TraceContext | undefined;

  constructor(onPartial: SendOptions["onPartial"], trace: TraceContext | undefined) {
    this.onPartial = onPartial;
    this.trace = trace;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  onAbort(stop: () => void): void {
    if (this.#isAborted) stop();
    else this.#stop = stop;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
    this.#stop?.();
  }
}

/** Throws the error of an answer that did not come in time. */
export function tooLate(outcome: "not-sent" | "unknown"): never {
  throw clientError("trp-client/timeout", "There was no answer in time.", { data: { outcome } });
}

/** A transport's error with what is needed to ask or to try again. Other errors stay as they are. */
export function explain(error: unknown, progress: Progress, facts: Record<string, unknown>): unknown {
  if (!ToolglotError.isInstance(error) || !error.code.startsWith("trp-client/")) return error;
  const outcome = progress.isOpen ? "unknown" : "not-sent";
  return new ToolglotError(error.code, error.message, {
    cause: error.cause,
    data: { ...error.data, ...facts, outcome },
  });
}
