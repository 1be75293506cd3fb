import { rounds } from "@toolglot/internal/testing";

/** A way to cut a text. */
export interface Chunking {
  name: string;
  chunks: string[];
}

/** How many ways a text is cut. */
export interface ChunkingOptions {
  /** Whether the text is also fed one unit at a time. Default true. */
  units?: boolean;
  /** Texts up to this length are cut in two at every place (in a plain `npm test` at every sixth, in `.ci/run` at every third). Default 240. */
  everySplitUpTo?: number;
  /** The longest piece of each cut into pieces of random length. Default 2, 5, 9, 33, 129, 4097. */
  longestPieces?: readonly number[];
}

/** Which texts are cut where differs by their lengths, so that all vectors together are cut everywhere. */
const step = rounds(6, 1);

/**
 * The ways a text is fed: one UTF-16 unit at a time (which parts surrogate pairs), cut in two at every place while it
 * is short, and in pieces of random length, the same ones each time.
 */
export function* chunkings(
  text: string,
  { units = true, everySplitUpTo = 240, longestPieces = [2, 5, 9, 33, 129, 4097] }: ChunkingOptions = {},
): Generator<Chunking> {
  if (units) yield { name: "one unit at a time", chunks: text.split("") };
  if (text.length <= everySplitUpTo) {
    for (let at = 1 + (text.length % step); at < text.length; at += step)
      yield { name: `cut at ${at}`, chunks: [text.slice(0, at), text.slice(at)] };
  }
  for (const [round, longest] of longestPieces.entries())
    yield { name: `random pieces of up to ${longest}`, chunks: randomPieces(text, longest, round + 1) };
}

export function randomPieces(text: string, longest: number, seed: number): string[] {
  const next = randomNumbers(seed * 7919 + text.length);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + Math.floor(next() * longest);
    pieces.push(text.slice(at, end));
    if (next() < 0.05) pieces.push("");
    at = end;
  }
  return pieces;
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
