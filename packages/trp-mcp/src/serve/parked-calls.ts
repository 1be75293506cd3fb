import { randomUUID } from "node:crypto";
import type { Question, QuestionAnswer } from "@toolglot/core";
import { canonicalJson, inBackground, onAbort } from "@toolglot/internal";
import type { McpProgress } from "@toolglot/toolkit/mcp";

/** Milliseconds that a call waits for the client to come back with an answer, and how many may wait. */
const waitMs = 600_000;
const maxParked = 1_000;

/** What one request of the client gives to the call that it is about. */
export interface Round {
  signal: AbortSignal | undefined;
  onProgress: ((progress: McpProgress) => void) | undefined;
}

/** What a call is made with. */
export interface RunningContext {
  signal: AbortSignal;
  onProgress(progress: McpProgress): void;
  ask(question: Question): Promise<QuestionAnswer>;
}

/** What a round comes to: the call's result, a question to the client, or, where it had a time, that the call goes on. */
export type RoundEnd<Result> = { result: Result } | { question: Question } | { isLate: true };

interface Asked {
  question: Question;
  answer(answer: QuestionAnswer): void;
}

/**
 * A call that outlives the request that began it: where a server may send no requests to its client, a question ends the client's
 * request, and the next one brings the answer.
 */
export class RunningCall<Result> {
  readonly id: string = randomUUID();
  readonly #input: unknown;
  readonly #ending = new AbortController();
  readonly #result: Promise<Result>;
  readonly #asked: Asked[] = [];
  #round: Round | undefined;
  #onAsked: (() => void) | undefined;

  constructor(input: unknown, run: (context: RunningContext) => Promise<Result>) {
    this.#input = input;
    const ask = (question: Question): Promise<QuestionAnswer> =>
      new Promise((answer) => {
        this.#asked.push({ question, answer });
        this.#onAsked?.();
      });
    const onProgress = (progress: McpProgress): void => this.#round?.onProgress?.(progress);
    this.#result = run({ signal: this.#ending.signal, onProgress, ask });
    this.#result.catch(() => {});
  }

  /** Whether a request is about this call: same tool, same arguments. */
  isOf(input: unknown): boolean {
    return canonicalJson(this.#input) === canonicalJson(input);
  }

  /** Resolves when the call has ended, has a question, or `ms` are over. The round's signal ends the call only until then. */
  async next(round: Round, ms?: number): Promise<RoundEnd<Result>> {
    this.#round = round;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<{ isLate: true }>((resolve) => {
      if (ms !== undefined) timer = inBackground(() => resolve({ isLate: true }), ms);
    });
    const stopListening = onAbort(round.signal, () => this.#ending.abort(round.signal?.reason));
    const asked = new Promise<void>((resolve) => {
      this.#onAsked = resolve;
      if (this.#asked.length > 0) resolve();
    });
    try {
      const ended = await Promise.race([this.#result.then((result) => ({ result })), asked, late]);
      const [first] = this.#asked;
      if (ended !== undefined || first === undefined) return ended ?? { result: await this.#result };
      return { question: first.question };
    } finally {
      clearTimeout(timer);
      this.#round = undefined;
      this.#onAsked = undefined;
      stopListening();
    }
  }

  /** Answers the question that the last round ended with. */
  answer(answer: QuestionAnswer): void {
    this.#asked.shift()?.answer(answer);
  }
}

/** Calls that wait for an answer of their client. */
export class ParkedCalls<Result> {
  readonly #calls = new Map<string, { call: RunningCall<Result>; timer: ReturnType<typeof setTimeout> }>();

  /** Keeps a call until its client comes back, or for ten minutes. Returns false, and keeps nothing, where too many wait. */
  park(call: RunningCall<Result>): boolean {
    if (this.#calls.size >= maxParked) return false;
    const timer = inBackground(() => this.take(call.id)?.answer({ action: "cancel" }), waitMs);
    this.#calls.set(call.id, { call, timer });
    return true;
  }

  take(id: string): RunningCall<Result> | undefined {
    const parked = this.#calls.get(id);
    this.#calls.delete(id);
    clearTimeout(parked?.timer);
    return parked?.call;
  }

  /** Questions that nobody answers any more. */
  close(): void {
    for (const id of [...this.#calls.keys()]) this.take(id)?.answer({ action: "cancel" });
  }
}
