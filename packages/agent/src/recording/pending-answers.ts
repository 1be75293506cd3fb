import { ignoreRejection } from "@toolglot/internal";

/** Answers by call, in the order of the questions. The answer may come before its question is waited for. */
export class PendingAnswers<Answer> {
  readonly #waiting = new Map<string, ((given: Promise<Answer>) => void)[]>();
  readonly #given = new Map<string, Promise<Answer>[]>();

  wait(callId: string): Promise<Answer> {
    const given = this.#given.get(callId)?.shift();
    if (given !== undefined) return given;
    return new Promise((resolve) => this.#waiting.set(callId, [...(this.#waiting.get(callId) ?? []), resolve]));
  }

  settle(callId: string, given: Promise<Answer>): void {
    ignoreRejection(given);
    const first = this.#waiting.get(callId)?.shift();
    if (first !== undefined) first(given);
    else this.#given.set(callId, [...(this.#given.get(callId) ?? []), given]);
  }
}
