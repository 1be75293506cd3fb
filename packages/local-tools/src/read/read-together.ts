import { inParallel } from "@toolglot/core/executing";
import { shareBudget } from "@toolglot/core/results";
import { defined } from "@toolglot/internal";
import { type Mask, type Masks, maskedError, type PlaceholderFiller, type Values } from "@toolglot/secrets/executing";
import type { ReadFailure, ReadOutcome } from "../local-tools.ts";
import type { Decide } from "../policy.ts";
import { isWholeFile } from "./read-file.ts";
import type { Reader, ReadOptions } from "./reader.ts";
import type { FileRead, ReadPart, TextSearch } from "./types.ts";

const maxParallelReads = 8;

interface ReadJob {
  of: string;
  run(maxChars: number, decide: Decide): Promise<ReadPart>;
}

/** Reads all parts so that their texts together take no more than `maxChars` units; what fails is a part, too. */
export async function readTogether(
  reader: Reader,
  { files, searches }: { files: readonly FileRead[]; searches: readonly TextSearch[] },
  { decide, maxChars, ...rest }: ReadOptions & { maxChars: number },
): Promise<ReadOutcome> {
  const jobs: ReadJob[] = [
    ...files.map((file) => ({
      of: file.src,
      run: (room: number, allowed: Decide) => reader.read(file, { decide: allowed, maxChars: room, ...rest }),
    })),
    ...searches.map((search) => ({
      of: search.pattern,
      run: (room: number) => reader.search(search, { maxChars: room, ...rest }),
    })),
  ];
  const readAll = (some: readonly { job: ReadJob; room: number }[], allowed: Decide): Promise<ReadOutcome> =>
    inParallel(some, maxParallelReads, ({ job: { of, run }, room }) =>
      run(room, allowed).catch((error: unknown) => ({ kind: "failure" as const, of, error: error as Error })),
    );
  const all = jobs.map((job) => ({ job, room: maxChars }));
  const first = await readAll(all, decide);
  const rooms = shareBudget(new Map(first.map((part) => [part, part.kind === "failure" ? "" : part.text])), maxChars);
  // What is too long beside the others is read once more, so that its head fits what it shows. It was decided already.
  const isLong = (part: ReadOutcome[number]): boolean =>
    part.kind !== "failure" && part.text.length > (rooms.get(part) ?? 0);
  const long = first.flatMap((part, index) => {
    return isLong(part) ? [{ job: jobs[index] as ReadJob, room: Math.max(1, rooms.get(part) ?? 0) }] : [];
  });
  const second = await readAll(long, () => Promise.resolve());
  return first.map((part) => (isLong(part) ? (second.shift() ?? part) : part));
}

/** Returns searches whose values are literal parts of their patterns, and a function that restores the patterns in texts. */
export function fillSearches(
  filler: PlaceholderFiller,
  written: readonly TextSearch[],
  values: Values,
): { searches: TextSearch[]; asWritten: (text: string) => string } {
  const spellings: [filled: string, written: string][] = [];
  const fill = (text: string, special: RegExp): string => {
    const filled = filler.fill(text, values, (value) => value.replace(special, "\\$&"));
    if (values.size > 0 && filled !== text) {
      spellings.push([JSON.stringify(filled).slice(1, -1), JSON.stringify(text).slice(1, -1)], [filled, text]);
    }
    return filled;
  };
  const searches = written.map(({ pattern, glob, ...search }) => ({
    ...filler.fill(search, values),
    pattern: fill(pattern, /[\\^$.*+?()[\]{}|/]/g),
    ...defined({ glob: glob === undefined ? undefined : fill(glob, /[\\*?[\]{}!]/g) }),
  }));
  const asWritten = (text: string): string =>
    spellings.reduce((said, [filled, as]) => said.replaceAll(filled, () => as), text);
  return { searches, asWritten };
}

/** Masks what was read: of a whole file as a text, of anything else line by line. */
export function maskParts(parts: ReadOutcome, { whole, lines }: Masks): ReadOutcome {
  return parts.map((part) => {
    if (part.kind === "failure") return failedPart(part, lines);
    return isWholeFile(part) ? { ...lines({ ...part, text: "" }), text: whole(part.text) } : lines(part);
  });
}

/** Masks the failure of a part. */
export function failedPart(part: ReadFailure, mask: Mask): ReadFailure {
  return { ...part, of: mask(part.of), error: maskedError(part.error, mask) as Error };
}
