import { basename, dirname } from "node:path";
import { attempt } from "@toolglot/internal";
import { HeldFolder } from "../files/held-folder.ts";
import { type WalkedFile, walkFiles } from "../files/walk.ts";
import { fileChoice } from "./file-choice.ts";
import { FileSearch } from "./file-search.ts";
import type { SearchHelper } from "./search-helper.ts";
import type { SearchJob, SearchProgress, SearchState } from "./search-state.ts";

/** As many times more files, and a search that continues still has the second thread. */
const soon = 20;

/**
 * Searches files line by line, with calls that wait: for a thread of its own. Changes `state`, which holds all that was found when it
 * ends. Throws what an expression throws that can't be run. `help` returns a second thread once it has started, which it does when it is
 * called for a search of many files.
 */
export function searchFiles(
  job: SearchJob,
  state: SearchState,
  progress: SearchProgress,
  help: (isLarge: boolean) => SearchHelper | undefined = () => undefined,
): void {
  const search = new FileSearch(job, state, progress);
  const { roots, glob, place, helpAfter = Number.POSITIVE_INFINITY } = job;
  const { protectedFiles, ignored, unreadableFolders } = state;
  const counts = { protectedFiles, ignored, unreadableFolders };
  if (place.kind === "file") {
    const folder = attempt(() => HeldFolder.open(roots, dirname(place.path)));
    if (folder === undefined) search.count("unreadable");
    else {
      search.visit({ folder, name: basename(place.path), shown: place.shown, below: [], counts });
      folder.close();
    }
    return;
  }
  const choose = glob === undefined ? undefined : fileChoice(glob);
  let ahead: SearchAhead | undefined;
  let seen = 0;
  const visit = (file: WalkedFile): boolean => {
    if (ahead === undefined) {
      const helper = help(++seen >= soon * helpAfter);
      if (helper !== undefined) ahead = new SearchAhead(search, helper, job, progress);
    }
    return ahead === undefined ? search.visit(file) : ahead.visit(file);
  };
  const enter = (shown: string) => {
    // What was put off comes before.
    if (Date.now() >= job.until && ahead?.settle() === false) return "end";
    return search.enter(shown);
  };
  try {
    walkFiles({ roots, from: place.path, choose, enter, visit, after: state.at, counts });
    if (state.stoppedAt === undefined && ahead?.settle() !== false) Object.assign(state, counts);
    // For the next search: this one would have ended before that thread had started.
    if (seen >= helpAfter) help(true);
  } finally {
    ahead?.close();
  }
}

/** Files that are searched together, and folders that they may lie in. */
const batchFiles = 128;
const batchFolders = 24;
/** Batches that wait for an earlier one. Their folders are held open. */
const maxWaiting = 6;

/** Files that lie beside each other in the order of paths. */
interface Batch {
  files: readonly WalkedFile[];
  folders: ReadonlySet<HeldFolder>;
  /** What they hold; undefined when they are to be visited one after the other. */
  found?: SearchState | undefined;
  /** The helper has them. */
  isGiven: boolean;
}

/**
 * Searches files with a helper, ahead of what is found by then: who has time takes the next files, searches them apart from all others,
 * and what they hold is joined in the order of paths. Where that may differ from a search of one file after the other, such a search is
 * made of them.
 */
class SearchAhead {
  readonly #search: FileSearch;
  readonly #helper: SearchHelper;
  readonly #begin: SearchProgress["begin"];
  #waiting: Batch[] = [];
  #files: WalkedFile[] = [];
  #folders = new Set<HeldFolder>();

  constructor(search: FileSearch, helper: SearchHelper, job: SearchJob, progress: SearchProgress) {
    this.#search = search;
    this.#helper = helper;
    this.#begin = (shown) => progress.begin(shown);
    helper.begin(job);
  }

  /** Searches a file, now or later. False when the search is to end. */
  visit(file: WalkedFile): boolean {
    const { folder } = file;
    if (!this.#folders.has(folder)) {
      if (this.#folders.size === batchFolders && !this.#flush()) return false;
      folder.keep();
      this.#folders.add(folder);
    }
    this.#files.push(file);
    return this.#files.length < batchFiles || this.#flush();
  }

  /** Searches all that was put off. False when the search is to end. */
  settle(): boolean {
    return this.#flush(false) && this.#join(0);
  }

  /** Ends the search, whatever it has not searched. */
  close(): void {
    for (const { folders } of this.#waiting) for (const folder of folders) folder.close();
    for (const folder of this.#folders) folder.close();
    this.#helper.finish(this.#begin);
  }

  /** `mayGive`: a last few files are searched before the helper has begun. */
  #flush(mayGive = true): boolean {
    const batch: Batch = { files: this.#files, folders: this.#folders, isGiven: mayGive && this.#helper.isFree };
    [this.#files, this.#folders] = [[], new Set()];
    this.#waiting.push(batch);
    if (batch.isGiven) this.#helper.give(batch.files, this.#search.room);
    // With none before it, it is searched below.
    else if (this.#waiting.length > 1) batch.found = this.#search.apart(batch.files, this.#search.room);
    return this.#join(maxWaiting);
  }

  /** Joins what was found up to the first files that the helper has yet to answer about, of which so many may wait. */
  #join(most: number): boolean {
    for (let [batch] = this.#waiting; batch !== undefined; [batch] = this.#waiting) {
      if (batch.isGiven) {
        const answer = this.#waiting.length > most ? this.#helper.wait(this.#begin) : this.#helper.take();
        if (answer === undefined) return true;
        batch.found = answer.found;
        batch.isGiven = false;
      }
      const { files, folders, found } = batch;
      const isJoined = found !== undefined && this.#search.join(files, found);
      if (!isJoined && !files.every((file) => this.#search.visit(file))) return false;
      this.#waiting.shift();
      for (const folder of folders) folder.close();
    }
    return true;
  }
}
