import type { OutboxEvent, OutboxPage, OutboxRange, Retention } from "./log-types.ts";

// The rules of the outbox, for all stores. Pure functions: they don't change their arguments.

/** The range of an outbox: how many events were dropped from its beginning, and the number of its last event. */
export interface OutboxBounds {
  dropped: number;
  last: number;
}

const maxPage = 1_000;
const day = 24 * 60 * 60 * 1000;

/** Where a read begins, and how many events it may return. Throws `TypeError` for an invalid range. */
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
  return { after: after ?? 0, consumer, limit: Math.min(limit, maxPage) };
}

/** Returns the page of events after a number, and the range of events that are missing there. */
export function outboxPage(events: OutboxEvent[], after: number, { dropped, last }: OutboxBounds): OutboxPage {
  return { events, last, ...(after < dropped && { missed: { first: after + 1, last: dropped } }) };
}

/** A consumer's position after an acknowledgement. Throws `TypeError` for an invalid name or number. */
export function outboxPosition(consumer: string, upTo: number, before: number, { last }: OutboxBounds): number {
  checkConsumer(consumer);
  if (!isNumber(upTo) || upTo > last) {
    throw new TypeError(`outbox.acknowledge: upTo must be a whole number from 0 to ${last}, the newest event`);
  }
  return Math.max(before, upTo);
}

/** Returns a copy. Throws `TypeError` for an invalid one: a number that is none would drop all events. */
export function checkRetention(retention: Retention = {}): Retention {
  for (const [name, value = 0] of Object.entries(retention)) {
    if (!/^outbox(TtlMs|Rows)$/.test(name) || !(value >= 0))
      throw new TypeError(`prune: ${name} is unknown, or below 0`);
  }
  return { ...retention };
}

/**
 * Events up to this number may be dropped, whatever their age: every consumer has acknowledged them, or they are more
 * than `outboxRows`.
 */
export function outboxDroppable(
  positions: readonly number[],
  { last }: OutboxBounds,
  { outboxRows = 1_000_000 }: Retention = {},
): number {
  const acknowledged = positions.length === 0 ? 0 : Math.min(...positions);
  return Math.max(acknowledged, last - outboxRows);
}

/** Events from this time or before are dropped, even if a consumer has not acknowledged them. */
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
