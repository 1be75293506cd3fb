import type { OutboxEvent, OutboxPage, OutboxRange, Retention } from "./log-types.ts";

// What every store decides about its outbox. Pure functions; nothing given is changed.

/** The numbers of an outbox: how many were dropped from its beginning, and its last one. */
export interface OutboxBounds {
  dropped: number;
  last: number;
}

const longestPage = 1_000;
const day = 24 * 60 * 60 * 1000;

/** Where to read, and how much. `TypeError` for a range that is none. */
export function outboxWindow(range: OutboxRange): { after: number; consumer: string | undefined; limit: number } {
  const { after, consumer, limit = 100 } = range ?? {};
  if ((after === undefined) === (consumer === undefined)) {
    throw new TypeError("outbox.read needs either consumer, a name, or after, a number");
  }
  if (consumer !== undefined) checkConsumer(consumer);
  else if (!isNumber(after)) throw new TypeError("outbox.read: after must be a whole number from 0");
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TypeError("outbox.read: limit must be a whole number from 1");
  }
  return { after: after ?? 0, consumer, limit: Math.min(limit, longestPage) };
}

/** What was read after a number, and whether something is missing before it. */
export function outboxPage(events: OutboxEvent[], after: number, { dropped, last }: OutboxBounds): OutboxPage {
  return { events, last, ...(after < dropped && { missed: { first: after + 1, last: dropped } }) };
}

/** Where a consumer stands after it has acknowledged. `TypeError` for what is no name, or a number no event has had. */
export function outboxPosition(consumer: string, upTo: number, before: number, { last }: OutboxBounds): number {
  checkConsumer(consumer);
  if (!isNumber(upTo) || upTo > last) {
    throw new TypeError(`outbox.acknowledge: upTo must be a whole number from 0 to ${last}, the newest event`);
  }
  return Math.max(before, upTo);
}

/** Up to which number events go, whatever their age: what every consumer has, and what is too much. */
export function outboxDroppable(
  positions: readonly number[],
  { last }: OutboxBounds,
  { outboxRows = 1_000_000 }: Retention = {},
): number {
  const acknowledged = positions.length === 0 ? 0 : Math.min(...positions);
  return Math.max(acknowledged, last - outboxRows);
}

/** Events that are no newer go, whoever has not read them. */
export function outboxTooOld(now: number, { outboxTtlMs = 7 * day }: Retention = {}): number {
  return now - outboxTtlMs;
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function checkConsumer(name: unknown): void {
  if (typeof name === "string" && /^[^\p{C}]{1,200}$/u.test(name)) return;
  throw new TypeError("outbox: a consumer is a name, a text of 1 to 200 characters without control characters");
}
