import { encodingSettings } from "../encodings/detect.ts";
import { FileEncodings } from "../encodings/file-encodings.ts";
import { localError, notAFile } from "../errors.ts";
import type { Place, Roots } from "../files/roots.ts";
import { inMessage } from "../messages.ts";
import type { LocalRequest } from "../policy.ts";
import { protectedReason } from "../policy.ts";
import { readOpenedFile } from "./read-file.ts";
import { readFolder } from "./read-folder.ts";
import { type SearchOptions, searchText } from "./search.ts";
import { SearchThread } from "./search-thread.ts";
import type { FileRead, ReadPart, TextSearch } from "./types.ts";

export interface ReaderOptions {
  roots: Roots;
  /** UTF-16 units of one answer's text. Default 40,000. */
  maxChars?: number;
  /**
   * Bytes of a file that is read to its end just to count its lines, and of a file that a search of a folder opens; larger ones are read
   * as far as is asked for, and searched when they are named. Default 32 MiB.
   */
  maxBytes?: number;
  /** How files are encoded. Default: found out with nothing to prefer. */
  encodings?: FileEncodings;
  /** How long searches may take. Default: as {@link SearchOptions} has it. */
  patience?: Pick<SearchOptions, "timeoutMs" | "fileTimeoutMs">;
}

export interface ReadOptions {
  decide(request: LocalRequest): Promise<void>;
  signal?: AbortSignal | undefined;
  /** UTF-16 units of this answer's text. Default: the reader's. */
  maxChars?: number;
}

/** Reads files and directories, and searches. Rejects with a `ToolError` (`localError`) whose message is for the model. */
export class Reader {
  readonly #roots: Roots;
  readonly #maxChars: number;
  readonly #maxBytes: number;
  readonly #encodings: FileEncodings;
  readonly #patience: ReaderOptions["patience"];
  readonly #thread = new SearchThread();

  constructor({ roots, maxChars = 40_000, maxBytes = 32 * 1024 * 1024, encodings, patience }: ReaderOptions) {
    this.#roots = roots;
    this.#encodings = encodings ?? new FileEncodings(encodingSettings(roots.paths));
    this.#maxChars = maxChars;
    this.#maxBytes = maxBytes;
    this.#patience = patience;
  }

  /** Reads a file, some lines of it, or a directory. `decide` rejects when it may not be read; it is asked before anything is. */
  async read(asked: FileRead, { decide, signal, maxChars = this.#maxChars }: ReadOptions): Promise<ReadPart> {
    signal?.throwIfAborted();
    const roots = this.#roots;
    const { file, place } = await placeOf(asked, roots);
    if (place.kind === "missing") throw localError("NotFound", `There is no ${inMessage(file.src)}.`);
    if (place.kind === "other") throw notAFile(file.src);
    // By the name it has, and by the one it was called: a link named .env is not to be opened unasked either.
    const reason = protectedReason(place.shown) ?? protectedReason(file.src);
    await decide({ kind: "read", path: place.shown, protected: reason });
    if (place.kind === "directory") {
      if (file.from !== undefined || file.to !== undefined) {
        throw localError("InvalidRange", `${inMessage(file.src)} is a directory; it has no lines.`);
      }
      return readFolder(roots, place, file.src, maxChars);
    }
    await using opened = await roots.openPlace(place.path, file.src);
    const bounds = { maxChars, maxBytes: this.#maxBytes, encodings: this.#encodings, signal };
    return await readOpenedFile(opened, file, bounds);
  }

  /** Searches files for text. Protected files are left out, so that there is nothing to decide. */
  search(
    search: TextSearch,
    { signal, maxChars = this.#maxChars }: Omit<ReadOptions, "decide"> = {},
  ): Promise<ReadPart> {
    const [roots, maxBytes, thread] = [this.#roots, this.#maxBytes, this.#thread];
    const encodings = this.#encodings.settings;
    return searchText(search, { roots, maxChars, maxBytes, thread, encodings, signal, ...this.#patience });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** Returns the file that is meant. `a.log:12` and `a.log:12-20`, as a search shows its lines, are those lines where nothing has that very name. */
async function placeOf(asked: FileRead, roots: Roots): Promise<{ file: FileRead; place: Place }> {
  const place = await roots.locate(asked.src);
  const [, src, from, to = from] = /^(.+?):(\d{1,15})(?:[-–](\d{1,15}))?:?$/s.exec(asked.src) ?? [];
  if (place.kind !== "missing" || src === undefined || asked.from !== undefined || asked.to !== undefined) {
    return { file: asked, place };
  }
  const named = await roots.locate(src);
  if (named.kind !== "file") return { file: asked, place };
  return { file: { ...asked, src, from: Number(from), to: Number(to) }, place: named };
}
