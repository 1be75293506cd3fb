import type { NotAtRestError } from "./reuse.ts";
import type { SessionVariable } from "./session/types.ts";
import type { FileInput, FileOutput, ProgramStyle, SandboxIsolation, SandboxLanguage, SandboxWall } from "./types.ts";

/**
 * A message of a guest, already read as JSON. Not to be trusted:
 *
 * - `call { id, tool, args, line }`: `tool` is the tool's place in the list, `id` counts the program's calls from 0;
 * - `log { stream, text, cut? }`, `usage { memoryMb }` (once, before the outcome);
 * - `idle { answered, wake? }`: nothing can run until an answer comes; `answered` is how many it has taken so far; after `wake`
 *   milliseconds without one it gets a `wake`;
 * - `files { files }` (at most once, before the outcome): those that the program made or changed;
 * - `result { value, bytes, conversions, warnings }` or `error { error, conversions, warnings }`, the outcome.
 */
export type GuestMessage = Record<string, unknown>;

/** Gets the messages of one guest. */
export interface GuestListener {
  /** `bytes`: size of the message as it came; of an outcome in bytes, of anything else it may be UTF-16 units. */
  onMessage(message: GuestMessage, bytes: number): void;
  /** Called once, when the guest has ended for whatever reason. `fault`: what was wrong with it, for the host's eyes. */
  onEnd(fault: string): void;
}

/** Memory of a session in its interpreter, beside that of an interpreter that has run nothing. */
export interface GuestMemory {
  /** The SHA-256 of the memory before any program, in hex; empty when nothing has changed. */
  readonly base: string;
  readonly memoryBytes: number;
  /** Pages of 4096 bytes that have changed, by their numbers, upwards. */
  readonly numbers: readonly number[];
  /** Those, one after another. */
  readonly pages: Uint8Array;
  /** Whether the last program began. One that was refused changed nothing. */
  readonly ran: boolean;
  readonly variables: readonly SessionVariable[];
  /** Under the folder of its files, a folder before what is in it. */
  readonly folders: readonly string[];
  readonly files: readonly MemoryFile[];
}

/** A file of a session: its path under the folder. */
export interface MemoryFile {
  readonly path: string;
  readonly data: Uint8Array;
}

/** One interpreter, used for one run; what it runs in may be used for the next, see {@link Guest.renew}. */
export interface Guest {
  /** Resolves when it can take a program. Rejects when it did not start, and with {@link NotAtRestError} when it can't be used again. */
  readonly ready: Promise<void>;
  listen(listener: GuestListener): void;
  /** Takes JSON text: `run` first, then a `return` or a `throw` for each call, and a `wake` where it asked for one. */
  send(json: string): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
  /** Called instead of `kill` when its program has ended by itself, in its limits. From then on it sends nothing. */
  rest?(): void;
  /**
   * Called at the most once, after `rest`: ends it like `kill`, but what it runs in becomes a new guest that has nothing of
   * this one: its `ready` resolves when it can take the next program. Undefined when it has ended or was killed.
   * `held`: the new one keeps the memory, under this name, for a request that names it; any other is given none of it.
   */
  renew?(held?: string): Guest | undefined;
  /** Of the memory that it has, see `renew` and `restore`. */
  readonly holds?: string | undefined;
  /**
   * Once it is ready: writes the memory of a session into it, under the name `held`. Rejects with {@link BaseMismatchError} when that was
   * made beside another memory, and nothing was changed.
   */
  restore?(memory: GuestMemory, held: string): Promise<void>;
  /** After `rest`, at the most once: the memory that its program left. Rejects with {@link NotAtRestError} when it can't be kept. */
  capture?(): Promise<GuestMemory>;
  /** Megabytes that its memory grew by in its program, as it reports. */
  readonly grownMb?: number;
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>;
  /** Whether it keeps the host's process alive. A guest that waits for work must not. */
  hold(alive: boolean): void;
}

/** A file on its way to a program: its path under the folder, its content as base64. */
export interface EncodedFile {
  path: string;
  data: string;
}

/** Codec by which the files of a program go to a guest, and come from it. */
export interface FileCodec {
  /** Throws `TypeError` for files that can't be given. */
  encode(files: readonly FileInput[]): EncodedFile[];
  /** Undefined for what makes no sense. */
  decode(files: unknown): FileOutput[] | undefined;
}

/** The memory of a session was made beside another memory than that of this guest, `here`. */
export class BaseMismatchError extends Error {
  readonly here: string;

  constructor(here: string) {
    super("the memory was made beside another one");
    this.here = here;
  }
}

/** Makes interpreters of one language. A run goes the same way with all of them. */
export interface Engine {
  readonly language: SandboxLanguage;
  /** Name and version. */
  readonly label: string;
  /**
   * Whether a program can have several calls in flight. Such a guest sends `idle` when it waits; it takes one answer at a
   * time and runs until nothing is left to do before it takes the next, so that answers in the same order lead to the
   * same state. A guest without waits in each call.
   */
  readonly concurrent: boolean;
  /** Set when a guest may be used again after a program without a domain. */
  readonly sharedWithoutDomain?: boolean;
  /** The libraries that programs find, by name, where the language has any. */
  readonly libraries?: readonly string[];
  /** Those of programs in this style. */
  librariesOf?(style: ProgramStyle): readonly string[];
  /** Where programs can have files. */
  readonly files?: FileCodec;
  /** What a guest runs in. */
  readonly isolation: SandboxIsolation;
  /** Walls that the last guest that started was found to lack. */
  readonly missingWalls?: readonly SandboxWall[];
  /** The same in words, for each run to warn of. */
  readonly warnings?: readonly string[];
  /** What the memory of a session depends on, besides the engine; absent where there are no sessions. */
  readonly guestHash?: string;
  /** Of the libraries that the host offers, which it depends on too; empty for none. */
  readonly wheelsHash?: string;
  /**
   * Done before a guest: finds or makes what `spawn` starts from, at the first call, and again when it failed. Never rejects:
   * `spawn` throws when there is nothing to start from.
   */
  prepare(): Promise<void>;
  spawn(): Guest;
  /** Where guests start from. `none`: there is none, or none could be made yet. */
  readonly snapshot: "none" | "built" | "cached";
}
