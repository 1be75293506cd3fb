import { randomUUID } from "node:crypto";
import type { Question, QuestionAnswer } from "@toolglot/core";
import { canonicalJson, inBackground, onAbort } from "@toolglot/internal";
import type { McpProgress } from "@toolglot/toolkit";
import { type OpenQuestions, questionAnswer } from "./asking.ts";
import type { CallRelay, GivenAnswers, RelayedEnd } from "./call-relay.ts";

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

/** What a round comes to: the call's result, questions to the client, or, where it had a time, that the call goes on. */
export type RoundEnd<Result> = { result: Result } | { questions: OpenQuestions } | { isLate: true };

interface Asked {
  question: Question;
  answer(answer: QuestionAnswer): void;
}

/**
 * A call that outlives the request that began it: where a server may send no requests to its client, a question ends the client's
 * request, and the next one brings the answer. `input`: what is the same in every request about the call.
 */
export class RunningCall<Result> {
  readonly id: string = randomUUID();
  /** Equal for requests that are about the same call. */
  readonly input: string;
  readonly #ending = new AbortController();
  readonly #result: Promise<Result>;
  readonly #asked = new Map<string, Asked>();
  #round: Round | undefined;
  #onAsked: (() => void) | undefined;

  constructor(input: unknown, run: (context: RunningContext) => Promise<Result>) {
    this.input = canonicalJson(input);
    const ask = (question: Question): Promise<QuestionAnswer> =>
      new Promise((answer) => {
        const { key = "question" } = question;
        let name = key;
        for (let count = 2; this.#asked.has(name); count++) name = `${key} ${count}`;
        this.#asked.set(name, { question, answer });
        this.#onAsked?.();
      });
    const onProgress = (progress: McpProgress): void => this.#round?.onProgress?.(progress);
    this.#result = run({ signal: this.#ending.signal, onProgress, ask });
    this.#result.catch(() => {});
  }

  /** Resolves when the call has ended, has questions, or `ms` are over. The round's signal ends the call only until then. */
  async next(round: Round, ms?: number): Promise<RoundEnd<Result>> {
    this.#round = round;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<{ isLate: true }>((resolve) => {
      if (ms !== undefined) timer = inBackground(() => resolve({ isLate: true }), ms);
    });
    const stopListening = onAbort(round.signal, () => this.#ending.abort(round.signal?.reason));
    const asked = new Promise<void>((resolve) => {
      this.#onAsked = resolve;
      if (this.#asked.size > 0) resolve();
    });
    try {
      const ended = await Promise.race([this.#result.then((result) => ({ result })), asked, late]);
      if (ended !== undefined || this.#asked.size === 0) return ended ?? { result: await this.#result };
      return { questions: this.questions };
    } finally {
      clearTimeout(timer);
      this.#round = undefined;
      this.#onAsked = undefined;
      stopListening();
    }
  }

  get questions(): OpenQuestions {
    return Object.fromEntries([...this.#asked].map(([name, { question }]) => [name, question]));
  }

  answer(name: string, answer: QuestionAnswer): void {
    this.#asked.get(name)?.answer(answer);
    this.#asked.delete(name);
  }

  /** Nobody answers what is open. */
  cancel(): void {
    for (const name of this.#asked.keys()) this.answer(name, { action: "cancel" });
  }

  /**
   * Takes what a client's request brought. Questions that it does not answer stay open. Returns false, and cancels them, where the request
   * is about another call.
   */
  take(input: unknown, answers: Record<string, unknown>): boolean {
    const isSame = this.input === canonicalJson(input);
    if (!isSame) this.cancel();
    for (const [name, { question }] of this.#asked) {
      if (Object.hasOwn(answers, name)) this.answer(name, questionAnswer(question.kind, answers[name]));
    }
    return isSame;
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
  readonly #byInput = new Map<string, string>();
  readonly #relay: CallRelay | undefined;

  constructor(relay: CallRelay | undefined) {
    this.#relay = relay;
  }

  /** Keeps a call until its client comes back, or for ten minutes. Returns false, and keeps nothing, where too many wait. */
  park(call: RunningCall<Result>): boolean {
    if (this.#calls.size >= maxParked) return false;
    const timer = inBackground(() => this.take(call.id)?.cancel(), waitMs);
    const unwatch = this.#relay?.watch(call.id, (given) => this.#goOn(call, given));
    this.#calls.set(call.id, { call, timer, unwatch });
    this.#byInput.set(call.input, call.id);
    return true;
  }

  take(id: string): RunningCall<Result> | undefined {
    const parked = this.#calls.get(id);
    this.#calls.delete(id);
    clearTimeout(parked?.timer);
    parked?.unwatch?.();
    if (this.#byInput.get(parked?.call.input ?? "") === id) this.#byInput.delete(parked?.call.input ?? "");
    return parked?.call;
  }

  /**
   * A call that waits for the answers of a client which has lost the questions, and makes the same call once more. `mayBe`: whether this
   * client can be asked.
   */
  takeTwin(input: unknown, mayBe: (questions: OpenQuestions) => boolean): RunningCall<Result> | undefined {
    const id = this.#byInput.get(canonicalJson(input)) ?? "";
    const call = this.#calls.get(id)?.call;
    return call !== undefined && mayBe(call.questions) ? this.take(id) : undefined;
  }

  /** Goes on with a call whose client is at another process, up to its end or its next question. */
  async #goOn(call: RunningCall<Result>, { input, answers }: GivenAnswers): Promise<RelayedEnd | undefined> {
    if (this.take(call.id) === undefined || !call.take(input, answers)) return undefined;
    const end = await call.next({ signal: undefined, onProgress: undefined });
    if ("isLate" in end) return undefined;
    if ("questions" in end && !this.park(call)) call.cancel();
    return end;
  }

  /** Questions that nobody answers any more. */
  close(): void {
    for (const id of [...this.#calls.keys()]) this.take(id)?.cancel();
  }
}
