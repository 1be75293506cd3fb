import { closeSync, fstatSync, readSync } from "node:fs";
import { basename, dirname } from "node:path";
import { attempt, codeOf } from "../errors.ts";
import { looksBinary } from "../files/file-kind.ts";
import { HeldFolder } from "../files/held-folder.ts";
import { type WalkCounts, type WalkedFile, walkFiles } from "../files/walk.ts";
import { fileChoice } from "./file-choice.ts";
import { FileMatcher, type MatchedLine } from "./file-matcher.ts";
import type { Pattern } from "./pattern.ts";

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
}

/** What of a pattern was found. */
export interface Hits {
  matches: number;
  /** Files with a match. */
  files: number;
  /** The first, by path. */
  lines: (MatchedLine & { file: string })[];
  /** Files without a match in which there may be one all the same, since they are not UTF-8. */
  doubtful: number;
  /** An expression was tried on a very long line in parts. */
  inParts: boolean;
}

/** How far a search came. With it another thread can go on. */
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
  /** Files that took too long. */
  tooSlow: string[];
  /** For each pattern. */
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

/** Lines shown. */
const mostMatches = 200;
/** Lines counted: by then it's plain that the pattern says too little. */
export const mostCounted = 1_000_000;
/** Files that may take too long before it's plain that the pattern is to blame. */
const mostSlow = 3;
/** Bytes of a file that are read at one time. */
const pieceBytes = 1 << 20;
/** Bytes at a file's beginning by which it is judged. */
const binaryBytes = 256 * 1024;

/** The state of a search that has not begun. */
export function searchBegins(patterns: number): SearchState {
  const hits = (): Hits => ({ matches: 0, files: 0, lines: [], doubtful: 0, inParts: false });
  const counts = { files: 0, looked: 0, large: 0, binary: 0, unreadable: 0 };
  const walk = { protectedFiles: 0, ignored: 0, unreadableFolders: 0 };
  return { ...counts, ...walk, at: undefined, tooSlow: [], hits: Array.from({ length: patterns }, hits) };
}

/**
 * Searches files line by line, with calls that wait: for a thread of its own. Changes `state`, which holds all that was found when it
 * ends. Throws what an expression throws that can't be run.
 */
export function searchFiles(job: SearchJob, state: SearchState, progress: SearchProgress): void {
  const search = new FileSearch(job, state, progress);
  const { roots, glob, place } = job;
  if (place.kind === "directory") {
    const choose = glob === undefined ? undefined : fileChoice(glob);
    const visit = (file: WalkedFile): boolean => search.visit(file);
    const enter = (shown: string) => search.enter(shown);
    walkFiles({ roots, from: place.path, choose, enter, visit, after: state.at, counts: state });
    return;
  }
  const folder = attempt(() => HeldFolder.open(roots, dirname(place.path)));
  if (folder === undefined) search.count("unreadable");
  else {
    search.visit({ folder, name: basename(place.path), shown: place.shown, below: [] });
    folder.close();
  }
}

class FileSearch {
  readonly #job: SearchJob;
  readonly #state: SearchState;
  readonly #progress: SearchProgress;
  readonly #matchers: readonly FileMatcher[];
  readonly #slow: ReadonlySet<string>;
  #kept = Date.now();
  readonly #buffer = Buffer.allocUnsafeSlow(pieceBytes);

  constructor(job: SearchJob, state: SearchState, progress: SearchProgress) {
    this.#job = job;
    this.#state = state;
    this.#progress = progress;
    this.#matchers = job.patterns.map((pattern) => new FileMatcher(pattern));
    this.#slow = new Set(job.slow);
  }

  /** Whether a folder is to be looked into. */
  enter(shown: string): "enter" | "skip" | "end" {
    if (!this.#goesOn(shown, Date.now())) return "end";
    this.#progress.begin(shown);
    return this.#slow.has(shown) ? "skip" : "enter";
  }

  /** Searches a file. False when the search is to end. */
  visit(file: WalkedFile): boolean {
    const { shown, below, name } = file;
    const state = this.#state;
    const now = Date.now();
    if (!this.#goesOn(shown, now)) return false;
    if (this.#slow.has(shown)) {
      state.tooSlow.push(shown);
      state.files++;
    } else {
      this.#progress.begin(shown);
      const fd = this.#open(file);
      try {
        if (fd !== undefined && !this.#search(fd, shown)) return false;
      } finally {
        if (fd !== undefined) closeSync(fd);
      }
    }
    // Milliseconds of work that may have to be done again when the thread is ended.
    if (now - this.#kept > 100) {
      state.at = [...below, name];
      this.#progress.keep(state);
      this.#kept = now;
    }
    return true;
  }

  #open({ folder, name }: WalkedFile): number | undefined {
    try {
      return folder.open(name);
    } catch (error) {
      // One that is gone, or a link by now, is none of the files in question.
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ELOOP") this.count("unreadable");
      return undefined;
    }
  }

  /** Searches a file piece by piece. False when time was over before its end. */
  #search(fd: number, shown: string): boolean {
    const { maxBytes, place, until } = this.#job;
    let size: number | undefined;
    for (let done = 0; ; this.#progress.begin(shown)) {
      const bytes = this.#read(fd, (size ?? pieceBytes) - done);
      // Small files have their size from reading them: to ask for it takes longer.
      size ??= bytes === undefined || bytes.length < pieceBytes ? bytes?.length : sizeOf(fd);
      if (bytes === undefined || size === undefined) return this.count("unreadable");
      if (place.kind === "directory" && size > maxBytes) return this.count("large");
      const head = bytes.length > binaryBytes ? bytes.subarray(0, binaryBytes) : bytes;
      const isBinary = bytes.includes(0) || (done === 0 && looksBinary(head));
      // Of a file that isn't large, reading says the same: it is binary, whatever stands before that.
      if (isBinary && (done === 0 || size <= maxBytes)) return this.count("binary");
      const isOver = done > 0 && Date.now() >= until;
      if (isBinary || isOver) {
        this.#match(Buffer.alloc(0), shown, false, true);
        this.#state.stoppedIn = { file: shown, bytes: done, size, why: isBinary ? "binary" : "time" };
        if (!isBinary) return this.#stop(shown, "time");
        this.#state.files++;
        return true;
      }
      const isLast = bytes.length === 0 || done + bytes.length >= size;
      this.#match(bytes, shown, done === 0, isLast);
      done += bytes.length;
      if (isLast) return this.count("looked");
    }
  }

  /** The next bytes of a file, as many as a piece takes; they last until the next call. */
  #read(fd: number, most: number): Buffer | undefined {
    let length = 0;
    try {
      for (let read = 1; read > 0 && length < Math.min(most, pieceBytes); length += read) {
        read = readSync(fd, this.#buffer, length, Math.min(most, pieceBytes) - length, null);
      }
    } catch {
      return undefined;
    }
    return this.#buffer.subarray(0, length);
  }

  #match(bytes: Buffer, file: string, isFirst: boolean, isLast: boolean): void {
    const { hits } = this.#state;
    for (let index = 0; index < hits.length; index++) {
      const [hit, matcher] = [hits[index] as Hits, this.#matchers[index] as FileMatcher];
      if (index > 0 && hits[0]?.matches !== 0) return;
      if (isFirst && isLast && matcher.lacks(bytes)) continue;
      if (isFirst) matcher.begin(mostMatches - hit.lines.length);
      const { count, lines, doubtful, inParts } = matcher.take(bytes, isLast);
      if (!isLast) continue;
      hit.matches += count;
      if (count > 0) hit.files++;
      else if (doubtful) hit.doubtful++;
      hit.inParts ||= inParts;
      for (const line of lines) hit.lines.push({ file, ...line });
    }
  }

  /** False when the search is to end before a file or folder. */
  #goesOn(shown: string, now: number): boolean {
    const { tooSlow, hits } = this.#state;
    if (tooSlow.length === mostSlow) return this.#stop(shown, "slow");
    if (now >= this.#job.until) return this.#stop(shown, "time");
    return (hits[0]?.matches ?? 0) < mostCounted || this.#stop(shown, "matches");
  }

  #stop(shown: string, why: "time" | "slow" | "matches"): false {
    Object.assign(this.#state, { stoppedAt: shown, why });
    return false;
  }

  /** A file that the search went past. */
  count(what: "looked" | "large" | "binary" | "unreadable"): true {
    this.#state[what]++;
    this.#state.files++;
    return true;
  }
}

/** Bytes of a regular file. */
function sizeOf(fd: number): number | undefined {
  const stats = fstatSync(fd);
  return stats.isFile() ? stats.size : undefined;
}
