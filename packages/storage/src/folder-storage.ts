import { join } from "node:path";
import { checkKeys } from "@toolglot/core";
import { loggedOperations, type Storage } from "@toolglot/core/storage";
import { folderBlobs } from "./folder/blobs.ts";
import { folderLogs } from "./folder/logs.ts";
import { OwnFolder } from "./folder/own-folder.ts";

/** Options of {@link folderStorage}. */
export interface FolderStorageOptions {
  /** Milliseconds since the epoch, by which leases and expiry count. Default `Date.now`. */
  now?: () => number;
}

/**
 * Creates a storage in a folder, which is made with its first write: mode 0700, its files 0600. What was resolved is on the disk.
 * Processes on one machine may share the folder. Nothing is locked, so a process that was killed holds nobody up.
 *
 * @param dir Path of the folder.
 * @throws `TypeError` for a path that is none, and unknown options. Methods reject with an `Error` for a folder of another user, a
 * link, and a folder that others can look into.
 * @example
 * ```ts
 * import { folderStorage } from "@toolglot/storage";
 *
 * const storage = folderStorage(".toolglot");
 * await storage.logs.append("notes/today", ["The lantern overheats."], 0);
 * console.log(await storage.logs.read("notes/today"));
 * ```
 */
export function folderStorage(dir: string, options: FolderStorageOptions = {}): Storage {
  if (typeof dir !== "string" || dir === "") throw new TypeError("folderStorage: dir must be the path of a folder.");
  checkKeys("folderStorage", options, "now:function");
  const { now = Date.now } = options;
  const folder = new OwnFolder(dir);
  const parts = {
    durability: "disk" as const,
    logs: folderLogs(folder, join(dir, "logs")),
    blobs: folderBlobs(folder, join(dir, "blobs")),
    now,
  };
  return { ...parts, operations: loggedOperations(parts), async close() {} };
}
