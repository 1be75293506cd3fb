import { ignoreRejection } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { AdmissionResult, Pending } from "../../store/frame-types.ts";
import { isAsExpected } from "../../store/session-rules.ts";

/** Thrown when the store did not admit a frame as it had expected. Everything done for the call so far is discarded. */
export class NotAsExpected extends Error {
  override readonly name = "NotAsExpected";
}

/**
 * The admission of a call's frame while it is not committed. The pipeline continues as if it were committed, as long as
 * nobody can notice: before it reads, writes, runs or reports anything, it waits for `confirm()`. Only the start of an
 * operation does not wait, nor the run and the answer of a call without effects. They pass the token to the store, which commits
 * them together with the admission.
 */
export class PendingAdmission {
  readonly token: string;
  /** The result of the admission. Rejects when the store does. */
  readonly result: Promise<AdmissionResult>;
  /** Whether the store commits an answer together with the admission, too. */
  readonly mayAnswer: boolean;
  /** A capability without effects has run, or runs. */
  hasRun = false;
  readonly #send: (() => void) | undefined;
  readonly #view: string;
  #isMet = false;
  #listeners: (() => void)[] = [];

  /** `view`: the session's view that the store expects. */
  constructor({ token, result, mayAnswer, send }: Pending, view: string) {
    this.token = token;
    this.result = result;
    this.mayAnswer = mayAnswer === true;
    this.#send = send;
    this.#view = view;
  }

  /** Whether the frame is known to be admitted as expected. */
  get isMet(): boolean {
    return this.#isMet;
  }

  /** Calls the listener as soon as the expectation is met. */
  onMet(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Notes that the frame was admitted as expected: the store has accepted the token. */
  met(): void {
    this.#isMet = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Calls the listeners when the admission is committed, without waiting for it, and without sending it. */
  follow(): void {
    ignoreRejection(
      this.result.then((found) => {
        if (isAsExpected(found, this.#view)) this.met();
      }),
    );
  }

  /** Waits until the admission is committed. Rejects with {@link NotAsExpected}, and when the store does. */
  confirm(): MaybePromise<void> {
    if (this.#isMet) return;
    this.#send?.();
    return this.result.then((found) => {
      if (!isAsExpected(found, this.#view)) throw new NotAsExpected();
      this.met();
    });
  }
}
