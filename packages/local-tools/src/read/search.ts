import { dirname } from "node:path";
import { protectedReason } from "../edit/protected.ts";
import { localError } from "../errors.ts";
import type { Place, Roots } from "../roots/roots.ts";
import { inMessage, needsQuotes, quoted } from "../roots/words.ts";
import { fileChoice } from "./file-choice.ts";
import { type FileMatches, Matcher, MatchFault } from "./match-worker.ts";
import { type Pattern, readLiterally, readPattern } from "./pattern.ts";
import { filesWith, findRipgrep } from "./ripgrep.ts";
import type { ReadPart, TextSearch } from "./types.ts";
import { type Walk, type WalkedFile, walkFiles } from "./walk.ts";
import { counted, several, sized } from "./words.ts";

/** Bounds and ways of a search. */
export interface SearchOptions {
  roots: Roots;
  maxText: number;
  maxBytes: number;
  ripgrep?: string | false;
  signal?: AbortSignal;
  /** Milliseconds that one file may take; a pattern can be one that never comes to an end. Default 5,000. */
  filePatience?: number;
}

/** Lines shown. */
const mostMatches = 200;
/** UTF-16 units of a line. */
const longestLine = 300;
/** Milliseconds for all of a search. */
const patience = 30_000;
/** Files that may take too long before it's plain that the pattern is to blame. */
const mostSlow = 3;
/** Files read in advance. */
const ahead = 8;

/** What a search came to. */
interface Outcome {
  found: { file: WalkedFile; matches: FileMatches }[];
  /** Files that took too long. */
  tooSlow: WalkedFile[];
  /** Neither this one nor those after it were looked at. */
  stoppedAt?: WalkedFile;
}

/** Searches files line by line. See `Reader.search`. */
export async function searchText(search: TextSearch, options: SearchOptions): Promise<ReadPart> {
  const { signal, roots } = options;
  signal?.throwIfAborted();
  const read = readPattern(search.pattern);
  const place = await roots.locate(search.src ?? roots.base);
  const until = Date.now() + patience;
  const walk = await filesOf(search, place, until, options);
  const files = walk.files.filter(({ size }) => size <= options.maxBytes);
  const lookFor = async (pattern: Pattern): Promise<Outcome> =>
    lookInto(await worthLooking(files, place, pattern, until, options), pattern, until, options);
  const outcome = await lookFor(read);
  const asItStands = read.literal === undefined && cameToNothing(outcome) ? readLiterally(search.pattern) : undefined;
  const second = asItStands === undefined ? undefined : await lookFor(asItStands);
  return second === undefined || second.found.length === 0
    ? told(search, read.note, walk, files.length, outcome, options)
    : told(search, "no line fits it as a regular expression; found as it stands", walk, files.length, second, options);
}

/** All was looked at, and nothing fits: `call(x)` is an expression that fits `callx`, and was meant as it stands. */
function cameToNothing({ found, tooSlow, stoppedAt }: Outcome): boolean {
  return found.length === 0 && tooSlow.length === 0 && stoppedAt === undefined;
}

async function filesOf(search: TextSearch, place: Place, until: number, options: SearchOptions): Promise<Walk> {
  const { roots, signal } = options;
  const called = inMessage(search.src ?? ".");
  if (place.kind === "missing") throw localError("NotFound", `There is no ${called}.`);
  if (place.kind === "other") throw localError("NotAFile", `${called} is no regular file.`);
  const choice = fileChoice(search.glob);
  const choose = ({ below, shown }: { below: readonly string[]; shown: string }): boolean =>
    choice(below, shown.split("/").filter(Boolean));
  if (place.kind === "directory") {
    const stop = (): boolean => Date.now() > until;
    return walkFiles(roots, place.path, { choose, stop, ...(signal === undefined ? {} : { signal }) });
  }
  const walk: Walk = { files: [], protectedFiles: 0, unreadable: 0, stopped: false };
  const file = { path: place.path, shown: place.shown, below: place.path.split(/[\\/]/).slice(-1) };
  if ((protectedReason(place.shown) ?? protectedReason(search.src ?? "")) !== undefined) walk.protectedFiles = 1;
  else if (choose(file)) {
    const opened = await roots.openPlace(place.path, search.src);
    walk.files.push({ ...file, size: opened.stats.size });
    await opened.close();
  }
  return walk;
}

/** The files that may hold a match, when ripgrep can tell, or else all. */
async function worthLooking(
  files: WalkedFile[],
  place: Place,
  pattern: Pattern,
  until: number,
  { roots, ripgrep, signal }: SearchOptions,
): Promise<WalkedFile[]> {
  const { needles } = pattern;
  if (needles === undefined || ripgrep === false || files.length === 0) return files;
  const program = ripgrep ?? (await findRipgrep(roots));
  if (program === undefined) return files;
  const folder = place.kind === "directory" ? place.path : dirname(place.path);
  const below = (file: WalkedFile): string => file.below.join("/");
  const holding = await filesWith(program, {
    needles,
    ignoreCase: pattern.flags?.includes("i") === true,
    folder,
    files: files.map(below),
    patience: Math.max(0, until - Date.now()) / 2,
    ...(signal === undefined ? {} : { signal }),
  });
  return holding === undefined ? files : files.filter((file) => holding.has(below(file)));
}

async function lookInto(
  files: WalkedFile[],
  pattern: Pattern,
  until: number,
  options: SearchOptions,
): Promise<Outcome> {
  const outcome: Outcome = { found: [], tooSlow: [] };
  const { signal, filePatience = 5000 } = options;
  let matcher: Matcher | undefined;
  const stop = (): void => void matcher?.close();
  signal?.addEventListener("abort", stop, { once: true });
  const reading: Promise<Uint8Array | undefined>[] = [];
  let shown = 0;
  try {
    for (const [at, file] of files.entries()) {
      if (Date.now() > until || outcome.tooSlow.length === mostSlow) {
        outcome.stoppedAt = file;
        break;
      }
      // The next files are read while one is searched.
      while (reading.length < Math.min(files.length, at + ahead)) {
        reading.push(bytesOf(files[reading.length] as WalkedFile, options));
      }
      const bytes = await (reading[at] as Promise<Uint8Array | undefined>);
      // Let go of what was read.
      reading[at] = Promise.resolve(undefined);
      signal?.throwIfAborted();
      if (bytes === undefined) continue;
      matcher ??= new Matcher(pattern, { maxLines: mostMatches, maxLine: longestLine, patience: filePatience });
      const matches = await matcher.search(bytes).catch((error: unknown) => notSearched(error, signal));
      if (matches === undefined) {
        outcome.tooSlow.push(file);
        matcher = undefined;
        continue;
      }
      if (matches.count === 0) continue;
      if (shown >= mostMatches) matches.lines = [];
      shown += matches.lines.length;
      outcome.found.push({ file, matches });
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    await Promise.allSettled([...reading, matcher?.close()]);
  }
  return outcome;
}

/** A file that took too long is passed over; everything else ends the search. */
function notSearched(error: unknown, signal: AbortSignal | undefined): undefined {
  signal?.throwIfAborted();
  if (!(error instanceof MatchFault)) throw error;
  if (error.reason === "pattern")
    throw localError("InvalidPattern", `The pattern can't be searched for: ${error.message}.`);
  return undefined;
}

/** All of a file; undefined when it is gone, or may not be read, or has become something else. */
async function bytesOf(file: WalkedFile, { roots, maxBytes }: SearchOptions): Promise<Uint8Array | undefined> {
  const opened = await roots.openPlace(file.path).catch(() => undefined);
  if (opened === undefined) return undefined;
  try {
    const { size } = opened.stats;
    if (size === 0 || size > maxBytes) return undefined;
    const bytes = new Uint8Array(size);
    let length = 0;
    for (let read = 1; read > 0 && length < size; length += read) {
      read = (await opened.handle.read(bytes, length, size - length, length)).bytesRead;
    }
    return length === size ? bytes : bytes.slice(0, length);
  } catch {
    return undefined;
  } finally {
    await opened.close();
  }
}

/** What the model is told. */
function told(
  search: TextSearch,
  note: string | undefined,
  walk: Walk,
  files: number,
  outcome: Outcome,
  options: SearchOptions,
): ReadPart {
  const { found, tooSlow, stoppedAt } = outcome;
  const { lines, left } = matchLines(found, options.maxText);
  const matches = found.reduce((sum, { matches }) => sum + matches.count, 0);
  const where = `${quoted(search.pattern)}${search.src === undefined ? "" : ` in ${inMessage(search.src)}`}`;
  const result =
    matches === 0
      ? `no match in ${several(files, "file")}`
      : `${several(matches, "match", "matches")} in ${several(found.length, "file")}`;
  const facts = [
    left > 0 ? `the first ${counted(lines.length)} by path are shown, ${counted(left)} left out` : "",
    note ?? "",
    walk.protectedFiles > 0 ? `${several(walk.protectedFiles, "protected file")} left out` : "",
    walk.files.length > files
      ? `${several(walk.files.length - files, "file")} of more than ${sized(options.maxBytes)} left out`
      : "",
    walk.unreadable > 0 ? `${several(walk.unreadable, "directory", "directories")} could not be read` : "",
    walk.stopped ? "there are more files than were looked at; name a directory or a glob" : "",
    tooSlow.length > 0
      ? `the pattern takes too long on ${tooSlow.map((file) => inMessage(file.shown)).join(", ")}; write it simpler`
      : "",
    stoppedAt === undefined ? "" : `stopped before ${inMessage(stoppedAt.shown)}`,
  ].filter(Boolean);
  return {
    kind: "search",
    of: search.pattern,
    head: [`${where}: ${result}`, ...facts].join("; "),
    text: lines.map((line) => `${line}\n`).join(""),
    cut: left > 0 || walk.stopped || tooSlow.length > 0 || stoppedAt !== undefined,
  };
}

function matchLines(found: Outcome["found"], maxText: number): { lines: string[]; left: number } {
  const lines: string[] = [];
  let left = 0;
  let room = maxText;
  for (const { file, matches } of found) {
    const name = needsQuotes(file.shown) ? quoted(file.shown) : file.shown;
    let shown = 0;
    for (const { line, text } of matches.lines) {
      const whole = `${name}:${line}: ${text}`;
      room -= whole.length + 1;
      if (room < 0 || lines.length === mostMatches) break;
      lines.push(whole);
      shown++;
    }
    left += matches.count - shown;
    // What comes later would look as if nothing had been left out before it.
    if (shown < matches.lines.length) room = 0;
  }
  return { lines, left };
}
