import type { AuditCheckpoint, AuditEntry, AuditRow } from "../audit/types.ts";
import type { RouterEvent } from "../events/types.ts";
import type { SameTransaction } from "./frame-types.ts";

/** How long {@link RouterStore.prune} keeps records that have no expiry time of their own. */
export interface Retention {
  /** How long an event stays that not every consumer has acknowledged. Milliseconds. Default 7 days. */
  outboxTtlMs?: number;
  /** The most such events that stay; older ones are dropped. Default 1,000,000. */
  outboxRows?: number;
}

/**
 * The audit log. Rows are never changed. Only `prune` drops rows: the oldest ones, up to the `from` of a checkpoint.
 */
export interface AuditStore {
  append(entries: AuditEntry[], together?: Pick<SameTransaction, "events">): Promise<void>;
  /** In order of `index`, from `after` on (exclusive; default all). */
  read(range?: { after?: number; limit?: number }): Promise<AuditRow[]>;
  /** Returns the newest row and the newest checkpoint. A member is absent when there is none. */
  head(): Promise<AuditHead>;
  /**
   * Adds a checkpoint. A checkpoint for the same row is replaced. False, and nothing is added, when the log has no such
   * row, or when `from` is lower than in an earlier checkpoint or higher than `index`.
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
 * Events for other processes. Each event is written in the transaction of the step that it reports. The numbers rise by
 * one in the order of the commits, so a reader who has read an event has missed no earlier one. An event is kept until
 * every consumer has acknowledged it, but no longer than {@link Retention} allows.
 */
export interface OutboxStore {
  /**
   * Reads at most `limit` events (default 100, at most 1,000) in order: those after a number, or those after the
   * position of a consumer. Reading changes nothing. An event is read again until it is acknowledged.
   */
  read(range: OutboxRange): Promise<OutboxPage>;
  /**
   * Notes that a consumer needs no event up to this number any more, and returns its position. A position never goes
   * back. An unknown name creates a consumer: `acknowledge("mailer", 0)` keeps all events for `mailer` from now on.
   * Rejects with `TypeError` for a number that no event has had.
   */
  acknowledge(consumer: string, upTo: number): Promise<number>;
  /** All consumers, in order of their names. */
  consumers(): Promise<OutboxConsumer[]>;
  /** Removes a consumer that will not return, so that no events are kept for it. False when the name is unknown. */
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
  /** The number of the newest event in the outbox; 0 when there never was an event. */
  last: number;
  /** Events of the range that were dropped before they were acknowledged. They are lost. */
  missed?: { first: number; last: number };
}

/** An event of the outbox. */
export interface OutboxEvent {
  /** From 1, without gaps. */
  index: number;
  /** `at` is a time of the store's clock. */
  event: RouterEvent;
}

/** A reader of the outbox. */
export interface OutboxConsumer {
  /** 1 to 200 characters. */
  name: string;
  /** The number of the last acknowledged event; 0 when it has acknowledged none. */
  position: number;
  /** The time of its last acknowledgement. Milliseconds since the epoch. */
  at: number;
}
