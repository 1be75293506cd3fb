import { inBackground } from "@toolglot/internal";

/** Pause before a start in the background that follows a failure; doubled by each further one. */
const firstPauseMs = 100;
const maxPauseMs = 30_000;

/** Pace of the starts in the background, which grows slower with each fault: so a broken engine costs next to nothing. */
export class StartPace {
  /** Starts that failed since the last one that did not. */
  badStarts = 0;
  /** Guests that ended by themselves since the last one that was taken. */
  idleDeaths = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;

  get isSlow(): boolean {
    return this.badStarts + this.idleDeaths > 0;
  }

  /** Starts one after the pause, unless one waits for it already. */
  later(start: () => void): void {
    const faults = this.badStarts + this.idleDeaths;
    this.#pause ??= inBackground(
      () => {
        this.#pause = undefined;
        start();
      },
      Math.min(firstPauseMs * 2 ** (faults - 1), maxPauseMs),
    );
  }

  /** Lets nothing start any more that waits. */
  stop(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
  }
}
