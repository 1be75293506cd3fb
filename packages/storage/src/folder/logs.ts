import { checkLogLines, checkStoredName, type LogStore } from "@toolglot/core/storage";
import { LogFile } from "./log-file.ts";
import { namesIn, pathOf } from "./names.ts";
import type { OwnFolder } from "./own-folder.ts";

/** Logs of which it is remembered how far they were read. */
const maxKnown = 1000;

/** Each log is a file, see {@link LogFile}. */
export class FolderLogs implements LogStore {
  readonly #folder: OwnFolder;
  readonly #dir: string;
  /** Most recently used last. */
  readonly #known = new Map<string, LogFile>();

  constructor(folder: OwnFolder, dir: string) {
    this.#folder = folder;
    this.#dir = dir;
  }

  async append(name: string, lines: readonly string[], at: number): Promise<boolean> {
    checkLogLines(lines);
    return (await this.#file(name)).append(lines, at);
  }

  async read(name: string): Promise<string[] | undefined> {
    return (await this.#file(name)).read();
  }

  async delete(name: string, at?: number): Promise<void> {
    await (await this.#file(name)).delete(at);
  }

  async *list(prefix: string): AsyncIterable<string> {
    await this.#folder.ready();
    yield* namesIn(this.#dir, prefix, "log");
  }

  async #file(name: string): Promise<LogFile> {
    checkStoredName(name);
    await this.#folder.ready();
    const file = this.#known.get(name) ?? new LogFile(pathOf(this.#dir, name, "log"));
    this.#known.delete(name);
    this.#known.set(name, file);
    for (const [other, { isIdle }] of this.#known) {
      if (this.#known.size <= maxKnown) break;
      if (isIdle && other !== name) this.#known.delete(other);
    }
    return file;
  }
}
