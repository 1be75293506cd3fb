import { readFile, rm } from "node:fs/promises";
import { type BlobStore, checkStoredName } from "@toolglot/core/storage";
import { namesIn, pathOf } from "./names.ts";
import { absent, type OwnFolder } from "./own-folder.ts";

/** Each blob is a file. */
export class FolderBlobs implements BlobStore {
  readonly #folder: OwnFolder;
  readonly #dir: string;

  constructor(folder: OwnFolder, dir: string) {
    this.#folder = folder;
    this.#dir = dir;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#folder.write(this.#path(name), bytes);
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    const path = this.#path(name);
    await this.#folder.ready();
    return await absent(readFile(path));
  }

  async delete(name: string): Promise<void> {
    const path = this.#path(name);
    await this.#folder.ready();
    await rm(path, { force: true });
  }

  async *list(prefix: string): AsyncIterable<string> {
    await this.#folder.ready();
    yield* namesIn(this.#dir, prefix, "blob");
  }

  #path(name: string): string {
    checkStoredName(name);
    return pathOf(this.#dir, name, "blob");
  }
}
