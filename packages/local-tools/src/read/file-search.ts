import { closeSync } from "node:fs";
import { codeOf } from "@toolglot/internal";
import { pieceDecoder } from "../encodings/codecs.ts";
import { EncodingFinder, formByMark } from "../encodings/detect.ts";
import { type TextForm, utf8 } from "../encodings/encodings.ts";
import { Utf8Pieces } from "../files/text.ts";
import type { WalkedFile } from "../files/walk.ts";
import { FileMatcher } from "./file-matcher.ts";
import { FilePieces, pieceBytes, sizeOf } from "./file-pieces.ts";
import {
  type Hits,
  joinState,
  maxCounted,
  maxMatches,
  type SearchJob,
  type SearchProgress,
  type SearchState,
  searchBegins,
} from "./search-state.ts";

/** Files that may take too long before it's plain that the pattern is to blame. */
const maxSlow = 3;
/** Bytes at a file's beginning by which its encoding is found out. */
const judgedBytes = 32 * 1024 * 1024;

/** After so many files of which the encoding was found out it takes less time to look for a text as it stands in every encoding. */
const maxOthers = 50;

/** What of a file's place a search of it needs. */
export type SearchedFile = Pick<WalkedFile, "folder" | "name" | "shown">;

/** Of this thread's search before. */
let finder: EncodingFinder | undefined;

export class FileSearch {
  readonly #job: SearchJob;
  #state: SearchState;
  readonly #progress: SearchProgress;
  readonly #matchers: readonly FileMatcher[];
  readonly #slow: ReadonlySet<string>;
  /** Lines that are wanted, for each pattern. */
  #room: readonly number[];
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
    this.#room = job.patterns.map(() => maxMatches);
    const { roots, encodings = { roots, encodings: undefined, isChinese: false } } = job;
    this.#encodings = finder = new EncodingFinder(encodings, finder);
  }

  /** Checks whether a folder is to be looked into. */
  enter(shown: string): "enter" | "skip" | "end" {
    if (!this.#goesOn(shown, Date.now())) return "end";
    this.#progress.begin(shown);
    return this.#slow.has(shown) ? "skip" : "enter";
  }

  /** Searches a file. False when the search is to end. */
  visit(file: WalkedFile): boolean {
    const now = Date.now();
    Object.assign(this.#state, file.counts);
    if (!this.#take(file, now)) return false;
    this.#keep(file, now);
    return true;
  }

  /** Returns what some files hold, apart from all others; undefined when one ends the search or takes too long. `room`: lines wanted of each pattern. */
  apart(files: readonly SearchedFile[], room: readonly number[]): SearchState | undefined {
    const [state, before] = [this.#state, this.#room];
    const own = searchBegins(room.length);
    [this.#state, this.#room] = [own, room];
    try {
      return files.every((file) => this.#take(file, Date.now())) && own.tooSlow.length === 0 ? own : undefined;
    } finally {
      [this.#state, this.#room] = [state, before];
    }
  }

  /** Takes what files hold that come next, and were searched apart. False: they are to be visited instead. */
  join(files: readonly WalkedFile[], found: SearchState): boolean {
    const last = files.at(-1);
    if (last === undefined || !joinState(this.#state, found)) return false;
    Object.assign(this.#state, last.counts);
    this.#keep(last, Date.now());
    return true;
  }

  /** How many lines of each pattern are wanted still. */
  get room(): number[] {
    return this.#state.hits.map(({ lines }) => maxMatches - lines.length);
  }

  #take(file: SearchedFile, now: number): boolean {
    const { shown } = file;
    if (!this.#goesOn(shown, now)) return false;
    if (this.#slow.has(shown)) {
      this.#state.tooSlow.push(shown);
      this.#state.files++;
      return true;
    }
    this.#progress.begin(shown);
    const fd = this.#open(file);
    try {
      return fd === undefined || this.#search(fd, file);
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  /** Makes known how far the search came. */
  #keep({ below, name }: WalkedFile, now: number): void {
    // Milliseconds of work that may have to be done again when the thread is ended.
    if (now - this.#kept <= 100) return;
    this.#state.at = [...below, name];
    this.#progress.keep(this.#state);
    this.#kept = now;
  }

  #open({ folder, name }: SearchedFile): number | undefined {
    try {
      return folder.open(name);
    } catch (error) {
      // One that is gone, or a link by now, is none of the files in question.
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ELOOP") this.count("unreadable");
      return undefined;
    }
  }

  /** Searches a file piece by piece, as UTF-8 if it is. False when time was over before its end. */
  #search(fd: number, file: SearchedFile): boolean {
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
      // Reading a file that isn't large has the same outcome: it is binary, whatever stands before that.
      if (isBinary && size <= maxBytes) return this.count("binary");
      if (isBinary || this.#isOver(done)) return this.#leave(shown, done, size, isBinary ? "binary" : "time");
      const isLacking = (): boolean => this.#matchers.every((matcher) => matcher.wanted.lacks(bytes));
      const isAbsent = (): boolean => isLacking() || (this.#others >= maxOthers && this.#lacksInAll(bytes, shown));
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
    return this.#matchers.every((matcher) => matcher.wanted.lacksInAll(bytes, tick));
  }

  /** Searches a file that is not plain UTF-8, from its beginning. */
  #searchOther(fd: number, file: SearchedFile, size: number): boolean {
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
      if (isFirst) matcher.begin((this.#room[index] as number) - (hits[index] as Hits).lines.length);
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
      const mayLack = form?.guessed === true && (this.#matchers[index] as FileMatcher).wanted.isDoubtful();
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

  /** Returns false when the search is to end before a file or folder. */
  #goesOn(shown: string, now: number): boolean {
    const { tooSlow, hits } = this.#state;
    if (tooSlow.length === maxSlow) return this.#stop(shown, "slow");
    if (now >= this.#job.until) return this.#stop(shown, "time");
    return (hits[0]?.matches ?? 0) < maxCounted || this.#stop(shown, "matches");
  }

  #stop(shown: string, why: "time" | "slow" | "matches"): false {
    Object.assign(this.#state, { stoppedAt: shown, why });
    return false;
  }

  /** Returns a file that the search went past. */
  count(what: "looked" | "large" | "binary" | "unreadable"): true {
    this.#state[what]++;
    this.#state.files++;
    return true;
  }
}

function pathOf({ folder, name }: SearchedFile): string {
  return folder.pathOf(name);
}
