import { settleWithin } from "@toolglot/internal";
import type { WebhookEvent } from "./webhook-body.ts";

/** An event on its way. */
export interface Delivery {
  /** Its number in the outbox; absent for what is in memory alone. */
  index?: number;
  /** What it is about: events about one are sent in their order. */
  record: string;
  /** When it happened. Milliseconds since the epoch. */
  at: number;
  /** Undefined for what is not sent after all. */
  words(): Promise<WebhookEvent | undefined>;
}

/** What becomes of events. */
export interface DeliveriesOptions {
  /** Brings an event to its receiver. Rejects when that did not take it. */
  post(event: WebhookEvent, signal: AbortSignal): Promise<void>;
  /** Called after each event that was delivered or given up. */
  onDone?(): Promise<void>;
  log(line: string): void;
  /** The clock that tells when events happened. */
  now(): number;
  /** Milliseconds. */
  times: { firstRetryMs: number; maxRetryMs: number; giveUpMs: number };
}

/** How a queue is worked on. */
export interface DeliveriesRun {
  /** Called before each look at the queue, at least every five seconds. */
  before?(): Promise<void>;
  /** Ends the work when each event has been tried. Looked at when the queue wakes. */
  isEnding?(): boolean;
}

interface Waiting extends Delivery {
  tries: number;
  /** By `performance.now()`. */
  dueAt: number;
  isOnItsWay: boolean;
}

const pollMs = 5_000;
/** Requests at one time. */
const maxAtOnce = 4;

/** A queue of events: those about one record go one after another, others side by side, each until it is taken or too old. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** In order. */
  #all: Waiting[] = [];
  #wake: () => void = () => {};

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.length;
  }

  /** The first number in the outbox that was not delivered. */
  get first(): number | undefined {
    return this.#all[0]?.index;
  }

  add(delivery: Delivery): void {
    this.#all.push({ ...delivery, tries: 0, dueAt: 0, isOnItsWay: false });
    this.#wake();
  }

  /** Takes out what waits about a record, and is not on its way. */
  drop(record: string): void {
    this.#all = this.#all.filter((one) => one.record !== record || one.isOnItsWay);
  }

  clear(): void {
    this.#all = [];
  }

  wake(): void {
    this.#wake();
  }

  /** Delivers until the signal is aborted. Rejects when `before` does. */
  async run(signal: AbortSignal, { before, isEnding = () => false }: DeliveriesRun = {}): Promise<void> {
    const running = new Set<Promise<void>>();
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await before?.();
      if (isEnding() && this.#all.every(({ tries, isOnItsWay }) => tries > 0 && !isOnItsWay)) break;
      const waiting = this.#heads().filter(({ isOnItsWay }) => !isOnItsWay);
      const due = waiting.filter(({ dueAt }) => dueAt <= performance.now()).slice(0, maxAtOnce - running.size);
      for (const delivery of due) {
        const sending = this.#send(delivery, signal).finally(() => {
          running.delete(sending);
          this.#wake();
        });
        running.add(sending);
      }
      const next = Math.min(
        ...waiting.filter((one) => !due.includes(one)).map(({ dueAt }) => dueAt - performance.now()),
      );
      // While all places are taken, the end of a request wakes it.
      const ms = running.size < maxAtOnce ? Math.min(pollMs, Math.max(1, next)) : pollMs;
      await settleWithin(woken, { ms, signal });
    }
    await Promise.all(running);
  }

  /** The first of each record: the others wait for it. */
  #heads(): Waiting[] {
    const heads = new Map<string, Waiting>();
    for (const delivery of this.#all) if (!heads.has(delivery.record)) heads.set(delivery.record, delivery);
    return [...heads.values()];
  }

  async #send(delivery: Waiting, signal: AbortSignal): Promise<void> {
    const { post, log, now, times } = this.#options;
    delivery.isOnItsWay = true;
    try {
      const event = await delivery.words();
      if (event !== undefined) await post(event, signal);
      await this.#finish(delivery);
    } catch (error) {
      delivery.isOnItsWay = false;
      if (signal.aborted) return;
      if (delivery.tries === 0) log(`the webhook got no answer, and tries again: ${(error as Error).message}`);
      delivery.tries += 1;
      delivery.dueAt = performance.now() + Math.min(times.maxRetryMs, times.firstRetryMs * 2 ** (delivery.tries - 1));
      if (now() - delivery.at < times.giveUpMs) return;
      log(`the webhook gives up an event: ${delivery.record}`);
      await this.#finish(delivery);
    }
  }

  async #finish(delivery: Waiting): Promise<void> {
    this.#all = this.#all.filter((one) => one !== delivery);
    // When that fails, the event is sent once more after a restart.
    await this.#options.onDone?.().catch(() => {});
  }
}
