import type { JsonObject } from "@toolglot/core";
import { parseJson } from "@toolglot/internal";
import type { RouterStore } from "@toolglot/trp-core/store";

/** What a session needs of a store. */
export type SessionStore = Pick<RouterStore, "blobs" | "now">;

/** A session, as every process on a store can take it up. */
export interface SessionRecord {
  /** Of the principal that alone can use it. */
  owner: string;
  /** Parameters of the `initialize` that began it. */
  initialize: JsonObject;
  /** Milliseconds since the epoch, by the store's clock. At most a quarter of the idle time behind. */
  usedAt: number;
}

const folder = "gateway/sessions/";

/**
 * Sessions of the revisions before 2026-07-28 in a store, so that each request may come to another process. A session that nobody has used
 * for the idle time is over; those that are gone are removed now and then.
 */
export class SessionRecords {
  readonly #store: SessionStore;
  readonly #idleMs: number;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(store: SessionStore, idleMs: number) {
    this.#store = store;
    this.#idleMs = idleMs;
  }

  /** Writes down a session that begins. */
  async create(id: string, session: Omit<SessionRecord, "usedAt">): Promise<void> {
    await this.#sweep();
    await this.#put(id, { ...session, usedAt: this.#store.now() });
  }

  /** Reads a session that is used now. Resolves to `undefined` for one that is unknown or over. */
  async use(id: string): Promise<SessionRecord | undefined> {
    const record = await this.#read(id);
    if (record === undefined) return undefined;
    const now = this.#store.now();
    if (now - record.usedAt > this.#idleMs / 4) await this.#put(id, { ...record, usedAt: now });
    return record;
  }

  async delete(id: string): Promise<void> {
    await this.#store.blobs.delete(folder + id);
  }

  async #read(id: string): Promise<SessionRecord | undefined> {
    const bytes = await this.#store.blobs.get(folder + id);
    const record = bytes && (parseJson(new TextDecoder().decode(bytes)) as unknown as SessionRecord);
    return record && !this.#isOver(record) ? record : undefined;
  }

  #isOver({ usedAt }: SessionRecord): boolean {
    return this.#store.now() - usedAt > this.#idleMs * 1.25;
  }

  async #put(id: string, record: SessionRecord): Promise<void> {
    await this.#store.blobs.put(folder + id, new TextEncoder().encode(JSON.stringify(record)));
  }

  async #sweep(): Promise<void> {
    const now = this.#store.now();
    if (now < this.#sweptAt + this.#idleMs) return;
    this.#sweptAt = now;
    for await (const name of this.#store.blobs.list(folder)) {
      const id = name.slice(folder.length);
      if ((await this.#read(id)) === undefined) await this.delete(id);
    }
  }
}
