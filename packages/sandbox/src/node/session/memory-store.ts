import { checkKeys, defined } from "@toolglot/internal";
import { checkSessionId, type SessionHead, type SessionStore } from "../../session/store.ts";
import { sessionError } from "./errors.ts";

/** Options of {@link memorySessionStore}. */
export interface MemorySessionStoreOptions {
  /** Bytes of all images together; beyond it `put` rejects with `sandbox/session-too-large`. Default 512 MiB. */
  maxBytes?: number;
}

interface Kept {
  fence: number;
  until: number;
  images: Map<number, { at: number; image: Uint8Array; expiresAt: number }>;
}

const inMemory = new WeakSet<SessionStore>();

/** Whether a store was made by {@link memorySessionStore}: what it holds never leaves the process. */
export function isInMemory(store: SessionStore): boolean {
  return inMemory.has(store);
}

/** Keeps sessions in the memory of this process, for as long as it lives. Throws `TypeError` for options that make no sense. */
export function memorySessionStore(options: MemorySessionStoreOptions = {}): SessionStore {
  checkKeys("memorySessionStore()", options, "maxBytes:number");
  const { maxBytes } = { maxBytes: 512 * 1024 * 1024, ...defined(options) };
  if (typeof maxBytes !== "number" || !(maxBytes >= 0)) throw new TypeError("maxBytes must be a number of bytes.");
  const sessions = new Map<string, Kept>();
  let used = 0;

  function find(id: string): Kept {
    checkSessionId(id);
    const kept = sessions.get(id) ?? { fence: 0, until: 0, images: new Map() };
    sessions.set(id, kept);
    return kept;
  }

  function headOf(id: string, { images }: Kept): SessionHead | undefined {
    const turns = [...images].map(([turn, { at, image }]) => ({ turn, at, bytes: image.length }));
    turns.sort((a, b) => a.turn - b.turn);
    const newest = turns.at(-1);
    return newest && { id, turn: newest.turn, turns };
  }

  const store: SessionStore = {
    durability: "none",
    async claim(id, _owner, leaseMs) {
      const kept = find(id);
      if (kept.until > Date.now()) return { until: kept.until };
      kept.until = Date.now() + leaseMs;
      return { fence: ++kept.fence };
    },
    async renew(id, fence, leaseMs) {
      const kept = find(id);
      if (kept.fence !== fence) return false;
      kept.until = Date.now() + leaseMs;
      return true;
    },
    async release(id, fence) {
      const kept = find(id);
      if (kept.fence === fence) kept.until = 0;
    },
    async head(id) {
      return headOf(id, find(id));
    },
    async get(id, turn) {
      const kept = find(id);
      const image = kept.images.get(turn ?? headOf(id, kept)?.turn ?? -1)?.image;
      return image && Uint8Array.from(image);
    },
    async put(id, fence, turn, image, expiresAt = Number.POSITIVE_INFINITY) {
      const kept = find(id);
      if (kept.fence !== fence) return false;
      const more = image.length - (kept.images.get(turn)?.image.length ?? 0);
      if (used + more > maxBytes) {
        const message = `The store has ${maxBytes} bytes for sessions, and ${used} are in use: raise maxBytes, or close sessions with forget.`;
        throw sessionError("too-large", message, { bytes: used + more, max: maxBytes });
      }
      used += more;
      kept.images.set(turn, { at: Date.now(), image: Uint8Array.from(image), expiresAt });
      return true;
    },
    async drop(id, fence, turns) {
      const kept = find(id);
      if (kept.fence !== fence) return;
      for (const turn of turns === "all" ? [...kept.images.keys()] : turns) {
        used -= kept.images.get(turn)?.image.length ?? 0;
        kept.images.delete(turn);
      }
    },
    async *list() {
      for (const [id, kept] of [...sessions]) {
        const head = headOf(id, kept);
        if (head === undefined) continue;
        const isOver = Date.now() >= (kept.images.get(head.turn)?.expiresAt ?? 0) && kept.until <= Date.now();
        if (isOver) await store.drop(id, kept.fence, "all");
        else yield head;
      }
    },
  };
  inMemory.add(store);
  return store;
}
