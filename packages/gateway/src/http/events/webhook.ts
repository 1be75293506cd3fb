import { type ClaimRequest, ToolglotError } from "@toolglot/core";
import { holdOperation } from "@toolglot/core/executing";
import { settleWithin, sleep } from "@toolglot/internal";
import type { OutboxEvent } from "@toolglot/trp-core";
import type { SecretMask } from "../../secrets/mask.ts";
import { isLoopback } from "../hosts.ts";
import { Deliveries } from "./deliveries.ts";
import { type EventWords, recordOf, webhookEvent } from "./outbox-events.ts";
import { signatureOf, type WebhookEvent, type WebhookFormat, webhookBody } from "./webhook-body.ts";

/** Who gets the events, and how. */
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
 * A webhook that sends the events of a router's outbox, at least once, and those of one record in their order. Of several
 * processes on a store one delivers; another goes on when that is gone. The router needs the option `outbox`.
 */
export interface Webhook {
  /** Events that were not delivered yet, in this process. */
  pending(): number;
  /** Sends an event that is not in the outbox. It is kept in memory alone; of one type and subject only the newest waits. */
  notify(event: WebhookEvent, about?: string): void;
  /** Stops, after a try of what was given and not yet tried. What the outbox has is sent by the next process. */
  close(): Promise<void>;
}

const consumer = "webhook";
/** A process that was killed is replaced after this. Milliseconds. */
const leaseMs = 15_000;
/** How long it waits for a store that does not answer, and for a receiver. Milliseconds. */
const pollMs = 5_000;
const answerMs = 10_000;
/** How long the last events of this process have when it closes. Milliseconds. */
const lastWordsMs = 2_000;
/** Events in memory, of each queue. */
const maxWaiting = 1_000;

/** Opens a webhook. Throws `ToolglotError` `config/value` for a URL that can't be. */
export function openWebhook(options: WebhookOptions): Webhook {
  const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isLoopback(url.hostname))) {
    throw new ToolglotError("config/value", "The URL of a webhook must begin with https, or be on this machine.");
  }
  return new OutboxWebhook(options);
}

class OutboxWebhook implements Webhook {
  readonly #options: WebhookOptions;
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;
  readonly #outbox: Deliveries;
  /** Of this process alone, which sends them whoever delivers those of the outbox. */
  readonly #own: Deliveries;
  readonly #done: Promise<unknown>;
  readonly #ownDone: Promise<void>;
  #readUpTo = 0;
  #isClosing = false;

  constructor(options: WebhookOptions) {
    this.#options = options;
    const { firstRetryMs = 1_000, maxRetryMs = 300_000, giveUpMs = 86_400_000 } = options.times ?? {};
    const delivering = {
      times: { firstRetryMs, maxRetryMs, giveUpMs },
      post: (event: WebhookEvent, signal: AbortSignal) => this.#post(event, signal),
      log: (line: string) => this.#log(line),
      now: () => options.router.store.now(),
    };
    this.#outbox = new Deliveries({ ...delivering, onDone: () => this.#acknowledge() });
    this.#own = new Deliveries(delivering);
    this.#unsubscribe = options.router.subscribe(({ type }) => {
      if (type.startsWith("approval.") || type === "call.in_doubt") this.#outbox.wake();
    });
    this.#done = this.#run();
    this.#ownDone = this.#own.run(this.#closing.signal, { isEnding: () => this.#isClosing });
  }

  pending(): number {
    return this.#outbox.size + this.#own.size;
  }

  notify(event: WebhookEvent, about = ""): void {
    const record = `${event.type} ${about}`.trimEnd();
    this.#own.drop(record);
    if (this.#own.size < maxWaiting) this.#own.add({ record, at: Date.parse(event.at), words: async () => event });
    else this.#log(`an event was dropped, as too many wait: ${record}`);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#isClosing = true;
    this.#own.wake();
    await settleWithin(this.#ownDone, { ms: lastWordsMs });
    this.#closing.abort();
    await Promise.all([this.#done, this.#ownDone]);
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
          await this.#deliver(AbortSignal.any([held.signal, signal]));
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
    // A new one gets what happens from now on.
    this.#readUpTo =
      known?.position ?? (await outbox.acknowledge(consumer, (await outbox.read({ after: 0, limit: 1 })).last));
    this.#outbox.clear();
    await this.#outbox.run(signal, { before: () => this.#read() });
  }

  /** Reads on, as long as there is room. What nobody is sent is acknowledged at once. */
  async #read(): Promise<void> {
    const { router } = this.#options;
    while (this.#outbox.size < maxWaiting) {
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
    const words = (): Promise<WebhookEvent | undefined> => webhookEvent(event, this.#options);
    this.#outbox.add({ index: event.index, record, at: event.event.at, words });
  }

  async #post(event: WebhookEvent, signal: AbortSignal): Promise<void> {
    const { mask, url, secret, format = "json" } = this.#options;
    const body = webhookBody({ ...event, ...mask.maskData({ summary: event.summary, facts: event.facts }) }, format);
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": "toolglot-gateway",
        "toolglot-signature": signatureOf(secret, body, Math.floor(Date.now() / 1000)),
      },
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
  }

  /** Up to the first that was not delivered. */
  async #acknowledge(): Promise<void> {
    const { first } = this.#outbox;
    await this.#options.router.outbox.acknowledge(consumer, first === undefined ? this.#readUpTo : first - 1);
  }

  #log(line: string): void {
    this.#options.log?.(this.#options.mask.mask(line));
  }
}
