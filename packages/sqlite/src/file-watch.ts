import { statSync } from "node:fs";
import { storeError } from "./errors.ts";

/** A store is these files; who opens the path anew must get the very same ones, or two routers don't see each other. */
const parts = ["", "-wal", "-shm"];

/** Knows the files that a connection has open by device and inode, and whether the path still names them. */
export class FileWatch {
  readonly #file: string;
  readonly #known = new Map<string, string>();

  /** To be made right after the file was opened. */
  constructor(file: string) {
    this.#file = file;
    this.check();
  }

  /** Throws `trp/store-replaced` when the path names other files now, or none. */
  check(): void {
    for (const part of parts) {
      const path = this.#file + part;
      const found = statSync(path, { throwIfNoEntry: false });
      const now = found && `${found.dev}:${found.ino}`;
      const known = this.#known.get(part);
      if (known === now) continue;
      if (known === undefined && now !== undefined) {
        this.#known.set(part, now);
        continue;
      }
      const what = now === undefined ? "was deleted or moved" : "was replaced by another file";
      const text = `${path} ${what} while the store had it open: nothing is written any more. Put the file back, or restart.`;
      throw storeError("trp/store-replaced", text, { file: this.#file });
    }
  }
}
