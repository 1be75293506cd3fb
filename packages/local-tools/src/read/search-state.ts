import type { EncodingSettings } from "../encodings/detect.ts";
import type { WalkCounts } from "../files/walk.ts";
import type { MatchedLine } from "./matched-line.ts";
import type { Pattern } from "./pattern.ts";

/** Lines shown. */
export const maxMatches = 200;
/** Lines counted: by then the pattern is plainly too broad. */
export const maxCounted = 1_000_000;
/** What is to be searched, in a form that can be handed to a thread. */
export interface SearchJob {
  /** Real paths. */
  roots: readonly string[];
  /** A folder, or a file, by its real path. */
  place: { path: string; shown: string; kind: "file" | "directory" };
  glob: string | undefined;
  /** What is looked for. The second counts only when the first is nowhere. */
  patterns: readonly Pattern[];
  /** Files of folders that have more bytes are left out. */
  maxBytes: number;
  /** When time is over, as `Date.now` has it. */
  until: number;
  /** Files that took too long in another thread, as the model calls them. */
  slow: readonly string[];
  /** Files of a search after which a second thread is started, if there is one to be had: at the search's end, or before when there are twenty times as many. Default: all. */
  helpAfter?: number;
  /** What decides about the encodings of files. Default: nothing is preferred. */
  encodings?: EncodingSettings;
}

/** What of a pattern was found. */
export interface Hits {
  matches: number;
  files: number;
  /** The first, by path. */
  lines: (MatchedLine & { file: string })[];
  /** Files without a match in which there may be one all the same, since their encoding is not known for certain. */
  doubtful: number;
  /** Files with a match of which the encoding is a guess. */
  guessed: number;
  /** Files with lines in which U+FFFD stands for what could not be decoded. */
  replaced: number;
  /** An expression was tried on a very long line in parts. */
  inParts: boolean;
}

/** How far a search came. With it another thread can continue. */
export interface SearchState extends WalkCounts {
  /** The last file that the search went past, below the folder, in segments. */
  at: readonly string[] | undefined;
  /** Files in question that it went past, and those of them that were searched to their end. */
  files: number;
  looked: number;
  /** Files of too many bytes, and others that were not searched. */
  large: number;
  binary: number;
  unreadable: number;
  tooSlow: string[];
  hits: Hits[];
  /** The search ended before this one was searched, or to its end. */
  stoppedAt?: string;
  why?: "time" | "slow" | "matches";
  /** A large file that was searched up to a place, and why not further. */
  stoppedIn?: { file: string; bytes: number; size: number; why: "time" | "binary" };
}

/** How the thread makes known where it is. */
export interface SearchProgress {
  /** Called before each file, each piece of a large one, and each folder. */
  begin(shown: string): void;
  /** Called between two files now and then: what was found up to here need not be searched again. */
  keep(state: SearchState): void;
}

/** Returns the state of a search that has not begun. */
export function searchBegins(patterns: number): SearchState {
  const hits = (): Hits => ({ matches: 0, files: 0, lines: [], doubtful: 0, guessed: 0, replaced: 0, inParts: false });
  const counts = { files: 0, looked: 0, large: 0, binary: 0, unreadable: 0 };
  const walk = { protectedFiles: 0, ignored: 0, unreadableFolders: 0 };
  return { ...counts, ...walk, at: undefined, tooSlow: [], hits: Array.from({ length: patterns }, hits) };
}

/** Adds what the next files hold, searched apart. False, with nothing changed, where one after the other they may give something else. */
export function joinState(state: SearchState, next: SearchState): boolean {
  const [first, nextFirst] = [state.hits[0], next.hits[0]];
  if ((first?.matches ?? 0) + (nextFirst?.matches ?? 0) >= maxCounted) return false;
  const pairs = state.hits.map((hits, index) => [hits, next.hits[index] as Hits] as const);
  const isCut = ([{ lines }, more]: readonly [Hits, Hits]): boolean => lines.length + more.lines.length > maxMatches;
  if (pairs.some((pair) => isCut(pair) && pair[1].replaced > 0)) return false;
  for (const [hits, more] of pairs) {
    for (const key of ["matches", "files", "doubtful", "guessed", "replaced"] as const) hits[key] += more[key];
    hits.inParts ||= more.inParts;
    hits.lines.push(...more.lines.slice(0, maxMatches - hits.lines.length));
  }
  for (const key of ["files", "looked", "large", "binary", "unreadable"] as const) state[key] += next[key];
  if (next.stoppedIn !== undefined) state.stoppedIn = next.stoppedIn;
  return true;
}
