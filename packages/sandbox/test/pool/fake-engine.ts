import type { Engine, Guest, GuestListener } from "../../src/engine.ts";

/** A guest without an interpreter: the test decides when it starts, fails and ends. */
export class FakeGuest implements Guest {
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  state: "starting" | "ready" | "ended" = "starting";
  /** How often it was lent to a run. */
  uses = 0;
  killed = false;
  held = true;
  #markReady: () => void = () => {};
  #markFailed: (error: Error) => void = () => {};
  #markEnded: () => void = () => {};

  constructor() {
    this.ready = new Promise((resolve, reject) => {
      this.#markReady = resolve;
      this.#markFailed = reject;
    });
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
  }

  /** It says that it is ready. */
  start(): void {
    if (this.state !== "starting" || this.killed) return;
    this.state = "ready";
    this.#markReady();
  }

  /** It can't start, and goes on living. */
  fail(error: Error = new Error("the guest failed")): void {
    if (this.state === "starting") this.#markFailed(error);
  }

  /** It ends by itself, before or after it was ready. */
  die(): void {
    if (this.state === "ended") return;
    this.state = "ended";
    this.#markFailed(new Error("the guest died"));
    this.#markEnded();
  }

  kill(): void {
    if (this.killed) return;
    this.killed = true;
    this.#markFailed(new Error("the guest was killed"));
    // As a process does: nothing is left of it a little later.
    setTimeout(() => this.die(), 5);
  }

  hold(alive: boolean): void {
    this.held = alive;
  }

  listen(_: GuestListener): void {}
  send(_: string): void {}
}

/** An engine of fake guests. */
export class FakeEngine implements Engine {
  readonly language = "python";
  readonly label = "fake 1";
  readonly concurrent = false;
  readonly isolation = "process";
  readonly snapshot = "none";
  readonly guests: FakeGuest[] = [];
  /** Whether spawning throws. */
  broken = false;
  /** What becomes of a new guest: it waits for the test, starts at once, or dies at once. */
  fate: "waits" | "starts" | "dies" = "waits";

  async prepare(): Promise<void> {}

  spawn(): Guest {
    if (this.broken) throw new Error("the engine is broken");
    const guest = new FakeGuest();
    this.guests.push(guest);
    if (this.fate === "starts") setTimeout(() => guest.start(), 10);
    if (this.fate === "dies") setTimeout(() => guest.die(), 10);
    return guest;
  }

  get alive(): FakeGuest[] {
    return this.guests.filter(({ state }) => state !== "ended");
  }
}
