import { onAbort } from "@toolglot/internal";
import { localError, notAFile } from "../errors.ts";
import { looksBinary } from "../files/file-kind.ts";
import { type Walk, type WalkedFile, walkFiles } from "../files/walk.ts";
import { inMessage } from "../messages.ts";
import { protectedReason } from "../policy.ts";
import type { OpenedFile } from "../roots/pinned-folder.ts";
import type { Place, Roots } from "../roots/roots.ts";
import { fileChoice } from "./file-choice.ts";
import { type FileMatches, Matcher, MatchFault } from "./match-worker.ts";
import { type Pattern, readLiterally, readPattern } from "./pattern.ts";
import { filesWith, findRipgrep } from "./ripgrep.ts";
import { mostMatches, type SearchOutcome, searchReport } from "./search-report.ts";
import type { ReadPart, TextSearch } from "./types.ts";

/** Bounds and ways of a search. */
export interface SearchOptions {
  roots: Roots;
  maxChars: number;
  maxBytes: number;
  ripgrep?: string | false | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds that one file, or a million bytes of a large one, may take; a pattern can be one that never comes to an end. Default 5,000. */
  fileTimeoutMs?: number;
  /** Milliseconds for all of a search. Default 30,000. */
  timeoutMs?: number;
}

/** UTF-16 units of a line. */
const longestLine = 300;
/** Bytes of a file that are read at one time. */
const pieceBytes = 1 << 20;
/** Files that may take too long before it's plain that the pattern is to blame. */
const mostSlow = 3;
/** Bytes at a file's beginning by which it is judged. */
const binaryBytes = 256 * 1024;
/** Files read in advance. */
const ahead = 8;

/** Searches files line by line. See `Reader.search`. */
export async function searchText(search: TextSearch, options: SearchOptions): Promise<ReadPart> {
  const { signal, roots } = options;
  signal?.throwIfAborted();
  const read = readPattern(search.pattern);
  const place = await roots.locate(search.src ?? roots.base);
  const { timeoutMs = 30_000 } = options;
  const begun = Date.now();
  const until = begun + timeoutMs;
  // Finding files leaves some of the time for searching them.
  const walk = await filesOf(search, place, begun + (timeoutMs * 2) / 3, options);
  const files = place.kind === "file" ? walk.files : walk.files.filter(({ size }) => size <= options.maxBytes);
  const searchFor = async (pattern: Pattern): Promise<SearchOutcome> =>
    searchFiles(files, await filesWorthSearching(files, place, pattern, until, options), pattern, until, options);
  const outcome = await searchFor(read);
  const asItStands = read.literal === undefined && foundNothing(outcome) ? readLiterally(search.pattern) : undefined;
  const second = asItStands === undefined ? undefined : await searchFor(asItStands);
  const bounds = { maxChars: options.maxChars, maxBytes: options.maxBytes, timeoutMs };
  return second === undefined || second.found.length === 0
    ? searchReport(search, read.note, walk, outcome, bounds)
    : searchReport(search, "no line fits it as a regular expression; found as it stands", walk, second, bounds);
}

/** All was searched, and nothing fits: `call(x)` is an expression that fits `callx`, and was meant as it stands. */
function foundNothing({ found, tooSlow, stoppedAt }: SearchOutcome): boolean {
  return found.length === 0 && tooSlow.length === 0 && stoppedAt === undefined;
}

async function filesOf(search: TextSearch, place: Place, until: number, options: SearchOptions): Promise<Walk> {
  const { roots, signal } = options;
  const called = inMessage(search.src ?? ".");
  if (place.kind === "missing") throw localError("NotFound", `There is no ${called}.`);
  if (place.kind === "other") throw notAFile(search.src ?? ".");
  const choice = fileChoice(search.glob);
  const choose = ({ below, shown }: { below: readonly string[]; shown: string }): boolean =>
    choice(below, shown.split("/").filter(Boolean));
  if (place.kind === "directory") {
    const stop = (): boolean => Date.now() > until;
    return walkFiles(roots, place.path, { choose, stop, signal });
  }
  const walk: Walk = { files: [], protectedFiles: 0, ignored: 0, unreadable: 0, stopped: false, tooMany: false };
  const file = { path: place.path, shown: place.shown, below: place.path.split(/[\\/]/).slice(-1) };
  if ((protectedReason(place.shown) ?? protectedReason(search.src ?? "")) !== undefined) walk.protectedFiles = 1;
  else if (choose(file)) {
    await using opened = await roots.openPlace(place.path, search.src);
    walk.files.push({ ...file, size: opened.stats.size });
  }
  return walk;
}

/** The files that may hold a match, or may not be what they seem, when ripgrep knows them; undefined: all. */
async function filesWorthSearching(
  files: WalkedFile[],
  place: Place,
  pattern: Pattern,
  until: number,
  { roots, ripgrep, signal }: SearchOptions,
): Promise<ReadonlySet<string> | undefined> {
  const { needles } = pattern;
  if (needles === undefined || ripgrep === false || files.length === 0 || place.kind !== "directory") return undefined;
  const program = ripgrep ?? (await findRipgrep(roots));
  if (program === undefined) return undefined;
  return filesWith(program, {
    needles,
    ignoreCase: pattern.flags?.includes("i") === true,
    folder: place.path,
    files: files.map(below),
    timeoutMs: Math.max(0, until - Date.now()) / 2,
    signal,
  });
}

function below(file: WalkedFile): string {
  return file.below.join("/");
}

async function searchFiles(
  files: readonly WalkedFile[],
  worth: ReadonlySet<string> | undefined,
  pattern: Pattern,
  until: number,
  options: SearchOptions,
): Promise<SearchOutcome> {
  const outcome: SearchOutcome = {
    found: [],
    files: files.length,
    looked: 0,
    gone: 0,
    binary: 0,
    doubtful: 0,
    unreadable: 0,
    inParts: false,
    tooSlow: [],
  };
  const { signal, fileTimeoutMs = 5000 } = options;
  let matcher: Matcher | undefined;
  const matcherNow = (): Matcher => {
    matcher ??= new Matcher(pattern, { maxLines: mostMatches, maxLine: longestLine, timeoutMs: fileTimeoutMs });
    return matcher;
  };
  const stopListening = onAbort(signal, () => void matcher?.close());
  const reading: Promise<Content>[] = [];
  let shown = 0;
  try {
    for (const [at, file] of files.entries()) {
      if (Date.now() > until || outcome.tooSlow.length === mostSlow) {
        outcome.stoppedAt = file;
        break;
      }
      // The next files are read while one is searched.
      while (reading.length < Math.min(files.length, at + ahead)) {
        const next = files[reading.length] as WalkedFile;
        reading.push(worth?.has(below(next)) === false ? Promise.resolve("searched") : contentOf(next, options));
      }
      const content = await (reading[at] as Promise<Content>);
      // Let go of what was read.
      reading[at] = Promise.resolve("searched");
      signal?.throwIfAborted();
      const seen = await searchFile(content, file, matcherNow, until, options).catch((error: unknown) =>
        notSearched(error, signal),
      );
      outcome.gone++;
      if (seen === undefined) {
        outcome.tooSlow.push(file);
        matcher = undefined;
        continue;
      }
      const { matches, state } = seen;
      if (state === "whole") outcome.looked++;
      else if (state === "binary" || state === "unreadable") outcome[state]++;
      else outcome.stoppedIn = state;
      if (matches.doubtful && matches.count === 0) outcome.doubtful++;
      outcome.inParts ||= matches.inParts;
      if (matches.count > 0) {
        if (shown >= mostMatches) matches.lines = [];
        shown += matches.lines.length;
        outcome.found.push({ file, matches });
      }
      if (typeof state === "object" && state.why === "time") {
        outcome.stoppedAt = file;
        outcome.gone--;
        break;
      }
    }
  } finally {
    stopListening();
    await Promise.allSettled([...reading, matcher?.close()]);
  }
  return outcome;
}

/** All of a small file; `large`: to be read piece by piece; `searched`: it is known to hold nothing. */
type Content = Uint8Array | "large" | "unreadable" | "searched";

/** What came of one file. */
interface Seen {
  matches: FileMatches;
  /** `whole`: looked at to its end; an object: up to a place. */
  state: "whole" | "binary" | "unreadable" | NonNullable<SearchOutcome["stoppedIn"]>;
}

async function searchFile(
  content: Content,
  file: WalkedFile,
  matcher: () => Matcher,
  until: number,
  options: SearchOptions,
): Promise<Seen> {
  if (content === "searched" || content.length === 0) return { matches: nothing(), state: "whole" };
  if (content === "unreadable") return { matches: nothing(), state: "unreadable" };
  if (content !== "large") {
    if (looksBinary(content.subarray(0, binaryBytes)) || content.includes(0))
      return { matches: nothing(), state: "binary" };
    return { matches: await matcher().search(content), state: "whole" };
  }
  await using opened = await options.roots.openPlace(file.path).catch(() => undefined);
  if (opened === undefined) return { matches: nothing(), state: "unreadable" };
  return await searchLargeFile(opened, file, matcher(), until, options);
}

/** Searches a large file while it is read, one piece ahead. */
async function searchLargeFile(
  opened: OpenedFile,
  file: WalkedFile,
  matcher: Matcher,
  until: number,
  { maxBytes, signal }: SearchOptions,
): Promise<Seen> {
  const { size } = opened.stats;
  const read = (from: number): Promise<Uint8Array | undefined> =>
    piece(opened, from, Math.min(pieceBytes, size - from)).catch(() => undefined);
  let next = read(0);
  for (let done = 0; ; ) {
    const bytes = await next;
    signal?.throwIfAborted();
    const end = async (why: "time" | "binary"): Promise<Seen> => {
      const matches = await matcher.search(new Uint8Array(0));
      // Of a file that isn't large, reading says the same: it is binary, whatever stands before that.
      if (why === "binary" && (done === 0 || size <= maxBytes)) return { matches: nothing(), state: "binary" };
      return { matches, state: { file, bytes: done, size, why } };
    };
    if (bytes === undefined) {
      await matcher.search(new Uint8Array(0));
      return { matches: nothing(), state: "unreadable" };
    }
    if (bytes.includes(0) || (done === 0 && looksBinary(bytes.subarray(0, binaryBytes)))) return end("binary");
    if (Date.now() > until) return end("time");
    const last = bytes.length === 0 || done + bytes.length >= size;
    done += bytes.length;
    if (!last) next = read(done);
    const matches = await matcher.search(bytes, last);
    if (last) return { matches, state: "whole" };
  }
}

async function piece({ handle }: OpenedFile, from: number, most: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(most);
  let length = 0;
  for (let read = 1; read > 0 && length < most; length += read) {
    read = (await handle.read(bytes, length, most - length, from + length)).bytesRead;
  }
  return length === most ? bytes : bytes.slice(0, length);
}

function nothing(): FileMatches {
  return { count: 0, lines: [], doubtful: false, inParts: false };
}

/** A file that took too long is passed over; everything else ends the search. */
function notSearched(error: unknown, signal: AbortSignal | undefined): undefined {
  signal?.throwIfAborted();
  if (!(error instanceof MatchFault)) throw error;
  if (error.reason === "pattern")
    throw localError("InvalidPattern", `The pattern can't be searched for: ${error.message}.`);
  return undefined;
}

/** What a file holds, unless it is gone by now, or may not be read, or has become something else. */
async function contentOf(file: WalkedFile, { roots, maxBytes }: SearchOptions): Promise<Content> {
  await using opened = await roots.openPlace(file.path).catch(() => undefined);
  if (opened === undefined) return "unreadable";
  const { size } = opened.stats;
  return size > Math.min(pieceBytes, maxBytes)
    ? "large"
    : await piece(opened, 0, size).catch(() => "unreadable" as const);
}
