/** A stored image of a session. */
export interface StoredTurn {
  turn: number;
  /** When it was stored, milliseconds since 1970. */
  at: number;
  /** Bytes that it takes. */
  bytes: number;
}

/** What a store has of a session. */
export interface SessionHead {
  id: string;
  /** The newest one. */
  turn: number;
  /** Those that are there, the oldest first; never none. */
  turns: readonly StoredTurn[];
}

/**
 * Keeps the images of sessions: memory that an interpreter will run. What it gives back is checked with a key that it never
 * sees, so it can neither change an image nor give one of another session or turn; it can give back a whole older state.
 *
 * A session has one writer at a time, who claims it. Each claim has a `fence`, a number above all before; what is written with
 * an older one is refused. Times are those of the store's clock.
 */
export interface SessionStore {
  /** `disk`: what was put survives the process and the machine's power. */
  readonly durability: "none" | "disk";
  /** Claims a session, there or not, for so many milliseconds. `until`: somebody else has it, at least to then. */
  claim(id: string, owner: string, leaseMs: number): Promise<{ fence: number } | { until: number }>;
  /** False when the claim is lost. */
  renew(id: string, fence: number, leaseMs: number): Promise<boolean>;
  /** Gives a claim up, when it is still held. */
  release(id: string, fence: number): Promise<void>;
  /** Undefined when there is no image. */
  head(id: string): Promise<SessionHead | undefined>;
  /** The image of a turn, by default of the newest. */
  get(id: string, turn?: number): Promise<Uint8Array | undefined>;
  /**
   * Stores an image: all of it or nothing, and it is there to stay before this resolves. False when somebody else has claimed the
   * session since. `expiresAt`: milliseconds since 1970 from which `list` removes the session, if this is still its newest image
   * and nobody has claimed it. Default: never.
   */
  put(id: string, fence: number, turn: number, image: Uint8Array, expiresAt?: number): Promise<boolean>;
  /** Removes images, as far as they are there and the claim holds. */
  drop(id: string, fence: number, turns: readonly number[] | "all"): Promise<void>;
  /** All sessions with an image, in any order. Removes those that have expired. */
  list(): AsyncIterable<SessionHead>;
}

/** What a store has of a session. Rejects with `TypeError` for an answer of another form, which is the fault of the store's author. */
export async function headIn(store: SessionStore, id: string): Promise<SessionHead | undefined> {
  const head: unknown = await store.head(id);
  if (head === undefined) return undefined;
  const { turns } = (head ?? {}) as { turns?: unknown };
  const isTurn = (one: unknown): boolean => {
    const { turn, at, bytes } = (one ?? {}) as Record<string, unknown>;
    return [turn, at, bytes].every((value) => typeof value === "number");
  };
  if (Array.isArray(turns) && turns.length > 0 && turns.every(isTurn)) return head as SessionHead;
  throw new TypeError(
    "head() of the session's store must give undefined, or { id, turn, turns: [{ turn, at, bytes }] }.",
  );
}

const idForm = /^[A-Za-z0-9._-]{1,128}$/;

/** Throws `TypeError` for what is no id of a session. */
export function checkSessionId(id: unknown): asserts id is string {
  if (typeof id === "string" && idForm.test(id)) return;
  throw new TypeError("The id of a session is 1 to 128 letters, digits, dots, hyphens and underscores.");
}
