import { maxTimerMs } from "@toolglot/internal";

/** Timer that ends what shows no sign of life for too long. The time in which a person is asked does not count. */
export class IdleTimer {
  readonly #ms: number;
  readonly #onIdle: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauses = 0;
  #isOver = false;

  /** `ms`: `Infinity` never ends it. */
  constructor(ms: number, onIdle: () => void) {
    this.#ms = ms;
    this.#onIdle = onIdle;
    this.renew();
  }

  /** Starts the time anew after a sign of life. */
  renew(): void {
    clearTimeout(this.#timer);
    if (this.#pauses === 0 && !this.#isOver && this.#ms <= maxTimerMs) this.#timer = setTimeout(this.#onIdle, this.#ms);
  }

  pause(): void {
    this.#pauses += 1;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#pauses -= 1;
    this.renew();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
