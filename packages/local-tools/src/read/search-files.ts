import { basename, dirname } from "node:path";
import { attempt } from "@toolglot/internal";
import { HeldFolder } from "../files/held-folder.ts";
import { type WalkedFile, walkFiles } from "../files/walk.ts";
import { fileChoice } from "./file-choice.ts";
import { FileSearch } from "./file-search.ts";
import { SearchAhead } from "./search-ahead.ts";
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
