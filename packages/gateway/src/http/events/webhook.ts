import { type ClaimRequest, ToolglotError } from "@toolglot/core";
import { holdOperation } from "@toolglot/core/executing";
import { settleWithin, sleep } from "@toolglot/internal";
import type { OutboxEvent } from "@toolglot/trp-core";
import type { SecretMask } from "../../secrets/mask.ts";
import { isLoopback } from "../hosts.ts";
import { type EventWords, recordOf, webhookEvent } from "./outbox-events.ts";
import { signatureOf, type WebhookEvent, type WebhookFormat, webhookBody } from "./webhook-body.ts";

/** Who is told, and how. */
export interface WebhookOptions extends EventWords {
  /** https, or this machine. */
  url: string;
  /** The key of the signature. */
  secret: string;
  /** Default `json`. */
  format?: WebhookFormat;
  mask: SecretMask;
  /** Gets a line when an event could not be delivered, and when it is given up. */
  log?(line: string): void;
  /** Milliseconds. Defaults: 1 s, 5 min, 24 h. */
  times?: { firstRetryMs?: number; maxRetryMs?: number; giveUpMs?: number };
}

/**
 * A webhook that tells the events of a router's outbox, at least once, and those of one record in their order. Of several
 * processes on a store one delivers; another goes on when that is gone. The router needs the option `outbox`.
 */
export interface Webhook {
  /** Events that were not delivered yet, in this process. */
  pending(): number;
  /** Tells an event that is not in the outbox. It is kept in memory alone; of one type only the newest waits. */
  tell(event: WebhookEvent): void;
  /** Stops. What was not delivered is told by the next process. */
  close(): Promise<void>;
}

const consumer = "webhook";
/** A process that was killed is replaced after this. Milliseconds. */
const leaseMs = 15_000;
/** How often the outbox is looked into for the events of other processes, and how long a receiver may take. Milliseconds. */
const pollMs = 5_000;
const answerMs = 10_000;
/** Requests at one time, and events in memory. */
const mostAtOnce = 4;
const mostWaiting = 1_000;

/** Opens a webhook. Throws `ToolglotError` `config/value` for a URL that can't be. */
export function openWebhook(options: WebhookOptions): Webhook {
  const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isLoopback(url.hostname))) {
    throw new ToolglotError("config/value", "The URL of a webhook must begin with https, or be on this machine.");
  }
  return new OutboxWebhook(options);
}

/** An event on its way. */
interface Delivery {
  /** Its number in the outbox; absent for what is in memory alone. */
  index?: number;
  record: string;
  /** When it happened. Milliseconds since the epoch. */
  at: number;
  words(): Promise<WebhookEvent | undefined>;
  tries: number;
  /** By `performance.now()`. */
  dueAt: number;
  isOnItsWay: boolean;
}

class OutboxWebhook implements Webhook {
  readonly #options: WebhookOptions;
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;
  readonly #done: Promise<void>;
  /** In order, those of the outbox first come first. */
  #deliveries: Delivery[] = [];
  #readUpTo = 0;
  #wake: () => void = () => {};

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#unsubscribe = options.router.subscribe(({ type }) => {
      if (type.startsWith("approval.") || type === "call.in_doubt") this.#wake();
    });
    this.#done = this.#run();
  }

  pending(): number {
    return this.#deliveries.length;
  }

  tell(event: WebhookEvent): void {
    const record = `memory ${event.type}`;
    this.#deliveries = this.#deliveries.filter((one) => one.record !== record || one.isOnItsWay);
    const words = async (): Promise<WebhookEvent> => event;
    this.#deliveries.push({ record, at: Date.parse(event.at), words, tries: 0, dueAt: 0, isOnItsWay: false });
    this.#wake();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#closing.abort();
    this.#wake();
    await this.#done;
  }

  /** While another process delivers, this one waits for its turn. */
  async #run(): Promise<void> {
    const { store, id } = this.#options.router;
    const { signal } = this.#closing;
    const request: ClaimRequest = {
      ...{ scope: "toolglot-gateway", key: consumer, fingerprint: consumer, owner: id },
      leaseMs,
      abandoned: "reclaim",
    };
    while (!signal.aborted) {
      try {
        const now = (): number => store.now();
        const held = await holdOperation(store.operations, request, { signal, now, background: true });
        if (!("claim" in held)) continue;
        try {
          await this.#deliver(held.signal);
        } finally {
          await held.stop();
          await store.operations.abandon(held.claim);
        }
      } catch (error) {
        this.#log(`the webhook waits for the store: ${(error as Error).message}`);
        await sleep(pollMs, signal);
      }
    }
  }

  async #deliver(signal: AbortSignal): Promise<void> {
    const { outbox } = this.#options.router;
    const known = (await outbox.consumers()).find(({ name }) => name === consumer);
    // A new one is told what happens from now on.
    this.#readUpTo =
      known?.position ?? (await outbox.acknowledge(consumer, (await outbox.read({ after: 0, limit: 1 })).last));
    this.#deliveries = this.#deliveries.filter(({ index }) => index === undefined);
    const running = new Set<Promise<void>>();
    while (!signal.aborted && !this.#closing.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#read();
      const waiting = this.#heads().filter(({ isOnItsWay }) => !isOnItsWay);
      const due = waiting.filter(({ dueAt }) => dueAt <= performance.now()).slice(0, mostAtOnce - running.size);
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
      const ms = running.size < mostAtOnce ? Math.min(pollMs, Math.max(1, next)) : pollMs;
      await settleWithin(woken, { ms, signal });
    }
    await Promise.all(running);
  }

  /** Reads on, as long as there is room. What nobody is told of is acknowledged at once. */
  async #read(): Promise<void> {
    const { router } = this.#options;
    while (this.#deliveries.length < mostWaiting) {
      const { events, missed } = await router.outbox.read({ after: this.#readUpTo, limit: 200 });
      if (missed !== undefined)
        this.#log(`events ${missed.first} to ${missed.last} were dropped before they were delivered`);
      for (const event of events) this.#take(event);
      this.#readUpTo = Math.max(this.#readUpTo, events.at(-1)?.index ?? 0);
      if (events.length === 0) break;
      await this.#acknowledge();
    }
  }

  #take(event: OutboxEvent): void {
    const record = recordOf(event);
    if (record === undefined) return;
    this.#deliveries.push({
      ...{ index: event.index, record, at: event.event.at, tries: 0, dueAt: 0, isOnItsWay: false },
      words: () => webhookEvent(event, this.#options),
    });
  }

  /** The first of each record: the others wait for it. */
  #heads(): Delivery[] {
    const heads = new Map<string, Delivery>();
    for (const delivery of this.#deliveries) if (!heads.has(delivery.record)) heads.set(delivery.record, delivery);
    return [...heads.values()];
  }

  async #send(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { mask, url, secret, format = "json", times = {} } = this.#options;
    const { firstRetryMs = 1_000, maxRetryMs = 300_000, giveUpMs = 86_400_000 } = times;
    delivery.isOnItsWay = true;
    try {
      const event = await delivery.words();
      if (event !== undefined) {
        const body = webhookBody(
          { ...event, ...mask.maskData({ summary: event.summary, facts: event.facts }) },
          format,
        );
        const response = await fetch(url, {
          method: "POST",
          body,
          headers: {
            "content-type": "application/json",
            "user-agent": "toolglot-gateway",
            "toolglot-signature": signatureOf(secret, body, Math.floor(Date.now() / 1000)),
          },
          redirect: "manual",
          signal: AbortSignal.any([signal, this.#closing.signal, AbortSignal.timeout(answerMs)]),
        });
        await response.body?.cancel();
        if (!response.ok) throw new Error(`HTTP ${response.status}`);
      }
      await this.#finish(delivery);
    } catch (error) {
      delivery.isOnItsWay = false;
      if (signal.aborted || this.#closing.signal.aborted) return;
      if (delivery.tries === 0) this.#log(`the webhook got no answer, and tries again: ${(error as Error).message}`);
      delivery.tries += 1;
      delivery.dueAt = performance.now() + Math.min(maxRetryMs, firstRetryMs * 2 ** (delivery.tries - 1));
      if (Date.now() - delivery.at < giveUpMs) return;
      this.#log(`the webhook gives up an event: ${delivery.record}`);
      await this.#finish(delivery).catch(() => {});
    }
  }

  async #finish(delivery: Delivery): Promise<void> {
    this.#deliveries = this.#deliveries.filter((one) => one !== delivery);
    // When that fails, the event is told once more after a restart.
    await this.#acknowledge().catch(() => {});
  }

  /** Up to the first that was not delivered. */
  async #acknowledge(): Promise<void> {
    const first = this.#deliveries.find(({ index }) => index !== undefined)?.index;
    await this.#options.router.outbox.acknowledge(consumer, first === undefined ? this.#readUpTo : first - 1);
  }

  #log(line: string): void {
    this.#options.log?.(this.#options.mask.mask(line));
  }
}
