import { basename } from "node:path";
import { type EncodingSettings, encodingSettings } from "../encodings/detect.ts";
import { localError, notAFile } from "../errors.ts";
import type { Roots } from "../files/roots.ts";
import { inMessage, several } from "../messages.ts";
import { protectedReason } from "../policy.ts";
import { fileChoice } from "./file-choice.ts";
import { readLiterally, readPattern } from "./pattern.ts";
import { searchReport } from "./search-report.ts";
import { type Hits, searchBegins } from "./search-state.ts";
import { SearchThread } from "./search-thread.ts";
import type { ReadPart, TextSearch } from "./types.ts";

export interface SearchOptions {
  roots: Roots;
  maxChars: number;
  maxBytes: number;
  /** Where it runs. Default: a thread of its own. */
  thread?: SearchThread;
  /** What decides about the encodings of files. Default: nothing is preferred. */
  encodings?: EncodingSettings;
  signal?: AbortSignal | undefined;
  /** Milliseconds that one file, or a million bytes of a large one, may take; a pattern can be one that never comes to an end. Default 2,000. */
  fileTimeoutMs?: number;
  /** Milliseconds for all of a search. Default 10,000. */
  timeoutMs?: number;
}

/** Searches files line by line. See `Reader.search`. */
export async function searchText(search: TextSearch, options: SearchOptions): Promise<ReadPart> {
  const { roots, maxChars, maxBytes, signal, timeoutMs = 10_000, fileTimeoutMs = 2000 } = options;
  const { encodings = encodingSettings(roots.paths) } = options;
  signal?.throwIfAborted();
  const pattern = readPattern(search.pattern);
  // `call(x)` is an expression that fits `callx`, and may be meant as it stands.
  const otherwise = pattern.literal === undefined ? (pattern.otherwise ?? readLiterally(search.pattern)) : undefined;
  const patterns = otherwise === undefined ? [pattern] : [pattern, otherwise];
  const place = await roots.locate(search.src ?? roots.base);
  const { path, shown, kind } = place;
  if (kind === "missing") throw localError("NotFound", `There is no ${inMessage(search.src ?? ".")}.`);
  if (kind === "other") throw notAFile(search.src ?? ".");
  const isWanted = fileChoice(search.glob);
  let state = searchBegins(patterns.length);
  if (kind === "file" && (protectedReason(shown) ?? protectedReason(search.src ?? "")) !== undefined) {
    state.protectedFiles = 1;
  } else if (kind === "directory" || isWanted([basename(path)], shown.split("/").filter(Boolean))) {
    // One that can't be opened is refused with the reason.
    if (kind === "file") await (await roots.openPlace(path, search.src)).close();
    const thread = options.thread ?? new SearchThread();
    const job = { roots: roots.paths, place: { path, shown, kind }, glob: search.glob, patterns, maxBytes, encodings };
    state = await thread.run(job, { timeoutMs, fileTimeoutMs, signal }).finally(() => {
      if (options.thread === undefined) return thread.close();
    });
  }
  const bounds = { maxChars, maxBytes, timeoutMs, isFile: kind === "file" };
  const [first, asItStands] = state.hits as [Hits, Hits?];
  const isAnswered = first.matches > 0 || state.stoppedAt !== undefined || state.tooSlow.length > 0;
  const [note, hits] =
    isAnswered || asItStands === undefined || asItStands.matches === 0
      ? [pattern.note, first]
      : [otherwise?.note ?? "no line fits it as a regular expression; found as it stands", asItStands];
  if (pattern.fault !== undefined && hits.matches === 0 && state.stoppedAt === undefined) {
    const message = `The pattern is no regular expression (${pattern.fault}), and as it stands it is nowhere in ${several(state.looked, "file")}.`;
    throw localError("InvalidPattern", message);
  }
  return searchReport(search, note, state, hits, bounds);
}
