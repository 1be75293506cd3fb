import { join } from "node:path";
import { checkKeys } from "@toolglot/internal";
import { localError, localErrorType } from "../../errors.ts";
import type { PathQueue } from "../../files/file-operations.ts";
import { byteOrderMark, decodeText, encodeText } from "../../files/text.ts";
import { inMessage } from "../../messages.ts";
import { type CheckedGrant, describeGrants, isAllowed } from "./grants.ts";
import type { LogicalPlace, Mount } from "./mount.ts";
import { asFolder, namespaceOf, validatePath } from "./namespaces.ts";
import { readMatches, textSlice } from "./tool-texts.ts";
import type { EntryMeta, FsHandle, Operation } from "./types.ts";

export interface HandleFields {
  mounts: ReadonlyMap<string, Mount>;
  grants: readonly CheckedGrant[];
  /** Of the file system: changes to one file wait for each other, whichever handle makes them. */
  queue: PathQueue;
  maxBytes: number;
  maxEntries: number;
}

/** A handle over mounts: asks the grants, then the mount. */
export class GrantedHandle implements FsHandle {
  readonly #fields: HandleFields;

  constructor(fields: HandleFields) {
    this.#fields = fields;
  }

  get prefixes(): string[] {
    return [...new Set(this.#fields.grants.map(({ prefix }) => prefix))].sort();
  }

  async list(prefix?: string, options: { signal?: AbortSignal } = {}): Promise<EntryMeta[]> {
    checkKeys("list", options, "signal:signal");
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
      // Folders that are links are not followed, so that this comes to an end; links to files are files.
      const folders = [place];
      for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
        options.signal?.throwIfAborted();
        for (const { isLink, ...meta } of await mount.children(folder, budget)) {
          if (meta.kind === "file") found.set(meta.path, meta);
          if (meta.kind === "file" || isLink) continue;
          const below = await mount.locate(meta.path).catch(() => undefined);
          if (below?.kind === "directory" && this.#isAllowed(asFolder(below.resolved), "list")) folders.push(below);
        }
      }
    }
    return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async children(path: string): Promise<EntryMeta[]> {
    const { mount, place } = await this.#allowed(path, "list");
    const entries = await mount.children(place, { left: this.#fields.maxEntries });
    return entries.map(({ isLink: _, ...meta }) => meta).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async file(path: string): Promise<EntryMeta> {
    const { mount, place } = await this.#allowed(path, "file");
    return mount.meta(place);
  }

  readBinary(path: string): Promise<Uint8Array> {
    return this.#read(path, "read_binary");
  }

  async readFile(path: string, part: { index?: number; line?: number } = {}): Promise<string> {
    return textSlice(decodeText(await this.#read(path, "read_file"), inMessage(path)).text, part);
  }

  async readRe(path: string, pattern: string, options: { overlap?: number } = {}): Promise<string[]> {
    checkKeys("readRe", options, "overlap:number");
    const { text } = decodeText(await this.#read(path, "read_re"), inMessage(path));
    return readMatches(text, pattern, options.overlap);
  }

  async write(path: string, data: string | Uint8Array, options: { overwrite?: boolean } = {}): Promise<EntryMeta> {
    checkKeys("write", options, "overwrite:boolean");
    const { mount, place } = await this.#allowed(path, "write");
    const bytes = bytesOf(data);
    const { overwrite = true } = options;
    return this.#fields.queue.run([place.path], () => mount.write(place, bytes, { overwrite }));
  }

  async update(path: string, change: (text: string) => string): Promise<EntryMeta> {
    const { mount, place } = await this.#allowed(path, "write");
    await this.#allowed(path, "read_file");
    return this.#fields.queue.run([place.path], async () => {
      const { bytes, stats } = await mount.read(place, this.#fields.maxBytes);
      const { bom, text: bare } = decodeText(bytes, inMessage(path));
      const text = bom ? byteOrderMark + bare : bare;
      const changed = change(text);
      if (changed === text) return mount.meta(place);
      return mount.write(place, bytesOf(changed), { overwrite: true, before: stats });
    });
  }

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

  describeGrantsMarkdown(): string {
    return describeGrants(this.#fields.grants);
  }

  async #read(path: string, operation: Operation): Promise<Uint8Array> {
    const { mount, place } = await this.#allowed(path, operation);
    return (await mount.read(place, this.#fields.maxBytes)).bytes;
  }

  /** Checks the path as written first, so that a message reveals nothing about what is not granted. */
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
    if (!this.#isAllowed(path, operation)) throw this.#denied(asked, operation);
  }

  #isAllowed(path: string, operation: Operation): boolean {
    return isAllowed(this.#fields.grants, path, operation);
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
  return encodeText(data, false);
}
