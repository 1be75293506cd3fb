import type { AdmissionResult, Pending } from "../../store/frame-types.ts";
import { isAsExpected } from "../../store/session-rules.ts";

/** Thrown when the store did not admit a frame as it had expected. Everything done for the call so far is discarded. */
export class NotAsExpected extends Error {
  override readonly name = "NotAsExpected";
}

/**
 * The admission of a call's frame while it is not committed. The pipeline continues as if it were committed, as long as
 * nobody can notice: before it reads, writes, runs or reports anything, it waits for `confirm()`. Only the start of an
 * operation does not wait. It passes the token to the store, which commits the start together with the admission.
 */
export class PendingAdmission {
  readonly token: string;
  /** The result of the admission. Rejects when the store does. */
  readonly result: Promise<AdmissionResult>;
  readonly #view: string;
  #isMet = false;
  #listeners: (() => void)[] = [];

  /** `view`: the session's view that the store expects. */
  constructor({ token, result }: Pending, view: string) {
    this.token = token;
    this.result = result;
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

  /** Waits until the admission is committed. Rejects with {@link NotAsExpected}, and when the store does. */
  async confirm(): Promise<void> {
    if (this.#isMet) return;
    if (!isAsExpected(await this.result, this.#view)) throw new NotAsExpected();
    this.met();
  }
}
