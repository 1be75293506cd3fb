import { closeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { pieceDecoder } from "../encodings/codecs.ts";
import { EncodingFinder, type EncodingSettings, formByMark } from "../encodings/detect.ts";
import { type TextForm, utf8 } from "../encodings/encodings.ts";
import { attempt, codeOf } from "../errors.ts";
import { HeldFolder } from "../files/held-folder.ts";
import { Utf8Pieces } from "../files/utf8-pieces.ts";
import { type WalkCounts, type WalkedFile, walkFiles } from "../files/walk.ts";
import { fileChoice } from "./file-choice.ts";
import { FileMatcher, type MatchedLine } from "./file-matcher.ts";
import { FilePieces, pieceBytes, sizeOf } from "./file-pieces.ts";
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
  /** What decides about the encodings of files. Default: nothing is preferred. */
  encodings?: EncodingSettings;
}

/** What of a pattern was found. */
export interface Hits {
  matches: number;
  /** Files with a match. */
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
/** Bytes at a file's beginning by which its encoding is found out. */
const judgedBytes = 32 * 1024 * 1024;

/** After so many files of which the encoding was found out it takes less time to look for a text as it stands in every encoding. */
const someOthers = 50;

/** The state of a search that has not begun. */
export function searchBegins(patterns: number): SearchState {
  const hits = (): Hits => ({ matches: 0, files: 0, lines: [], doubtful: 0, guessed: 0, replaced: 0, inParts: false });
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
  readonly #pieces = new FilePieces();
  readonly #encodings: EncodingFinder;
  /** Files of which the encoding was found out. */
  #others = 0;

  constructor(job: SearchJob, state: SearchState, progress: SearchProgress) {
    this.#job = job;
    this.#state = state;
    this.#progress = progress;
    this.#matchers = job.patterns.map((pattern) => new FileMatcher(pattern));
    this.#slow = new Set(job.slow);
    const { roots, encodings = { roots, encodings: undefined, isChinese: false } } = job;
    this.#encodings = new EncodingFinder(encodings);
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
        if (fd !== undefined && !this.#search(fd, file)) return false;
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

  /** Searches a file piece by piece, as UTF-8 if it is. False when time was over before its end. */
  #search(fd: number, file: WalkedFile): boolean {
    const { maxBytes, place } = this.#job;
    const { shown } = file;
    const pieces = new Utf8Pieces();
    let [size, isUtf8] = [undefined as number | undefined, true];
    for (let done = 0; ; this.#progress.begin(shown)) {
      const bytes = this.#pieces.read(fd, done, (size ?? pieceBytes) - done);
      // Small files have their size from reading them: to ask for it takes longer.
      size ??= bytes === undefined || bytes.length < pieceBytes ? bytes?.length : sizeOf(fd);
      if (bytes === undefined || size === undefined) return this.count("unreadable");
      if (place.kind === "directory" && size > maxBytes) return this.count("large");
      const [isFirst, isLast] = [done === 0, bytes.length === 0 || done + bytes.length >= size];
      const isBinary = bytes.includes(0);
      if (isFirst && isBinary && this.#encodings.isPlainlyBinary(bytes, pathOf(file))) return this.count("binary");
      if (isFirst && (isBinary || formByMark(bytes)?.encoding.width === 2)) return this.#searchOther(fd, file, size);
      // Of a file that isn't large, reading says the same: it is binary, whatever stands before that.
      if (isBinary && size <= maxBytes) return this.count("binary");
      if (isBinary || this.#isOver(done)) return this.#leave(shown, done, size, isBinary ? "binary" : "time");
      const isLacking = (): boolean => this.#matchers.every((matcher) => matcher.lacks(bytes));
      const isAbsent = (): boolean => isLacking() || (this.#others >= someOthers && this.#lacksInAll(bytes, shown));
      if (!isFirst || !isLast || !isAbsent()) {
        isUtf8 = isUtf8 && pieces.take(bytes) && (!isLast || pieces.end());
        if (!isUtf8 && !isLacking()) return this.#searchOther(fd, file, size);
        this.#match(bytes, isFirst, isLast);
        // What lies in two pieces.
        if (isLast && !isUtf8 && this.#isFound()) return this.#searchOther(fd, file, size);
        if (isLast) this.#add(shown);
      }
      done += bytes.length;
      if (isLast) return this.count("looked");
    }
  }

  #lacksInAll(bytes: Buffer, shown: string): boolean {
    const tick = (): void => this.#progress.begin(shown);
    return this.#matchers.every((matcher) => matcher.lacksInAll(bytes, tick));
  }

  /** Searches a file that is not plain UTF-8, from its beginning. */
  #searchOther(fd: number, file: WalkedFile, size: number): boolean {
    this.#others++;
    const { shown } = file;
    const tick = (): void => this.#progress.begin(shown);
    const head = this.#pieces.head(fd, Math.min(size, judgedBytes), tick);
    if (head === undefined) return this.count("unreadable");
    const found = this.#encodings.find(head, { path: pathOf(file), isWhole: head.length >= size, tick });
    if ("kind" in found && found.kind === "binary") return this.count("binary");
    const form: TextForm | undefined = "kind" in found ? undefined : found;
    const decoder = form === undefined || form.encoding === utf8 ? undefined : pieceDecoder(form.encoding);
    const start = form?.mark ?? 0;
    for (let done = start; ; tick()) {
      const bytes = this.#pieces.read(fd, done, size - done);
      if (bytes === undefined) return this.count("unreadable");
      if (this.#isOver(done - start)) return this.#leave(shown, done, size, "time", form);
      const isLast = bytes.length === 0 || done + bytes.length >= size;
      const text = decoder && Buffer.from(decoder.write(bytes) + (isLast ? decoder.end() : ""));
      this.#match(text ?? bytes, done === start, isLast, decoder !== undefined);
      done += bytes.length;
      if (!isLast) continue;
      this.#add(shown, form);
      return this.count("looked");
    }
  }

  /** `isDecoded`: U+FFFD stands for what the file's own encoding could not be decoded from. */
  #match(bytes: Buffer, isFirst: boolean, isLast: boolean, isDecoded = false): void {
    const { hits } = this.#state;
    for (const [index, matcher] of this.#matchers.entries()) {
      if (isFirst) matcher.begin(mostMatches - (hits[index] as Hits).lines.length);
      if (index === 0 || hits[0]?.matches === 0) matcher.take(bytes, isLast, isDecoded);
    }
  }

  #isFound(): boolean {
    return this.#matchers.some(({ found }) => found.count > 0);
  }

  /** What was found in a file, of a form that is given unless it is plain UTF-8, or of none that is known. */
  #add(file: string, form?: TextForm): void {
    const { hits } = this.#state;
    for (const [index, hit] of hits.entries()) {
      if (index > 0 && hits[0]?.matches !== 0) return;
      const { count, lines, doubtful, replaced, inParts } = (this.#matchers[index] as FileMatcher).found;
      const mayLack = form?.guessed === true && (this.#matchers[index] as FileMatcher).isDoubtful();
      hit.matches += count;
      if (count > 0) hit.files++;
      else if (doubtful || mayLack) hit.doubtful++;
      if (count > 0 && form?.guessed) hit.guessed++;
      if (replaced) hit.replaced++;
      hit.inParts ||= inParts;
      for (const line of lines) hit.lines.push({ file, ...line });
    }
  }

  /** Time is over, and a piece of a file was searched. */
  #isOver(done: number): boolean {
    return done > 0 && Date.now() >= this.#job.until;
  }

  /** Keeps what was found in a file up to here. False when the search is to end. */
  #leave(shown: string, bytes: number, size: number, why: "time" | "binary", form?: TextForm): boolean {
    this.#match(Buffer.alloc(0), false, true);
    this.#add(shown, form);
    this.#state.stoppedIn = { file: shown, bytes, size, why };
    if (why === "time") return this.#stop(shown, "time");
    this.#state.files++;
    return true;
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

function pathOf({ folder, name }: WalkedFile): string {
  return folder.pathOf(name);
}
