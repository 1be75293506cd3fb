import { realpathSync, type Stats } from "node:fs";
import { lstat, mkdir, unlink } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { ignoring } from "@toolglot/internal";
import { fileChanged, type LocalErrorType, localError, localErrorType, notAFile } from "../../errors.ts";
import { replaceFile } from "../../files/file-operations.ts";
import { type PinnedFolder, type Place, Roots } from "../../files/roots.ts";
import { readWhole } from "../../files/text.ts";
import { inMessage } from "../../messages.ts";
import { asFolder, type Namespace } from "./namespaces.ts";
import type { EntryMeta } from "./types.ts";

/** Where a logical path leads, all links resolved. */
export interface LogicalPlace extends Place {
  /** As it was asked for. */
  asked: string;
  /** What it leads to, as a logical path; a namespace's own folder ends in a slash. */
  resolved: string;
}

/** An entry of a folder; of a link it is what the link leads to. */
export interface ChildMeta extends EntryMeta {
  isLink: boolean;
}

/** One namespace over one directory: takes and returns logical paths, and refuses by `localError`. Grants are not its business. */
export class Mount {
  readonly namespace: Namespace;
  /** Real path of the directory. */
  readonly dir: string;
  #roots: Promise<Roots> | undefined;

  /** The directory must exist. */
  constructor(namespace: Namespace, dir: string) {
    this.namespace = namespace;
    this.dir = realpathSync(dir);
  }

  /** Returns where a valid logical path of this namespace leads; also when nothing is there. */
  locate(path: string): Promise<LogicalPlace> {
    return this.#withRoots(path, async (roots) => {
      const place = await roots.locate(path.slice(this.namespace.prefix.length) || ".");
      const resolved = this.namespace.prefix + relative(roots.base, place.path).split(sep).join("/");
      return { ...place, asked: path, resolved };
    });
  }

  /** Returns what is there to know of a place; `NotFound` when nothing is there. */
  meta(place: LogicalPlace): Promise<EntryMeta> {
    return this.#withRoots(place.asked, async (roots) => {
      if (place.kind === "missing") throw notFound(place.asked);
      if (place.kind === "other") throw notAFile(place.asked);
      if (place.path === roots.base) return metaOf(place.asked, await lstat(place.path));
      using folder = roots.hold(dirname(place.path));
      return metaOf(place.asked, await folder.lstat(basename(place.path)));
    });
  }

  /** Returns a file's bytes, and the file as it was then. */
  read(place: LogicalPlace, maxBytes: number): Promise<{ bytes: Buffer; stats: Stats }> {
    return this.#withRoots(place.asked, async (roots) => {
      demandFile(place);
      await using opened = await roots.openPlace(place.path, place.asked);
      return { bytes: await readWhole(opened, inMessage(place.asked), maxBytes), stats: opened.stats };
    });
  }

  /** Writes a file as a whole, with the folders it needs. `before`: the file as the caller saw it. */
  write(
    place: LogicalPlace,
    data: Uint8Array,
    { overwrite, before }: { overwrite: boolean; before?: Stats | undefined },
  ): Promise<EntryMeta> {
    return this.#withRoots(place.asked, async (roots) => {
      if (place.kind !== "missing") demandFile(place);
      if (place.kind === "file" && !overwrite)
        throw localError("AlreadyExists", `${inMessage(place.asked)} exists already.`);
      using folder = await folderFor(roots, dirname(place.path));
      const name = basename(place.path);
      const found = before ?? (await folder.lstat(name).catch(() => undefined));
      if (found !== undefined && !found.isFile()) throw fileChanged(place.asked);
      const options = { shown: place.asked, exclusive: !overwrite, before: overwrite ? found : undefined };
      return metaOf(place.asked, await replaceFile(folder, name, data, options));
    });
  }

  /** Removes a file. A link that leads to a file of this namespace is removed itself, what it leads to stays. */
  remove(path: string, parent: LogicalPlace): Promise<void> {
    return this.#withRoots(path, async (roots) => {
      if (parent.kind === "missing") throw notFound(path);
      using folder = roots.hold(parent.path);
      const name = basename(path);
      const found = await folder.lstat(name).catch(() => undefined);
      if (found === undefined) throw notFound(path);
      if (!found.isFile() && !found.isSymbolicLink()) {
        const what = found.isDirectory() ? "a directory" : "no regular file";
        throw localError("NotAFile", `${inMessage(path)} is ${what}: only files can be deleted.`);
      }
      await unlink(folder.at(name));
      await folder.sync();
    });
  }

  /** Returns what is right in a folder; links are what they lead to, and are left out where that is outside. `TooLarge` once `budget` is used up. */
  children(place: LogicalPlace, budget: { left: number }): Promise<ChildMeta[]> {
    return this.#withRoots(place.asked, async (roots) => {
      if (place.kind === "missing") throw notFound(place.asked);
      if (place.kind !== "directory") throw localError("NotADirectory", `${inMessage(place.asked)} is no directory.`);
      using folder = roots.hold(place.path);
      const found: ChildMeta[] = [];
      for (const { name } of await folder.entries()) {
        if (--budget.left < 0) {
          const cure = "name a folder below it.";
          throw localError("TooLarge", `There are too many entries in ${inMessage(place.asked)}: ${cure}`);
        }
        let stats = await folder.lstat(name).catch(() => undefined);
        const isLink = stats?.isSymbolicLink() === true;
        if (isLink) {
          const target = await roots.locate(join(folder.path, name)).catch(() => undefined);
          stats = target && (await lstat(target.path).catch(() => undefined));
        }
        if (stats === undefined || (!stats.isFile() && !stats.isDirectory())) continue;
        found.push({ ...metaOf(asFolder(place.asked) + name, stats), isLink });
      }
      return found;
    });
  }

  /** Runs with the directory; its errors have logical paths. */
  async #withRoots<Value>(path: string, run: (roots: Roots) => Promise<Value>): Promise<Value> {
    try {
      return await run(await this.#open());
    } catch (error) {
      throw this.#translated(path, error);
    }
  }

  async #open(): Promise<Roots> {
    this.#roots ??= Roots.open([this.dir]).then((roots) => {
      if (roots.base === this.dir) return roots;
      throw new TypeError("the directory was moved");
    });
    return this.#roots.catch((error: unknown) => {
      this.#roots = undefined;
      const { prefix } = this.namespace;
      throw localError("AccessDenied", `The folder behind ${prefix} is not there any more.`, {}, error);
    });
  }

  #translated(path: string, error: unknown): unknown {
    const type = localErrorType(error);
    if (type === undefined) {
      return isSystemError(error) ? localError("WriteFailed", faultText(path, error), {}, error) : error;
    }
    if (type === "AccessDenied" && (error as Error).message.startsWith("The folder behind")) return error;
    const shown = inMessage(path);
    const messages: Partial<Record<LocalErrorType, string>> = {
      OutsideRoots: `${shown} leads out of ${this.namespace.prefix} through a link: that is not allowed.`,
      NotFound: `Path not found: ${shown}`,
      NotADirectory: `${shown} leads through something that is no directory.`,
      InvalidPath: `Invalid logical path: ${shown}`,
      FileChanged: `${shown} changed while it was looked at: try again.`,
      AccessDenied: `${shown} can't be reached.`,
    };
    const message = messages[type];
    return message === undefined ? error : localError(type, message);
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}

function faultText(path: string, { code }: NodeJS.ErrnoException): string {
  if (code === "ENAMETOOLONG") return `${inMessage(path)} can't be used: a name in it is too long.`;
  if (code === "ENOSPC" || code === "EDQUOT") return `${inMessage(path)} can't be written: there is no room left.`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `${inMessage(path)} can't be changed: no permission.`;
  return `${inMessage(path)} can't be used (${code ?? "unknown"}).`;
}

function notFound(path: string): Error {
  return localError("NotFound", `Path not found: ${inMessage(path)}`);
}

function demandFile(place: LogicalPlace): void {
  if (place.kind === "missing") throw notFound(place.asked);
  if (place.kind === "file") return;
  throw notAFile(place.asked, place.kind);
}

function metaOf(path: string, stats: Stats): EntryMeta {
  const isFile = stats.isFile();
  return {
    path,
    kind: isFile ? "file" : "directory",
    size: isFile ? stats.size : 0,
    updatedAt: stats.mtime.toISOString(),
  };
}

/** Holds on to a folder, and makes it and those above it where they are missing; step by step, so that none is a link. */
async function folderFor(roots: Roots, real: string): Promise<PinnedFolder> {
  let folder = roots.hold(roots.base);
  for (const name of relative(roots.base, real).split(sep)) {
    if (name === "") continue;
    const above = folder;
    try {
      await mkdir(above.at(name)).catch(ignoring("EEXIST"));
      folder = roots.holdIn(above, name);
    } finally {
      above.close();
    }
  }
  return folder;
}
