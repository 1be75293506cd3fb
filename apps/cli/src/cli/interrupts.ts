import type { Host } from "../host.ts";

/** Signals that come this close together are one: a terminal and npm both pass a single Ctrl-C on. Milliseconds. */
const togetherMs = 300;

/** A Ctrl-C so soon after work has ended was meant for the work. Milliseconds. */
const lateMs = 500;

/** Counts Ctrl-C. The first cancels what runs, the second leaves. */
export class Interrupts {
  readonly #leave: (code: number) => void;
  readonly #now: () => number;
  #last = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #ended = Number.NEGATIVE_INFINITY;

  /** `leave` is called for the second Ctrl-C, for the first when nothing runs, and for SIGTERM and SIGHUP. */
  constructor(leave: (code: number) => void, now: () => number = () => performance.now()) {
    this.#leave = leave;
    this.#now = now;
  }

  /** Listens to a process's signals, until what it returns is called. */
  listen(signals: Host["signals"]): () => void {
    const heard = {
      SIGINT: () => this.interrupt(),
      SIGTERM: () => this.#leave(143),
      SIGHUP: () => this.#leave(129),
    };
    for (const [signal, hear] of Object.entries(heard)) signals.on(signal, hear);
    return () => {
      for (const [signal, hear] of Object.entries(heard)) signals.off(signal, hear);
    };
  }

  /** Work that the next Ctrl-C cancels, and not more than once. Returns the signal to work under. */
  during<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const controller = new AbortController();
    const cancel = (): void => {
      this.#cancel = undefined;
      controller.abort(new Error("cancelled"));
    };
    this.#cancel = cancel;
    return work(controller.signal).finally(() => {
      if (this.#cancel !== cancel) return;
      this.#cancel = undefined;
      this.#ended = this.#now();
    });
  }

  /** One Ctrl-C, or its echo. */
  interrupt(): void {
    const now = this.#now();
    const echo = now - this.#last < togetherMs;
    this.#last = now;
    if (echo) return;
    if (this.#cancel) this.#cancel();
    else if (now - this.#ended >= lateMs) this.#leave(130);
  }
}
