import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { errorText } from "@toolglot/internal";
import { storeError } from "./errors.ts";

/**
 * The absolute path of a store's file, which exists afterwards: a new one is made for its owner alone (0600), and SQLite
 * gives the files beside it the same rights. `TypeError` for what is no path; `trp/store-open` for symbolic links,
 * folders and devices, and where no file can be made.
 */
export function prepareFile(file: string): string {
  if (typeof file !== "string" || file === "") throw new TypeError("file must be the path of the store's file");
  if (file.includes("\0")) throw new TypeError("file must not contain a NUL");
  // SQLite and its bindings take these for something else than files. One letter is a drive.
  if (/^(:memory:$|[a-z][a-z0-9+.-]+:)/i.test(file)) {
    throw new TypeError(`file must be a path, not ${JSON.stringify(file)}. For a store in memory take MemoryStore.`);
  }
  const path = resolve(file);
  for (const part of [path, `${path}-wal`, `${path}-shm`]) {
    const found = lstatSync(part, { throwIfNoEntry: false });
    if (!found || found.isFile()) continue;
    throw storeError("trp/store-open", `${part} is not a regular file.`, { file: path });
  }
  try {
    const { O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW = 0 } = constants;
    closeSync(openSync(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw storeError("trp/store-open", `${path} can't be made: ${errorText(error)}`, { file: path }, error);
    }
  }
  return path;
}
