import { counted, inMessage, needsQuotes, quoted, several, sized } from "../messages.ts";
import { type Hits, maxCounted, type SearchState } from "./search-state.ts";
import type { LeftOut, ReadPart, TextSearch } from "./types.ts";

/** Bounds that a report mentions, and whether the search was of one file. */
interface SearchBounds {
  maxChars: number;
  maxBytes: number;
  timeoutMs: number;
  isFile: boolean;
}

/** Writes the report for the model, with "no match" only when everything was searched. */
export function searchReport(
  search: TextSearch,
  note: string | undefined,
  state: SearchState,
  hits: Hits,
  bounds: SearchBounds,
): ReadPart {
  const { tooSlow, stoppedAt, stoppedIn, large } = state;
  const { matches } = hits;
  const lines = matchLines(hits, bounds.maxChars);
  const hidden = matches - lines.length;
  const isStopped = stoppedAt !== undefined;
  const left = leftOut(state, hits, hidden);
  const isComplete = !isStopped && left.every(({ reason }) => reason === "matches");
  const where = `${quoted(search.pattern)}${search.src === undefined ? "" : ` in ${inMessage(search.src)}`}`;
  const within = searchedText(state, bounds);
  const result =
    matches > 0
      ? `${several(matches, "match", "matches")} in ${several(hits.files, "file")}${isStopped ? `; looked into ${within}` : ""}`
      : `${isComplete ? "no match" : "nothing found"} in ${within}`;
  const facts = [
    whyStopped(state, bounds),
    hidden > 0 ? `the first ${counted(lines.length)} by path are shown, ${counted(hidden)} left out` : "",
    note ?? "",
    some(state.protectedFiles, "left out", "protected file"),
    some(large, `of more than ${sized(bounds.maxBytes)} left out${matches === 0 ? "; name one to search it" : ""}`),
    some(state.binary, "left out", "binary file"),
    some(hits.doubtful, "in no encoding that is known for certain, searched as far as it can be read"),
    some(hits.guessed, "read in a guessed encoding"),
    some(hits.replaced, "with lines where \ufffd stands for bytes that can't be read"),
    some(state.unreadableFolders, "could not be read", "directory", "directories"),
    some(state.unreadable, "could not be read"),
    matches > 0
      ? ""
      : some(state.ignored, "left out; name one to search it", "ignored file or folder", "ignored files and folders"),
    hits.inParts ? "lines of over a million characters were searched in parts" : "",
    tooSlow.length > 0 ? `the pattern takes too long on ${tooSlow.map(inMessage).join(", ")}; write it simpler` : "",
    stoppedIn === undefined
      ? ""
      : `${inMessage(stoppedIn.file)} looked at up to ${sized(stoppedIn.bytes)} of ${sized(stoppedIn.size)}${stoppedIn.why === "binary" ? ": what follows is binary" : ""}`,
    stoppedAt === undefined || stoppedIn?.file === stoppedAt ? "" : `stopped before ${inMessage(stoppedAt)}`,
  ].filter(Boolean);
  return {
    kind: "search",
    of: search.pattern,
    head: [`${isStopped ? "stopped early: " : ""}${where}: ${result}`, ...facts].join("; "),
    text: lines.map((line) => `${line}\n`).join(""),
    cut: hidden > 0 || isStopped || tooSlow.length > 0 || stoppedIn !== undefined,
    complete: isComplete,
    looked: state.looked,
    left,
  };
}

/** Returns a fact about so many things; empty when there are none. */
function some(count: number, fact: string, one = "file", many?: string): string {
  return count > 0 ? `${several(count, one, many)} ${fact}` : "";
}

/** Returns how many of how many files. */
function searchedText({ looked, files, stoppedAt }: SearchState, { isFile }: SearchBounds): string {
  if (stoppedAt === undefined) {
    return looked === files ? several(files, "file") : `${counted(looked)} of ${several(files, "file")}`;
  }
  return `the first ${counted(files)} of ${isFile ? "1 file" : `more than ${several(files, "file")}`}`;
}

function whyStopped({ why }: SearchState, { timeoutMs }: SearchBounds): string {
  if (why === "time") return `${timeoutMs / 1000} seconds were over; name a directory or a glob`;
  return why === "matches" ? `${counted(maxCounted)} lines fit by then; write the pattern narrower` : "";
}

/** Returns what was not searched, or is not shown. */
function leftOut(state: SearchState, { doubtful }: Hits, hidden: number): LeftOut[] {
  const { tooSlow, why, stoppedIn } = state;
  const counts: Record<LeftOut["reason"], number> = {
    size: state.large,
    binary: state.binary + (stoppedIn?.why === "binary" ? 1 : 0),
    encoding: doubtful,
    protected: state.protectedFiles,
    ignored: state.ignored,
    unreadable: state.unreadableFolders + state.unreadable,
    // At least one more: how many there are is not known.
    time: tooSlow.length + (why === "time" || why === "slow" ? 1 : 0),
    matches: hidden,
  };
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ reason: reason as LeftOut["reason"], count }));
}

/** Returns the first lines that fit, as many as there is room for. */
function matchLines({ lines }: Hits, maxChars: number): string[] {
  const shown: string[] = [];
  let room = maxChars;
  for (const { file, line, text } of lines) {
    const whole = `${needsQuotes(file) ? quoted(file) : file}:${line}: ${text}`;
    room -= whole.length + 1;
    if (room < 0) break;
    shown.push(whole);
  }
  return shown;
}
