import { join } from "node:path";
import type { PathQueue } from "../edit/path-queue.ts";
import { localError, localErrorType } from "../errors.ts";
import { inMessage } from "../roots/words.ts";
import { type CheckedGrant, describeGrants, isAllowed } from "./grants.ts";
import type { LogicalPlace, Mount } from "./mount.ts";
import { asFolder, namespaceOf, validatePath } from "./namespaces.ts";
import { decodeText, withoutBom } from "./read-whole.ts";
import { readMatches, textSlice } from "./text-parts.ts";
import type { EntryMeta, Operation } from "./types.ts";
import { walk } from "./walk.ts";

/** What a handle works on. */
export interface HandleFields {
  mounts: ReadonlyMap<string, Mount>;
  grants: readonly CheckedGrant[];
  /** Of the file system: changes to one file wait for each other, whichever handle makes them. */
  queue: PathQueue;
  maxBytes: number;
  maxEntries: number;
}

/**
 * A view of a logical file system that can do what its grants say, and nothing else. Made by
 * `DiskFileSystem.createHandle`. Paths are logical and absolute; both a path and what it leads to through links must be
 * granted. Rejects with core `ToolError`s made for a model: `data.type` is `InvalidPath`, `AccessDenied`, `OutsideRoots`,
 * `NotFound`, `NotAFile`, `NotADirectory`, `AlreadyExists`, `TooLarge`, `BinaryFile`, `NotUtf8`, `InvalidInput`,
 * `InvalidPattern`, `FileChanged` or `WriteFailed`. No message holds a real path.
 */
export class FsHandle {
  readonly #fields: HandleFields;

  /** Use `DiskFileSystem.createHandle`. */
  constructor(fields: HandleFields) {
    this.#fields = fields;
  }

  /** The prefixes of the grants, sorted. */
  get prefixes(): string[] {
    return [...new Set(this.#fields.grants.map(({ prefix }) => prefix))].sort();
  }

  /** All files below a folder, or below every folder that may be listed; sorted by path. Links to folders are not followed. */
  async list(prefix?: string, options: { signal?: AbortSignal } = {}): Promise<EntryMeta[]> {
    const prefixes = prefix === undefined ? this.#listable() : [validatePath(prefix)];
    const budget = { left: this.#fields.maxEntries };
    const found = new Map<string, EntryMeta>();
    for (const start of prefixes) {
      const { mount, place } = await this.#allowed(start, "list").catch((error: unknown) => {
        // A grant may name what is not there yet.
        if (prefix === undefined && localErrorType(error) === "NotFound") return { mount: undefined, place: undefined };
        throw error;
      });
      if (mount === undefined || (prefix === undefined && place.kind === "missing")) continue;
      if (place.kind === "file") {
        found.set(start, await mount.meta(place));
        continue;
      }
      const mayList = (path: string): boolean => isAllowed(this.#fields.grants, path, "list");
      for await (const meta of walk(mount, place, budget, mayList, options.signal)) found.set(meta.path, meta);
    }
    return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The files and folders right in a folder, sorted by path. */
  async children(path: string): Promise<EntryMeta[]> {
    const { mount, place } = await this.#allowed(path, "list");
    const entries = await mount.children(place, { left: this.#fields.maxEntries });
    return entries.map(({ isLink: _, ...meta }) => meta).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** What there is to know of a file or folder. */
  async file(path: string): Promise<EntryMeta> {
    const { mount, place } = await this.#allowed(path, "file");
    return mount.meta(place);
  }

  /** A file's bytes. */
  async readBinary(path: string): Promise<Uint8Array> {
    const { mount, place } = await this.#allowed(path, "read_binary");
    return (await mount.read(place, this.#fields.maxBytes)).bytes;
  }

  /** A file's text, as it stands but for a byte order mark; or `line` lines from line `index` on, counted from 0. */
  async readFile(path: string, part: { index?: number; line?: number } = {}): Promise<string> {
    const { mount, place } = await this.#allowed(path, "read_file");
    const { bytes } = await mount.read(place, this.#fields.maxBytes);
    return textSlice(withoutBom(decodeText(bytes, path)), part);
  }

  /**
   * The matches of a regular expression (flags `gm`) in a file's text. `overlap`: how many characters of a match the next
   * one may share. The pattern is the program's own: one that a model writes can be made to run for ever.
   */
  async readRe(path: string, pattern: string, options: { overlap?: number } = {}): Promise<string[]> {
    const { mount, place } = await this.#allowed(path, "read_re");
    const { bytes } = await mount.read(place, this.#fields.maxBytes);
    return readMatches(withoutBom(decodeText(bytes, path)), pattern, options.overlap);
  }

  /** Writes a file as a whole, with the folders it needs. `overwrite: false` refuses a file that exists. */
  async write(path: string, data: string | Uint8Array, options: { overwrite?: boolean } = {}): Promise<EntryMeta> {
    const { mount, place } = await this.#allowed(path, "write");
    const bytes = bytesOf(data);
    const { overwrite = true } = options;
    return this.#fields.queue.run([place.path], () => mount.write(place, bytes, { overwrite }));
  }

  /** Reads a text, and writes what `change` makes of it. Nothing else is written to the file through this file system in between. */
  async update(path: string, change: (text: string) => string): Promise<EntryMeta> {
    const { mount, place } = await this.#allowed(path, "write");
    await this.#allowed(path, "read_file");
    return this.#fields.queue.run([place.path], async () => {
      const { bytes, stats } = await mount.read(place, this.#fields.maxBytes);
      const text = decodeText(bytes, path);
      const changed = change(text);
      if (changed === text) return mount.meta(place);
      return mount.write(place, bytesOf(changed), { overwrite: true, before: stats });
    });
  }

  /** Deletes a file, or a link to one. */
  async delete(path: string): Promise<void> {
    // Where it leads is asked as well: a link that leads out is not touched.
    const { mount } = await this.#allowed(path, "delete");
    const at = path.lastIndexOf("/");
    if (at === path.length - 1)
      throw localError("NotAFile", `${inMessage(path)} is a directory: only files can be deleted.`);
    const parent = await mount.locate(path.slice(0, at + 1));
    this.#demand(asFolder(parent.resolved) + path.slice(at + 1), path, "delete");
    return this.#fields.queue.run([join(parent.path, path.slice(at + 1))], () => mount.remove(path, parent));
  }

  /** A line for each prefix: `/workspace/: ls, stat, read, write, delete`. */
  describeGrantsMarkdown(): string {
    return describeGrants(this.#fields.grants);
  }

  /** The most a path may do is asked of the path itself first, so that nothing is told of what is not granted. */
  async #allowed(path: string, operation: Operation): Promise<{ mount: Mount; place: LogicalPlace }> {
    validatePath(path);
    this.#demand(path, path, operation);
    const namespace = namespaceOf(path);
    const mount = namespace && this.#fields.mounts.get(namespace.prefix);
    if (mount === undefined) throw this.#denied(path, operation);
    const place = await mount.locate(path);
    this.#demand(place.resolved, path, operation);
    return { mount, place };
  }

  #demand(path: string, asked: string, operation: Operation): void {
    if (!isAllowed(this.#fields.grants, path, operation)) throw this.#denied(asked, operation);
  }

  #denied(path: string, operation: Operation): Error {
    const grants = this.#fields.grants.filter(({ ops }) => ops.has(operation));
    const where = grants.length === 0 ? "nowhere" : `below ${[...new Set(grants.map((one) => one.prefix))].join(", ")}`;
    const message = `Access denied for operation '${operation}' on path ${inMessage(path)}: it is allowed ${where}.`;
    return localError("AccessDenied", message);
  }

  #listable(): string[] {
    const prefixes = this.#fields.grants.filter(({ ops }) => ops.has("list")).map(({ prefix }) => prefix);
    if (prefixes.length === 0) throw this.#denied("/", "list");
    return [...new Set(prefixes)];
  }
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  if (data instanceof Uint8Array) return data;
  if (typeof data !== "string") throw localError("InvalidInput", "Invalid argument 'data': it must be text or bytes.");
  if (/\p{Surrogate}/u.test(data)) {
    throw localError("InvalidInput", "The text holds half of a surrogate pair, which no file of text can hold.");
  }
  return Buffer.from(data, "utf8");
}
