import { createHash, type Hash } from "node:crypto";
import { EventQueue, type TimedEvent } from "./event-queue.ts";
import type { Random } from "./random.ts";

/** When simulations begin. Milliseconds since the epoch. */
export const epoch = 1_800_000_000_000;

/**
 * A process of the simulation: its timers and the messages to it are its events. When it is killed, none of them happens any
 * more; while it is stopped, they wait.
 */
export class Process {
  readonly name: string;
  isAlive = true;
  isStopped = false;
  /** How far its wall clock is off. Milliseconds. */
  clockOffMs = 0;
  /** Events that came while it was stopped. */
  readonly held: TimedEvent<Process>[] = [];

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Time that passes from event to event. Each event runs with all promises that follow from it before the next one does,
 * so whatever code it calls belongs to one process, and the order of everything follows from the order of the events.
 */
export class VirtualTime {
  /** Milliseconds since the simulation began. */
  now = 0;
  /** Whose event runs. None: the database's, or the world's. */
  current: Process | undefined;
  events = 0;
  /** Lines of what happened, when somebody wants to read them. */
  readonly lines: string[] | undefined;
  readonly #queue = new EventQueue<Process>();
  readonly #digest: Hash = createHash("sha256");

  constructor(options: { isTraced: boolean }) {
    this.lines = options.isTraced ? [] : undefined;
  }

  /** Notes what happened: the digest of a run is that of all its notes. */
  note(text: string): void {
    const line = `${this.now.toFixed(3)} ${this.current?.name ?? "-"} ${text}`;
    this.#digest.update(line);
    this.lines?.push(line);
  }

  /** Returns the digest of all notes. To be asked once, at the end. */
  digest(): string {
    return this.#digest.digest("hex");
  }

  /** What a process reads from its wall clock. Milliseconds since the epoch. */
  wallClock(): number {
    return epoch + Math.round(this.now + (this.current?.clockOffMs ?? 0));
  }

  /** Lets something happen later, in a process or, without one, in the world. */
  after(ms: number, process: Process | undefined, act: () => void): TimedEvent<Process> {
    return this.#queue.add(this.now + Math.max(0, ms), process, act);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, this.current, resolve));
  }

  /** Goes on from event to event until the time, or until there is nothing left to wait for. */
  async run(until: number, isOver: () => boolean = () => false): Promise<void> {
    while (!isOver()) {
      const event = this.#queue.take(until);
      if (event === undefined) break;
      const { process } = event;
      this.now = Math.max(this.now, event.at);
      if (process?.isAlive === false) continue;
      if (process?.isStopped) {
        process.held.push(event);
        continue;
      }
      this.current = process;
      this.events += 1;
      event.act();
      // All that follows from the event has happened when nothing is left but macrotasks.
      await new Promise<void>(realImmediate);
      this.current = undefined;
    }
    if (!isOver()) this.now = Math.max(this.now, until);
  }

  /** Lets a stopped process go on with what has come meanwhile. */
  resume(process: Process): void {
    process.isStopped = false;
    for (const event of process.held.splice(0)) {
      // One of the others may cancel it.
      this.after(0, process, () => {
        if (!event.isCancelled) event.act();
      });
    }
  }

  /** Replaces the clocks, timers and random numbers of this thread by those of the simulation. Returns what undoes it. */
  install(random: Random): () => void {
    const timer = (ms: number | undefined, act: () => void): object =>
      Object.assign(this.after(ms ?? 0, this.current, act), handle);
    const replaced: [object, PropertyKey, unknown][] = [
      [
        globalThis,
        "setTimeout",
        (act: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => timer(ms, () => act(...given)),
      ],
      [globalThis, "setInterval", (act: () => void, ms: number) => this.#interval(act, Math.max(1, ms))],
      [globalThis, "clearTimeout", cancel],
      [globalThis, "clearInterval", cancel],
      [Date, "now", () => this.wallClock()],
      [performance, "now", () => this.now],
      [Math, "random", () => random.between(0, 1)],
      [
        crypto,
        "getRandomValues",
        (bytes: Uint8Array) => bytes.map((_, index) => (bytes[index] = random.next() & 0xff)),
      ],
    ];
    const undo = replaced.map(([owner, name, value]) => {
      const before = Object.getOwnPropertyDescriptor(owner, name);
      Object.defineProperty(owner, name, { value, configurable: true, writable: true });
      return () =>
        before === undefined ? Reflect.deleteProperty(owner, name) : Object.defineProperty(owner, name, before);
    });
    return () => {
      for (const each of undo) each();
    };
  }

  #interval(act: () => void, ms: number): object {
    const process = this.current;
    const timer = { isCancelled: false, ...handle };
    const next = (): void => {
      this.after(ms, process, () => {
        if (timer.isCancelled) return;
        next();
        act();
      });
    };
    next();
    return timer;
  }
}

const realImmediate: (act: () => void) => void = setImmediate;

/** What callers do with Node's timers. */
const handle = {
  ref: (): void => {},
  unref: (): void => {},
};

function cancel(timer: { isCancelled?: boolean } | undefined): void {
  if (timer !== undefined) timer.isCancelled = true;
}
