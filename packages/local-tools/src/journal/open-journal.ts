import { chmod, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { allowing } from "@toolglot/internal";
import { makeFolder, thisOwner } from "@toolglot/internal/node";
import type { Roots } from "../files/roots.ts";
import { demandOutside } from "../state-directory.ts";
import { Journal, unusable } from "./journal.ts";
import type { OnPoint } from "./points.ts";
import type { NamesIn } from "./record.ts";
import { Records } from "./records.ts";
import type { ChangeJournal } from "./types.ts";

export interface JournalOptions {
  /** The journal's folder; made when it is missing (0700). Not inside a root, nor around one. */
  dir: string;
  /** Where changes may be made. */
  roots: Roots;
  /** Changes that are kept at most. Default 200. The newest is always kept. */
  maxChanges?: number;
  /** Bytes of old content that are kept at most. Default 256 MiB. */
  maxBytes?: number;
  /** Milliseconds to wait for another process that writes to the same journal. Default 10,000. */
  lockWaitMs?: number;
  /** Whether a replaced file keeps its extended attributes and access-control lists. Costs a process of GNU cp a file. Default false. */
  keepAttributes?: boolean;
  /** The names of the user's values that stand in a text: a record names those that its contents hold. */
  namesIn?: NamesIn;
  /** @internal Called at each moment of a commit. */
  onPoint?: OnPoint;
}

/**
 * Opens a change journal, and repairs what a process left half done that was killed; `recovered` lists that, and what lies in
 * the folder that can't be read (left alone). It holds nothing open between calls, so there is nothing to close.
 *
 * Throws `TypeError` when the folder lies inside a root, or a root inside it; `ToolglotError` with `local-tools/journal-unusable`
 * when the folder can't be made or read, and with `local-tools/journal-locked` when there is something to repair and other
 * processes write all the time.
 *
 * **What is promised.** After a crash of the process, at any moment, the next opening with the same folder leaves all old or
 * all new content; the exception is a file that somebody else changed in between: it is left alone, and the record shows it
 * (`conflict`). Every file is whole at every moment: nothing is written in place. Several processes may use the same folder.
 *
 * **After a power cut** the same holds, as far as the disk and the file system keep what `fsync` confirmed. Synced before any file of
 * the tree is replaced: the record, with the old contents; the journal's folder; each new content, in a hidden file beside its target.
 * After the replacing: every folder in which a name changed. That the change is done is not: the files show it. A change whose
 * `commit` resolved is there after a power cut; one that it interrupted may leave a hidden file. Windows can't sync folders: there a
 * renaming may be lost, but not the old content.
 *
 * Calls that only touch what is in memory are not awaited; flushes, and large contents, wait in the thread pool.
 *
 * What is not promised: that a reader sees all files change at once; that a program which writes into a file in place in the
 * instant between the last look at it and its replacement (microseconds) is noticed; access-control lists and extended
 * attributes of a replaced file, unless `keepAttributes`; its other hard links, which keep the old content. Where the system doesn't show when a process
 * started (anywhere but on Linux), a number that was given out again passes for the dead process, whose work then waits for repair.
 * Of a process in another container or on another machine nothing can be known: its work counts as abandoned a minute after
 * its last sign.
 */
export async function openJournal(options: JournalOptions): Promise<ChangeJournal> {
  const {
    roots,
    maxChanges = 200,
    maxBytes = 256 * 1024 * 1024,
    lockWaitMs = 10_000,
    keepAttributes = false,
  } = options;
  const dir = await folderFor(options.dir, roots).catch((error) => {
    throw unusable(options.dir, error);
  });
  const parts = {
    roots,
    records: new Records(dir),
    owner: thisOwner(),
    keepAttributes,
    namesIn: options.namesIn,
  };
  const journal = new Journal(dir, parts, options.onPoint, { maxChanges, maxBytes, lockWaitMs });
  journal.recovered = await journal.recover();
  return journal;
}

/** Creates the folder, unless it would be inside a root; returns its real path. */
async function folderFor(dir: string, roots: Roots): Promise<string> {
  await demandOutside(resolve(dir), roots, "dir");
  allowing(["EEXIST"], () => makeFolder(dir));
  // Not ours to change: then it is somebody's choice.
  await chmod(dir, 0o700).catch(() => {});
  return await realpath(dir);
}
