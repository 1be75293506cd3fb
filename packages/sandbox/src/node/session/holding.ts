import { ToolglotError } from "@toolglot/core";
import { type HeldOperation, holdOperation } from "@toolglot/core/executing";
import type { Storage } from "@toolglot/core/storage";
import { checkKeys, randomHex } from "@toolglot/internal";
import {
  allSessions,
  checkSessionId,
  type KeptImage,
  keptImages,
  logName,
  ownerOf,
  readHead,
  type SessionHead,
  type SessionLine,
  type StoredTurn,
  sessionOperation,
} from "../../session/kept.ts";
import { sessionError } from "./errors.ts";

/** A session that this process holds: nobody else's images count, until the lease is lost. */
export class Holding {
  readonly id: string;
  readonly #storage: Storage;
  readonly held: HeldOperation;
  /** Lines of the log that this process knows. */
  #count: number;
  #images: readonly KeptImage[];
  /** The log has lines of another holder. */
  #isTaken = false;

  constructor(storage: Storage, held: HeldOperation, lines: readonly string[]) {
    this.id = held.claim.key;
    this.#storage = storage;
    this.held = held;
    this.#count = lines.length;
    this.#images = keptImages(lines);
  }

  /** Somebody else has the session, or may have it: the lease was lost, or its log is another's. */
  get isLost(): boolean {
    return this.#isTaken || this.held.isLost;
  }

  /** The images that are there, the oldest first. */
  get turns(): readonly StoredTurn[] {
    return this.#images;
  }

  /** From when on the session may be removed. Without an image: now. */
  get expiresAt(): number {
    return this.#images.at(-1)?.expiresAt ?? 0;
  }

  /** Stores the image of a turn in place of all whose turn is not to be kept. Rejects with `sandbox/session-live` when somebody has taken over. */
  async put(turn: number, bytes: Uint8Array, kept: readonly number[], expireMs: number): Promise<StoredTurn> {
    const { logs, blobs } = this.#storage;
    const at = this.#storage.now();
    const blob = `${logName(this.id)}/${turn}-${randomHex(8)}`;
    await blobs.put(blob, bytes).catch((error) => {
      throw isFull(error) ? sessionError("too-large", error.message, error.data) : error;
    });
    const image = { turn, at, bytes: bytes.length, blob, expiresAt: at + expireMs };
    const line: SessionLine = { image, kept };
    if (!(await logs.append(logName(this.id), [JSON.stringify(line)], this.#count))) {
      await blobs.delete(blob);
      this.#isTaken = ownerOf((await logs.read(logName(this.id))) ?? []) !== this.held.claim.fence;
      if (this.#isTaken) await this.held.stop();
      throw liveError(this.id);
    }
    this.#count += 1;
    const before = this.#images;
    this.#images = [...before.filter((one) => one.turn !== turn && kept.includes(one.turn)), image];
    for (const old of before) if (!this.#images.includes(old)) await blobs.delete(old.blob);
    return { turn, at, bytes: bytes.length };
  }

  /** Reads the image of a turn. Resolves to `undefined` when it is not there. */
  async get(turn: number): Promise<Uint8Array | undefined> {
    const image = this.#images.find((one) => one.turn === turn);
    return image && (await this.#storage.blobs.get(image.blob));
  }

  /** Removes the session from the storage. */
  async forget(): Promise<void> {
    const images = this.#images;
    this.#images = [];
    await this.#storage.logs.delete(logName(this.id), this.#count);
    this.#count = 0;
    for (const { blob } of images) await this.#storage.blobs.delete(blob);
  }

  /** Releases the session. */
  async release(): Promise<void> {
    await this.held.stop();
    // Nothing was stored: only that somebody held it.
    if (this.#images.length === 0 && this.#count > 0) await this.forget();
    await this.held.end({ state: "released" });
  }
}

/** Claims a session, there or not, and renews the claim. Rejects with `sandbox/session-live`. */
export async function holdSession(storage: Storage, id: string, leaseMs: number): Promise<Holding> {
  const { operations, logs, blobs, now } = storage;
  const request = { ...sessionOperation(id), fingerprint: "session", owner: randomHex(16), leaseMs };
  const held = await holdOperation(operations, request, { waitMs: 0, now, background: true });
  if (!("claim" in held)) throw liveError(id, held.record.leaseUntil);
  const owner: SessionLine = { owner: held.claim.fence };
  let lines: string[];
  // An earlier holder may add an image until it finds this line.
  do lines = (await logs.read(logName(id))) ?? [];
  while (!(await logs.append(logName(id), [JSON.stringify(owner)], lines.length)));
  const holding = new Holding(storage, held, [...lines, JSON.stringify(owner)]);
  // Of a holder that was stopped between an image and its line.
  const kept = new Set(keptImages(lines).map(({ blob }) => blob));
  for await (const blob of blobs.list(`${logName(id)}/`)) if (!kept.has(blob)) await blobs.delete(blob);
  return holding;
}

/**
 * Lists the sessions of a storage, in any order, and removes those that have expired and that nobody holds.
 *
 * @throws `TypeError` when there is no storage.
 */
export function listSessions(options: { storage: Storage }): AsyncIterable<SessionHead> {
  checkKeys("listSessions", options, "storage:object", ["storage"]);
  if (options.storage === undefined) throw new TypeError("listSessions needs options: { storage }");
  return unexpired(options.storage);
}

async function* unexpired(storage: Storage): AsyncGenerator<SessionHead, void, undefined> {
  for await (const { head, expiresAt } of allSessions(storage)) {
    if (expiresAt > storage.now() || !(await removeExpired(storage, head.id))) yield head;
  }
}

/**
 * Removes a session from a storage, also one that can't be resumed any more. Resolves to `false` when there is none.
 *
 * Rejects with `sandbox/session-live` when somebody has it open.
 *
 * @throws `TypeError` when there is no storage, or no id.
 */
export async function removeSession(options: { storage: Storage; id: string }): Promise<boolean> {
  checkKeys("removeSession", options, "storage:object id:text", ["storage", "id"]);
  const { storage, id } = options;
  checkSessionId(id);
  if ((await readHead(storage, id)) === undefined) return false;
  const holding = await holdSession(storage, id, expiryLeaseMs);
  try {
    await holding.forget();
  } finally {
    await holding.release();
  }
  return true;
}

/** For the removal of a session. */
const expiryLeaseMs = 15_000;

async function removeExpired(storage: Storage, id: string): Promise<boolean> {
  let holding: Holding;
  try {
    holding = await holdSession(storage, id, expiryLeaseMs);
  } catch (error) {
    if (ToolglotError.isInstance(error) && error.code === "sandbox/session-live") return false;
    throw error;
  }
  try {
    const isOver = holding.expiresAt <= storage.now();
    if (isOver) await holding.forget();
    return isOver;
  } finally {
    await holding.release();
  }
}

const isFull = (error: unknown): error is ToolglotError & { data: { bytes: number; max: number } } =>
  ToolglotError.isInstance(error) && error.code === "core/storage-full";

/** Somebody else has the session. */
export function liveError(id: string, until?: number): Error {
  const when = until === undefined ? "" : ` until ${new Date(until).toISOString()} at least`;
  const message = `The session ${id} is open elsewhere${when}: close it there, or wait for the end of its lease.`;
  return sessionError("live", message, until === undefined ? { id } : { id, until });
}

/** Rejects with `sandbox/session-exists` when there is a session of that id, open or not. */
export async function demandNew(storage: Storage, id: string): Promise<void> {
  if ((await readHead(storage, id)) !== undefined) throw existsError(id);
}

/** There is a session of that id already. */
export function existsError(id: string): Error {
  const message = `There is a session ${id} already: go on with it by resumeSession(), or take another id.`;
  return sessionError("exists", message, { id });
}
