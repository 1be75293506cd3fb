import { ToolglotError } from "@toolglot/core";
import type { RequestFrame, ResponseFrame } from "@toolglot/trp-core/frames";
import { readAnswer, toCallError } from "./answer.ts";
import { clientError } from "./errors.ts";
import { checkLimits, clock, type Limits, pause, settleWithin } from "./limits.ts";
import { backoff, type RetryBudget, type RetryRules } from "./retry.ts";
import type { ClientEvent, SendOptions, Transport } from "./types.ts";

/** Whether any frame of a call may have got to be executed: what an error says of the outcome. */
export interface Progress {
  isOpen: boolean;
}

/** How one frame is sent. */
export interface Sending {
  limits: Limits;
  traceId: string | undefined;
  /** How long one answer is waited for. */
  waitMs: number;
  /** Whether the frame may be sent again when its answer was lost. */
  repeats: boolean;
  callId?: string;
  /** Kept up to date, for frames that do something. */
  progress?: Progress;
}

/** Gets frames across, one way or the other. */
export class Transmitter {
  readonly #transport: Transport;
  readonly #retry: RetryRules;
  readonly #emit: (event: ClientEvent) => void;

  constructor(transport: Transport, retry: RetryRules, emit: (event: ClientEvent) => void) {
    this.#transport = transport;
    this.#retry = retry;
    this.#emit = emit;
  }

  /** Gets one frame across: the same frame again when its answer was lost, where that is safe. */
  async transmit(
    frame: RequestFrame,
    session: { retryBudget: number; budget: RetryBudget } | undefined,
    sending: Sending,
  ): Promise<ResponseFrame> {
    const { limits, repeats, callId } = sending;
    const maxRetries = this.#retry.maxRetries ?? session?.retryBudget ?? 3;
    const began = clock();
    for (let attempt = 1, retries = 0; ; attempt++) {
      try {
        const { progress = { isOpen: false } } = sending;
        checkLimits(limits);
        const wasOpen = progress.isOpen;
        progress.isOpen = true;
        const stop = new LazyAbort();
        let value: unknown;
        try {
          const ms = Math.min(sending.waitMs, limits.deadline - clock());
          value = await settleWithin(this.#transport.send(frame, stop), ms, limits, lateAnswer);
        } catch (error) {
          stop.abort();
          throw notAnswered(error, progress, wasOpen);
        }
        const answer = readAnswer(value, frame);
        if (answer.frame_type === "NACK" && !toCallError(answer.payload).dispatched) progress.isOpen = wasOpen;
        return answer;
      } catch (error) {
        if (!ToolglotError.isInstance(error) || final.has(error.code)) throw error;
        const isSent = error.data.outcome !== "not-sent";
        const waitMs = Math.max(backoff(attempt, this.#retry), isSent ? (session?.budget.take() ?? 0) : 0);
        const givesUp = isSent ? !repeats || ++retries > maxRetries : clock() + waitMs - began > this.#retry.connectMs;
        if (givesUp || error.data.permanent === true || clock() + waitMs >= limits.deadline) {
          throw error;
        }
        const reason = error.code;
        this.#emit({ type: "retry", frame: frame.frame_type, ...(callId ? { callId } : {}), attempt, waitMs, reason });
        await pause(waitMs, limits);
      }
    }
  }
}

/** What a transport's error is to the call; what was not sent leaves its progress as it was. */
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

/** A signal that is made when somebody looks at it: most transports need none. */
class LazyAbort implements SendOptions {
  #controller: AbortController | undefined;
  #stop: (() => void) | undefined;
  #isAborted = false;

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

/** Throws for what came too late. */
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
