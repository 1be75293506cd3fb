import { accessSync, closeSync, constants, lstatSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorText } from "@toolglot/internal";
import { storeError } from "./errors.ts";

/**
 * Returns the absolute path of a store's file, which exists afterwards: a new one is made for its owner alone (0600), and SQLite
 * creates the files beside it with the same rights. `TypeError` for what is no path; `trp/store-open` for symbolic links,
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
  try {
    for (const part of [path, `${path}-wal`, `${path}-shm`]) {
      const found = lstatSync(part, { throwIfNoEntry: false });
      if (!found || found.isFile()) continue;
      throw storeError("trp/store-open", `${part} is not a regular file.`, { file: path });
    }
    const { O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW = 0 } = constants;
    closeSync(openSync(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0o600));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "trp/store-open") throw error;
    if (code !== "EEXIST") {
      throw storeError("trp/store-open", `${path} can't be made: ${causeOf(error, path)}`, { file: path }, error);
    }
  }
  return path;
}

/** Returns why SQLite can't open the file, which reports no more than that: found out by asking the system for the same rights. */
export function openFault(file: string): string | undefined {
  const { R_OK, W_OK } = constants;
  try {
    closeSync(openSync(file, constants.O_RDWR));
    for (const part of [`${file}-wal`, `${file}-shm`]) {
      if (lstatSync(part, { throwIfNoEntry: false })) accessSync(part, R_OK | W_OK);
    }
    // SQLite makes its log and its index in the folder.
    accessSync(dirname(file), W_OK);
    return undefined;
  } catch (error) {
    return causeOf(error, file);
  }
}

/** Returns what an operator needs of an error of the system: the cause, and the cure. */
function causeOf(error: unknown, file: string): string {
  const { code = "", path = file } = error as NodeJS.ErrnoException;
  const folder = dirname(file);
  const causes: Readonly<Record<string, string>> = {
    ENOENT: `the folder ${folder} does not exist. Make it first.`,
    ENOTDIR: `${folder} is not a folder. Choose another path.`,
    EACCES: `this process has no right to read and write ${path}. Give the right to its user.`,
    EPERM: `the system does not let this process write ${path}, which may be immutable. Make it writable.`,
    EROFS: `the file system of ${path} is read-only. Mount it writable, or choose another path.`,
    ENOSPC: `the file system of ${folder} is full. Make room.`,
    EDQUOT: `the quota of its user is used up in ${folder}. Make room.`,
  };
  return causes[code] ?? errorText(error);
}
