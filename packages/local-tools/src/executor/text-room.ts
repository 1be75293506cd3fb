/**
 * How much text each call of a batch may give, so that together they fit: an even share of what is left. What a short result leaves is
 * for those after it.
 */
export class TextRoom {
  #left: number;
  #calls: number;

  constructor(room: number, calls: number) {
    this.#left = room;
    this.#calls = Math.max(1, calls);
  }

  /** UTF-16 units for each of the next calls. */
  get share(): number {
    return Math.max(LEAST, Math.floor(this.#left / Math.max(1, this.#calls)));
  }

  /** A call has ended, and gave so much. */
  used(units: number): void {
    this.#left = Math.max(0, this.#left - units);
    this.#calls -= 1;
  }
}

/** Less than this says nothing; very many calls go beyond the room, and the protocol's own budget cuts. */
const LEAST = 500;
