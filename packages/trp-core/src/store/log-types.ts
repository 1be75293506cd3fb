import type { AuditCheckpoint, AuditEntry, AuditRow } from "../audit/types.ts";
import type { RouterEvent } from "../events/types.ts";
import type { SameTransaction } from "./types.ts";

/** What {@link RouterStore.prune} keeps of what has no time of its own. */
export interface Retention {
  /** Events that not every consumer has acknowledged: for so long. Milliseconds. Default 7 days. */
  outboxTtlMs?: number;
  /** And no more of them than these, the newest. Default 1,000,000. */
  outboxRows?: number;
}

/** The audit log. Rows are never changed, and dropped only from the beginning: by `prune`, as far as a checkpoint says. */
export interface AuditStore {
  append(entries: AuditEntry[], together?: Pick<SameTransaction, "events">): Promise<void>;
  /** In order of `index`, from `after` on (exclusive; default all). */
  read(range?: { after?: number; limit?: number }): Promise<AuditRow[]>;
  /** The newest row and the newest checkpoint; undefined each when there is none. */
  head(): Promise<AuditHead>;
  /**
   * Adds a checkpoint; false when the log has no such row, or when `from` is lower than that of an earlier checkpoint
   * or higher than `index`. One for a row that has one already takes its place.
   */
  addCheckpoint(checkpoint: AuditCheckpoint): Promise<boolean>;
  /** In order of `index`, from `after` on (exclusive; default all). */
  checkpoints(range?: { after?: number; limit?: number }): Promise<AuditCheckpoint[]>;
}

/** See {@link AuditStore.head}. */
export interface AuditHead {
  row?: Pick<AuditRow, "index" | "hash">;
  checkpoint?: AuditCheckpoint;
}

/**
 * Events for other processes, each written in the transaction of the step that it tells of. Numbers rise by one, in the
 * order of the commits: who has read an event has missed none before it. Events are kept until every consumer has
 * acknowledged them, and no longer than {@link Retention} says.
 */
export interface OutboxStore {
  /**
   * At most `limit` events (default 100, at most 1,000) after a number, or after what a consumer has acknowledged, in
   * order. Reading changes nothing: until it is acknowledged, an event is read again.
   */
  read(range: OutboxRange): Promise<OutboxPage>;
  /**
   * Notes that a consumer needs nothing up to this number any more, and gives its position. It never goes back. A name that
   * is not known is a new consumer, for which events are kept from now on; 0 is a start. `TypeError` for a number that no
   * event has had.
   */
  acknowledge(consumer: string, upTo: number): Promise<number>;
  /** In order of their names. */
  consumers(): Promise<OutboxConsumer[]>;
  /** A consumer that will not come back, for which nothing need be kept. False when it is not known. */
  forget(consumer: string): Promise<boolean>;
}

/** Which events to read: those after a number, or after the position of a consumer. */
export type OutboxRange = { limit?: number } & (
  | { after: number; consumer?: undefined }
  | { consumer: string; after?: undefined }
);

/** See {@link OutboxStore.read}. */
export interface OutboxPage {
  /** In order of `index`. */
  events: OutboxEvent[];
  /** Of the newest event that there is; 0 when there never was one. */
  last: number;
  /** Events of the range that were dropped before they were acknowledged. They can't be had any more. */
  missed?: { first: number; last: number };
}

/** An event of the outbox. */
export interface OutboxEvent {
  /** From 1, without gaps. */
  index: number;
  /** `at` is of the store's clock. */
  event: RouterEvent;
}

/** Who reads the outbox. */
export interface OutboxConsumer {
  /** 1 to 200 characters. */
  name: string;
  /** The last event that it has acknowledged; 0 when none. */
  position: number;
  /** When it acknowledged last. */
  at: number;
}
