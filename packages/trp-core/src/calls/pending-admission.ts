import { isAsExpected } from "../store/session-rules.ts";
import type { AdmissionResult, Pending } from "../store/session-types.ts";

/** Thrown on the path of a call whose frame was not admitted as the store had expected: nothing of the call counts. */
export class NotAsExpected extends Error {
  override readonly name = "NotAsExpected";
}

/**
 * The admission of a call's frame while it is not committed. The call goes on as if it were, but for what others could see:
 * it is confirmed before anything is read, written, run or told. The start of an operation is asked for with the token
 * instead, and so is committed together with the admission.
 */
export class PendingAdmission {
  readonly token: string;
  /** What became of the frame. */
  readonly result: Promise<AdmissionResult>;
  readonly #view: string;
  #isMet = false;
  #listeners: (() => void)[] = [];

  /** `view`: of the session, as the store expects it. */
  constructor({ token, result }: Pending, view: string) {
    this.token = token;
    this.result = result;
    this.#view = view;
  }

  /** Whether it has come out as expected. */
  get isMet(): boolean {
    return this.#isMet;
  }

  /** Called as soon as it is met. */
  onMet(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** It has come out as expected: the store took the token. */
  met(): void {
    this.#isMet = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Waits until it is committed. Rejects with {@link NotAsExpected}, and as the store does. */
  async confirm(): Promise<void> {
    if (this.#isMet) return;
    if (!isAsExpected(await this.result, this.#view)) throw new NotAsExpected();
    this.met();
  }
}
