import { inBackground } from "@toolglot/internal";
import type { TransportLimits } from "./limits.ts";

/** A connection, as far as somebody has to read what is sent to it. */
export interface ReaderSide {
  /** Bytes that were sent, and not taken. */
  unread(): number;
  /** Cuts the reader off. */
  cut(): void;
  pause?(): void;
  resume?(): void;
}

/** How many times more than what makes the reading stop may be unread at all. */
const most = 4;

/**
 * Watches a client that may not read what it gets: nothing more is read from it while too much is unread, and it is given up
 * after a while, so that nobody makes the router keep more than a few answers for them.
 */
export class UnreadGuard {
  readonly #limits: Pick<TransportLimits, "unreadBytes" | "unreadMs">;
  readonly #side: ReaderSide;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(limits: Pick<TransportLimits, "unreadBytes" | "unreadMs">, side: ReaderSide) {
    this.#limits = limits;
    this.#side = side;
  }

  /** Whether too much is unread. */
  get isStalled(): boolean {
    return this.#timer !== undefined;
  }

  /** Whether there is room for what can come in any number. Cuts the reader off when there is none. */
  hasRoom(): boolean {
    if (this.#isOver) return false;
    if (this.#side.unread() <= most * this.#limits.unreadBytes) return true;
    this.#cut();
    return false;
  }

  /** Something was sent. */
  sent(): void {
    if (this.#isOver || this.#timer !== undefined || this.#side.unread() <= this.#limits.unreadBytes) return;
    this.#side.pause?.();
    this.#timer = inBackground(() => this.#cut(), this.#limits.unreadMs);
  }

  /** Something was taken. */
  taken(): void {
    if (this.#timer === undefined || this.#isOver || this.#side.unread() > this.#limits.unreadBytes / 2) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#side.resume?.();
  }

  /** The connection is over. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #cut(): void {
    this.end();
    this.#side.cut();
  }
}
