import type { Walk, WalkedFile } from "../files/walk.ts";
import { counted, inMessage, needsQuotes, quoted, several, sized } from "../messages.ts";
import type { FileMatches } from "./match-worker.ts";
import type { LeftOut, ReadPart, TextSearch } from "./types.ts";

/** What searching files came to. */
export interface SearchOutcome {
  found: { file: WalkedFile; matches: FileMatches }[];
  /** Files to be searched. */
  files: number;
  /** Files that were searched to their end. */
  looked: number;
  /** Files that the search came to and went past. */
  gone: number;
  binary: number;
  unreadable: number;
  /** Files without a match in which there may be one all the same, since they are not UTF-8. */
  doubtful: number;
  /** An expression was tried on a very long line in parts. */
  inParts: boolean;
  /** Files that took too long. */
  tooSlow: WalkedFile[];
  /** The search ended before this one was searched, or to its end. */
  stoppedAt?: WalkedFile;
  /** A large file that was searched up to a place, and why not further. */
  stoppedIn?: { file: WalkedFile; bytes: number; size: number; why: "time" | "binary" };
}

/** Bounds that a report mentions. */
interface SearchBounds {
  maxChars: number;
  maxBytes: number;
  timeoutMs: number;
}

/** Lines shown. */
export const mostMatches = 200;

/** The report for the model. It says "no match" only when everything was searched. */
export function searchReport(
  search: TextSearch,
  note: string | undefined,
  walk: Walk,
  outcome: SearchOutcome,
  bounds: SearchBounds,
): ReadPart {
  const { found, tooSlow, stoppedAt, stoppedIn } = outcome;
  const { lines, left: hidden } = matchLines(found, bounds.maxChars);
  const matches = found.reduce((sum, { matches: { count } }) => sum + count, 0);
  const left = leftOut(walk, outcome, hidden);
  const stopped = stoppedAt !== undefined || walk.stopped;
  const unseen = left.filter(({ reason }) => reason !== "matches");
  const where = `${quoted(search.pattern)}${search.src === undefined ? "" : ` in ${inMessage(search.src)}`}`;
  const within = searchedText(walk, outcome, stopped);
  const result =
    matches > 0
      ? `${several(matches, "match", "matches")} in ${several(found.length, "file")}${stopped ? `; looked into ${within}` : ""}`
      : `${unseen.length === 0 ? "no match" : "nothing found"} in ${within}`;
  const large = walk.files.length - outcome.files;
  const facts = [
    stopped ? whyStopped(walk, outcome, bounds) : "",
    hidden > 0 ? `the first ${counted(lines.length)} by path are shown, ${counted(hidden)} left out` : "",
    note ?? "",
    walk.protectedFiles > 0 ? `${several(walk.protectedFiles, "protected file")} left out` : "",
    large > 0
      ? `${several(large, "file")} of more than ${sized(bounds.maxBytes)} left out${matches === 0 ? "; name one to search it" : ""}`
      : "",
    outcome.binary > 0 ? `${several(outcome.binary, "binary file")} left out` : "",
    outcome.doubtful > 0 ? `${several(outcome.doubtful, "file")} not UTF-8, searched as far as it can be read` : "",
    walk.unreadable > 0 ? `${several(walk.unreadable, "directory", "directories")} could not be read` : "",
    outcome.unreadable > 0 ? `${several(outcome.unreadable, "file")} could not be read` : "",
    matches === 0 && walk.ignored > 0
      ? `${several(walk.ignored, "ignored file or folder", "ignored files and folders")} left out; name one to search it`
      : "",
    outcome.inParts ? "lines of over a million characters were searched in parts" : "",
    tooSlow.length > 0
      ? `the pattern takes too long on ${tooSlow.map((file) => inMessage(file.shown)).join(", ")}; write it simpler`
      : "",
    stoppedIn === undefined
      ? ""
      : `${inMessage(stoppedIn.file.shown)} looked at up to ${sized(stoppedIn.bytes)} of ${sized(stoppedIn.size)}${stoppedIn.why === "binary" ? ": what follows is binary" : ""}`,
    stoppedAt === undefined || stoppedIn?.file === stoppedAt ? "" : `stopped before ${inMessage(stoppedAt.shown)}`,
  ].filter(Boolean);
  return {
    kind: "search",
    of: search.pattern,
    head: [`${stopped ? "stopped early: " : ""}${where}: ${result}`, ...facts].join("; "),
    text: lines.map((line) => `${line}\n`).join(""),
    cut: hidden > 0 || stopped || tooSlow.length > 0 || stoppedIn !== undefined,
    complete: unseen.length === 0,
    looked: outcome.looked,
    left,
  };
}

/** How many of how many files. */
function searchedText(walk: Walk, { looked, gone }: SearchOutcome, stopped: boolean): string {
  const total = walk.files.length;
  if (stopped) return `the first ${counted(gone)} of ${walk.stopped ? "more than " : ""}${several(total, "file")}`;
  return looked === total ? several(total, "file") : `${counted(looked)} of ${several(total, "file")}`;
}

function whyStopped(walk: Walk, { tooSlow, stoppedAt }: SearchOutcome, { timeoutMs }: SearchBounds): string {
  if (stoppedAt !== undefined && tooSlow.length > 0) return "";
  const why = walk.tooMany
    ? "there are more files than a search goes through"
    : `${timeoutMs / 1000} seconds were over`;
  return `${why}; name a directory or a glob`;
}

/** What was not searched, or is not shown. */
function leftOut(walk: Walk, outcome: SearchOutcome, hidden: number): LeftOut[] {
  const { tooSlow, stoppedAt, stoppedIn, gone, files } = outcome;
  const counts: Record<LeftOut["reason"], number> = {
    size: walk.files.length - files,
    binary: outcome.binary + (stoppedIn?.why === "binary" ? 1 : 0),
    encoding: outcome.doubtful,
    protected: walk.protectedFiles,
    ignored: walk.ignored,
    unreadable: walk.unreadable + outcome.unreadable,
    time: tooSlow.length + (stoppedAt === undefined ? 0 : files - gone) + (walk.stopped && !walk.tooMany ? 1 : 0),
    files: walk.tooMany ? 1 : 0,
    matches: hidden,
  };
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ reason: reason as LeftOut["reason"], count }));
}

function matchLines(found: SearchOutcome["found"], maxChars: number): { lines: string[]; left: number } {
  const lines: string[] = [];
  let left = 0;
  let room = maxChars;
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
    // Later lines would seem to follow these directly.
    if (shown < matches.lines.length) room = 0;
  }
  return { lines, left };
}
