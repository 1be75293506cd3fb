import type { ToolglotError } from "@toolglot/core";
import { randomHex } from "@toolglot/internal";
import { BaseMismatchError, type EncodedFile, type GuestMemory } from "../../engine.ts";
import type { StoredTurn } from "../../session/kept.ts";
import { sessionError } from "./errors.ts";
import type { Holding } from "./holding.ts";
import {
  type ImageHead,
  nameOfImage,
  packMemory,
  readImage,
  type SessionImage,
  unpackMemory,
  writeImage,
} from "./image.ts";
import type { SessionSettings } from "./options.ts";
import { checkRoom, listFiles, withFile } from "./session-files.ts";

const pageBytes = 4096;
/** Turns after which a session can't be made again from its log. */
export const maxHistory = 500;

/** A state of a session. */
export interface TurnState {
  head: ImageHead;
  /** Names it for interpreters that have it; empty at the start, which every interpreter has. */
  held: string;
  /** As long as it is not stored. */
  memory?: GuestMemory | undefined;
  stored?: StoredTurn | undefined;
  /** What a log calls it, once it is stored. */
  name?: string;
  /** As it was read, until it is used or the session rests. */
  image?: SessionImage | undefined;
}

/** A state of which there is an image. */
export type StoredState = TurnState & Required<Pick<TurnState, "name">> & { stored: StoredTurn };

/** The state of a session, the images of earlier ones, and the way of both into the storage. */
export class SessionTurns {
  readonly #settings: SessionSettings;
  readonly #holding: Holding;
  #now: TurnState;
  /** A storing in the background. */
  #storing: Promise<void> = Promise.resolve();
  #storingFailed: { error: unknown } | undefined;

  constructor(settings: SessionSettings, holding: Holding, state: StoredState) {
    this.#settings = settings;
    this.#holding = holding;
    this.#now = state;
  }

  /** Reads an image that was stored. */
  static read(settings: SessionSettings, bytes: Uint8Array, id: string, stored: StoredTurn): StoredState {
    const image = readImage(bytes, { id, turn: stored.turn }, settings.key);
    const { head } = image;
    return { head, held: nameOf(head), stored, name: nameOfImage(bytes, head), image };
  }

  /** Signs an image and stores it, in place of those that nothing goes back to. Rejects with `sandbox/session-live` when somebody has taken over. */
  static async put(settings: SessionSettings, holding: Holding, image: SessionImage): Promise<StoredState> {
    const { head } = image;
    const bytes = writeImage(image, settings.key);
    const kept = head.lineage.map(({ turn }) => turn);
    const stored = await holding.put(head.turn, bytes, kept, settings.limits.expireMs);
    return { head, held: nameOf(head), stored, name: nameOfImage(bytes, head) };
  }

  get now(): TurnState {
    return this.#now;
  }

  get earlier(): readonly StoredTurn[] {
    return this.#now.head.lineage;
  }

  /** Resolves when nothing is being stored. Rejects, once, with what the last storing in the background rejected with. */
  async settled(): Promise<void> {
    await this.#storing;
    const failed = this.#storingFailed;
    this.#storingFailed = undefined;
    if (failed) throw failed.error;
  }

  /** Returns the state that a program left. `by`: its name in the log. */
  next(memory: GuestMemory, by: string | undefined, before: TurnState = this.#now): TurnState {
    const { base, memoryBytes, numbers, variables, folders } = memory;
    const { head } = before;
    const turn = head.turn + 1;
    const lineage = this.#lineage();
    const after = {
      ...head,
      turn,
      baseHash: base,
      memoryBytes,
      pages: numbers.length,
      lineage,
      variables,
      folders,
      files: listFiles(memory.files, head.files, turn),
      reseed: false,
      history: longer(head, by),
      was: undefined,
    };
    return { head: after, held: randomHex(32), memory };
  }

  /** Resolves with the state with a file written. Rejects with `TypeError` and `sandbox/session-too-large`. */
  async written(file: EncodedFile, by: string | undefined, before: TurnState = this.#now): Promise<TurnState> {
    const { head } = before;
    const memory = await this.memory(before);
    const placed = withFile(file, memory);
    const given = placed.files.filter(({ path }) => path === file.path);
    const more = given.map(({ path, data }) => ({ path, bytes: data.length }));
    checkRoom(more, head, this.#settings.limits.maxFileBytes);
    const after = this.next({ ...memory, ...placed }, by, before);
    return { ...after, head: { ...after.head, reseed: head.reseed } };
  }

  /** Goes over to a state, and stores it as the settings say. When that rejects, all is as before. */
  async adopt(after: TurnState): Promise<void> {
    const before = this.#now;
    this.#now = after;
    if (this.#settings.save === "manual") return;
    const storing = this.#store();
    if (this.#settings.save === "idle") {
      this.#storing = storing.catch((error) => {
        this.#storingFailed = { error };
      });
      return;
    }
    try {
      await storing;
    } catch (error) {
      this.#now = before;
      throw error;
    }
  }

  /** Stores the state, unless it is. */
  async save(): Promise<{ turn: number; bytes: number; packed: number }> {
    await this.settled();
    await this.#store();
    const { head, stored } = this.#now;
    return { turn: head.turn, bytes: head.pages * pageBytes, packed: stored?.bytes ?? 0 };
  }

  /** Goes back so many turns. `0`: all stays, but what continues from here does so from another turn. */
  async undo(steps: number): Promise<void> {
    const { head } = this.#now;
    const target = steps === 0 ? this.#now.stored : head.lineage.at(-steps);
    if (target === undefined) {
      const message = `The session ${head.id} has images of ${head.lineage.length} earlier turns: it can't go back by ${steps}.`;
      throw sessionError("checkpoint", message, { steps, available: head.lineage.length });
    }
    const image = await this.#read(target.turn);
    const history = longer(head, this.#settings.log && target.turn);
    const after = { ...image, head: { ...image.head, turn: head.turn + 1, history } };
    this.#now = await SessionTurns.put(this.#settings, this.#holding, after);
  }

  /** Resolves with the image of a turn, by default of the state now. Rejects with `sandbox/session-checkpoint`. */
  async image(turn: number = this.#now.head.turn): Promise<SessionImage> {
    const { head, memory, stored } = this.#now;
    if (turn === head.turn && memory) return { head, packed: await packMemory(memory) };
    const isThere = turn === stored?.turn || this.earlier.some((one) => one.turn === turn);
    if (!isThere) {
      throw sessionError("checkpoint", `There is no image of turn ${turn} of the session ${head.id}.`, { turn });
    }
    return await this.#read(turn);
  }

  /** Resolves with the memory of a state. */
  async memory(state: TurnState = this.#now): Promise<GuestMemory> {
    if (state.memory) return state.memory;
    const image = state.image ?? (await this.#read(state.head.turn));
    state.image = undefined;
    return await unpackMemory(image);
  }

  /** Lets go of what can be read again. */
  rest(): void {
    this.#now.image = undefined;
  }

  /** Returns what a caller gets to see of an interpreter that can't take the state. */
  mismatch(error: unknown): unknown {
    if (!(error instanceof BaseMismatchError)) return error;
    return mismatchError(this.#now.head.id, "baseHash", this.#now.head.baseHash, error.here);
  }

  /** Returns the images that a state after this one can go back to. */
  #lineage(): StoredTurn[] {
    const { head, stored } = this.#now;
    const { checkpoints } = this.#settings.limits;
    const all = stored ? [...head.lineage, stored] : head.lineage;
    return all.slice(Math.max(0, all.length - checkpoints));
  }

  async #read(turn: number): Promise<SessionImage> {
    const { key } = this.#settings;
    const { id } = this.#holding;
    const bytes = await this.#holding.get(turn);
    if (bytes === undefined)
      throw sessionError("tampered", `The image of turn ${turn} of the session ${id} is gone.`, { id, turn });
    return readImage(bytes, { id, turn }, key);
  }

  async #store(): Promise<void> {
    const state = this.#now;
    if (state.memory === undefined) return;
    const packed = await packMemory(state.memory);
    const { stored, name } = await SessionTurns.put(this.#settings, this.#holding, { head: state.head, packed });
    Object.assign(state, { stored, name, memory: undefined });
  }
}

/** Returns the history after one turn more; undefined when it is not known, or too long to be of use. */
function longer({ history, turn }: ImageHead, by: string | number | undefined): ImageHead["history"] {
  return by === undefined || history?.length !== turn || turn >= maxHistory ? undefined : [...history, by];
}

/** Returns a name for a state; empty for one in which nothing is. */
function nameOf({ pages, files, folders }: ImageHead): string {
  return pages === 0 && files.length === 0 && folders.length === 0 ? "" : randomHex(32);
}

/** An image was made by something else than what is here. */
export function mismatchError(id: string, field: string, saved: unknown, here: unknown): ToolglotError {
  const message = `The session ${id} was made with another ${field}: ${String(saved)}, not ${String(here)}.`;
  return sessionError("mismatch", message, { field, saved, here });
}
