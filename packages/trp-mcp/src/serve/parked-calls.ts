import { randomUUID } from "node:crypto";
import type { Question, QuestionAnswer } from "@toolglot/core";
import { canonicalJson, inBackground, onAbort } from "@toolglot/internal";
import type { McpProgress } from "@toolglot/toolkit/mcp";
import { questionAnswer } from "./asking.ts";
import type { CallRelay, GivenAnswer, RelayedEnd } from "./call-relay.ts";

/** Milliseconds that a call waits for the client to come back with an answer, and how many may wait. */
const waitMs = 600_000;
const maxParked = 1_000;

/** What one request of the client brings to the call that it is about. */
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

interface Parked<Result> {
  call: RunningCall<Result>;
  timer: ReturnType<typeof setTimeout>;
  unwatch: (() => void) | undefined;
}

/** Calls that wait for an answer of their client. `relay`: by which answers come that other processes got. */
export class ParkedCalls<Result> {
  readonly #calls = new Map<string, Parked<Result>>();
  readonly #relay: CallRelay | undefined;

  constructor(relay: CallRelay | undefined) {
    this.#relay = relay;
  }

  /** Keeps a call until its client comes back, or for ten minutes. Returns false, and keeps nothing, where too many wait. */
  park(call: RunningCall<Result>): boolean {
    if (this.#calls.size >= maxParked) return false;
    const timer = inBackground(() => this.take(call.id)?.answer({ action: "cancel" }), waitMs);
    const unwatch = this.#relay?.watch(call.id, (given) => this.#goOn(call, given));
    this.#calls.set(call.id, { call, timer, unwatch });
    return true;
  }

  take(id: string): RunningCall<Result> | undefined {
    const parked = this.#calls.get(id);
    this.#calls.delete(id);
    clearTimeout(parked?.timer);
    parked?.unwatch?.();
    return parked?.call;
  }

  /** Goes on with a call whose client is at another process, up to its end or its next question. */
  async #goOn(call: RunningCall<Result>, { input, answer }: GivenAnswer): Promise<RelayedEnd | undefined> {
    if (this.take(call.id) === undefined) return undefined;
    const isSame = call.isOf(input);
    call.answer(isSame ? questionAnswer(answer) : { action: "cancel" });
    if (!isSame) return undefined;
    const end = await call.next({ signal: undefined, onProgress: undefined });
    if ("isLate" in end) return undefined;
    if ("question" in end && !this.park(call)) call.answer({ action: "cancel" });
    return end;
  }

  /** Questions that nobody answers any more. */
  close(): void {
    for (const id of [...this.#calls.keys()]) this.take(id)?.answer({ action: "cancel" });
  }
}
