import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../attempt.ts";
import { quoteWord } from "../quote-word.ts";
import { makeFolder } from "./make-folder.ts";

/** More is no file of ours. */
const maxBytes = 2 ** 26;

/** Makes the error for a file or folder with which something is wrong: `message` names it, and the cure. */
export type WrongFile = (message: string, path: string, cause?: unknown) => Error;

/** Reads the text of a file that only this user can read; undefined when there is none. Rejects with what `wrong` makes. */
export async function readPrivateFile(path: string, wrong: WrongFile): Promise<string | undefined> {
  const wrongPermissions = faultOf(wrong);
  let file: Awaited<ReturnType<typeof open>>;
  try {
    // Not to wait for a writer where somebody put a FIFO.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP" || code === "EMLINK")
      throw wrongPermissions(path, "is a link; put the file itself there", error);
    if (code === "EACCES" || code === "EPERM") throw wrongPermissions(path, "can't be read by this user", error);
    throw error;
  }
  try {
    const found = await file.stat();
    if (!found.isFile()) throw wrongPermissions(path, "is no regular file");
    checkOwner(path, found, wrongPermissions);
    if (process.getuid !== undefined && (found.mode & 0o077) !== 0) {
      throw wrongPermissions(path, `can be read or written by others; run: chmod 600 ${inShell(path)}`);
    }
    if (found.size > maxBytes) throw wrongPermissions(path, "is too large to be a file of ours");
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Makes the folder of a file (0700), or refuses one in which others could put another file in its place. */
export async function makePrivateFolder(path: string, wrong: WrongFile): Promise<void> {
  const wrongPermissions = faultOf(wrong);
  const folder = dirname(path);
  makeFolder(folder);
  const found = await stat(folder);
  checkOwner(folder, found, wrongPermissions);
  if (process.getuid !== undefined && (found.mode & 0o022) !== 0) {
    throw wrongPermissions(folder, `can be written by others; run: chmod 700 ${inShell(folder)}`);
  }
}

/** Writes the whole file or nothing of it, 0600, whenever the process or the machine stops. To be called under a lock. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const prefix = `.${basename(path)}.new-`;
  // Of processes that were killed while they wrote: the lock is ours, so nobody else writes now.
  for (const name of await readdir(folder))
    if (name.startsWith(prefix)) await unlink(join(folder, name)).catch(() => {});
  const written = join(folder, `${prefix}${randomBytes(6).toString("hex")}`);
  const file = await open(written, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(written, path);
  const entries = await open(folder, constants.O_RDONLY);
  // Not every file system can flush a folder.
  await entries.sync().catch(() => {});
  await entries.close();
}

type Fault = (path: string, what: string, cause?: unknown) => Error;

function faultOf(wrong: WrongFile): Fault {
  return (path, what, cause) => wrong(`${path} ${what}.`, path, cause);
}

function checkOwner(path: string, { uid }: { uid: number }, fault: Fault): void {
  if (process.getuid !== undefined && uid !== process.getuid()) throw fault(path, "belongs to another user");
}

function inShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : quoteWord(path);
}
