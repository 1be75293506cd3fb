import type { Storage } from "@toolglot/core/storage";
import { gotText, isObject, parseJson } from "@toolglot/internal";

// A session in a storage is a log, which records what counts, and an image of each turn as a blob. Of two processes that hold it, the
// later one has added a line that the earlier one does not know, so that no image of the earlier one counts any more.

/** A stored image of a session. */
export interface StoredTurn {
  turn: number;
  /** When it was stored, milliseconds since 1970. */
  at: number;
  /** Bytes that it takes. */
  bytes: number;
}

/** Head of a session in a storage. */
export interface SessionHead {
  id: string;
  /** The newest one. */
  turn: number;
  /** Those that are there, the oldest first; never none. */
  turns: readonly StoredTurn[];
}

/** An image, as its line in the log has it. */
export interface KeptImage extends StoredTurn {
  blob: string;
  /** From when on the session may be removed, if this is its newest image; milliseconds since 1970. */
  expiresAt: number;
}

/** A line of the log. `image`: a new one, `kept`: the turns whose images are still there. */
export type SessionLine = { owner: number } | { image: KeptImage; kept: readonly number[] };

const prefix = "sandbox/sessions/";

/** Returns the name of a session's log, and what the names of its images begin with. */
export const logName = (id: string): string => prefix + id;

/** Names who holds a session. */
export const sessionOperation = (id: string): { scope: string; key: string } => ({ scope: "sandbox/session", key: id });

/** Returns the fence of the last holder in these lines; undefined when there is none. */
export function ownerOf(lines: readonly string[]): number | undefined {
  const owners = lines.flatMap((text) => {
    const line = parseJson(text) as SessionLine | undefined;
    return isObject(line) && "owner" in line ? [line.owner] : [];
  });
  return owners.at(-1);
}

/** Returns the images that count after these lines, the oldest first. Lines that no session wrote count for nothing. */
export function keptImages(lines: readonly string[]): KeptImage[] {
  let images: KeptImage[] = [];
  for (const text of lines) {
    const line = parseJson(text) as SessionLine | undefined;
    if (!isObject(line) || !("image" in line)) continue;
    const { image, kept } = line;
    images = [...images.filter(({ turn }) => turn !== image.turn && kept.includes(turn)), image];
  }
  return images.sort((a, b) => a.turn - b.turn);
}

/** Resolves with what a storage has of a session; undefined when it has no image. */
export async function readHead({ logs }: Storage, id: string): Promise<SessionHead | undefined> {
  return headOf(id, keptImages((await logs.read(logName(id))) ?? []));
}

function headOf(id: string, images: readonly KeptImage[]): SessionHead | undefined {
  const turns = images.map(({ turn, at, bytes }) => ({ turn, at, bytes }));
  const newest = turns.at(-1);
  return newest && { id, turn: newest.turn, turns };
}

/** Emits all sessions of a storage with the head of their newest image, in any order. */
export async function* allSessions({ logs }: Storage): AsyncIterable<{ head: SessionHead; expiresAt: number }> {
  for await (const name of logs.list(prefix)) {
    const images = keptImages((await logs.read(name)) ?? []);
    const head = headOf(name.slice(prefix.length), images);
    if (head) yield { head, expiresAt: images.at(-1)?.expiresAt ?? 0 };
  }
}

const idForm = /^[A-Za-z0-9._-]{1,128}$/;

/** Throws `TypeError` for what is no id of a session. */
export function checkSessionId(id: unknown): asserts id is string {
  if (typeof id === "string" && idForm.test(id)) return;
  throw new TypeError(
    `The id of a session is 1 to 128 letters, digits, dots, hyphens and underscores, not ${gotText(id)}.`,
  );
}
