import { readFile, rm } from "node:fs/promises";
import { type BlobStore, checkStoredName } from "@toolglot/core/storage";
import { namesIn, pathOf } from "./names.ts";
import { absent, type OwnFolder } from "./own-folder.ts";

/** Creates the blobs of a folder: each is a file. */
export function folderBlobs(folder: OwnFolder, dir: string): BlobStore {
  /** The path of a blob, once the folder is there. */
  async function place(name: string): Promise<string> {
    checkStoredName(name);
    await folder.ready();
    return pathOf(dir, name, "blob");
  }
  return {
    async put(name, bytes) {
      await folder.write(await place(name), bytes);
    },
    async get(name) {
      return await absent(readFile(await place(name)));
    },
    async delete(name) {
      await rm(await place(name), { force: true });
    },
    async *list(prefix) {
      await folder.ready();
      yield* namesIn(dir, prefix, "blob");
    },
  };
}
