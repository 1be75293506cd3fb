import { removeFrom } from "@toolglot/internal";
import { type Limits, settleWithin } from "./limits.ts";

/** The right to send one frame, with this number. */
export interface Turn {
  readonly seq: number;
}

/** How long to wait for frames that may have been lost, before other frames get their numbers. Milliseconds. */
const lostAfter = 1000;

/**
 * Hands out the numbers of a session (`seq`): to one frame at a time, or, inside a window, to several. A number fixes in
 * which order frames are admitted, nothing else: that a call is done once is up to its call id and key, so a number that
 * went to two frames by mistake costs a round trip and no more.
 */
export class Order {
  readonly #width: number;
  readonly #onReorder: (expectedSeq: number) => void;
  readonly #out: Turn[] = [];
  readonly #queue: ((turn: Turn) => void)[] = [];
  #next: number;
  /** The router's own count is at least this. It never falls. */
  #known: number;
  #resyncTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: number, width: number, onReorder: (expectedSeq: number) => void) {
    this.#next = start;
    this.#known = start;
    this.#width = width;
    this.#onReorder = onReorder;
  }

  /** A turn, or a promise of one. It rejects when the call is aborted or the client closed, and with what `late` throws at the deadline. */
  take(limits: Limits, late: () => never): Turn | Promise<Turn> {
    return this.#queue.length === 0 && this.#isFree() ? this.#grant() : this.#await(limits, late);
  }

  async #await(limits: Limits, late: () => never): Promise<Turn> {
    let give: (turn: Turn) => void = () => undefined;
    const promise = new Promise<Turn>((resolve) => {
      give = resolve;
    });
    this.#queue.push(give);
    try {
      return await settleWithin(promise, limits.deadline, limits, late);
    } catch (error) {
      const at = this.#queue.indexOf(give);
      if (at >= 0) this.#queue.splice(at, 1);
      // It was granted in the same moment, and nothing will use it.
      else void promise.then((turn) => this.end(turn, { consumed: false }));
      throw error;
    }
  }

  /**
   * The frame was answered, or given up. `expected`: the router's next number. `consumed`: whether it took the
   * frame's number; undefined when that is unknown.
   */
  end(turn: Turn, said: { expected?: number | undefined; consumed?: boolean | undefined }): void {
    removeFrom(this.#out, turn);
    if (said.expected !== undefined) this.#known = Math.max(this.#known, said.expected);
    if (said.consumed) this.#known = Math.max(this.#known, turn.seq + 1);
    if (said.consumed === false && this.#resyncTimer === undefined) {
      this.#onReorder(this.#known);
      this.#resyncTimer = setTimeout(() => this.#finishResync(), lostAfter);
    }
    // The router may still admit these frames. Then their numbers are taken; otherwise they are free again.
    if (this.#resyncTimer !== undefined && !this.#out.some(({ seq }) => seq >= this.#known)) this.#finishResync();
    this.#pump();
  }

  #finishResync(): void {
    clearTimeout(this.#resyncTimer);
    this.#resyncTimer = undefined;
    this.#next = this.#known;
    this.#pump();
  }

  #isFree(): boolean {
    if (this.#resyncTimer !== undefined || this.#out.length >= this.#width) return false;
    return this.#width === 1 || this.#next < this.#known + this.#width;
  }

  #grant(): Turn {
    this.#next = Math.max(this.#next, this.#known);
    const turn = { seq: this.#next++ };
    this.#out.push(turn);
    return turn;
  }

  #pump(): void {
    while (this.#isFree()) {
      const give = this.#queue.shift();
      if (give === undefined) return;
      give(this.#grant());
    }
  }
}
