import { checkLogLines, checkStoredName, type LogStore } from "@toolglot/core/storage";
import { LogFile } from "./log-file.ts";
import { namesIn, pathOf } from "./names.ts";
import type { OwnFolder } from "./own-folder.ts";

/** Logs of which it is remembered how far they were read. */
const maxKnown = 1000;

/** Creates the logs of a folder: each is a file, see {@link LogFile}. */
export function folderLogs(folder: OwnFolder, dir: string): LogStore {
  /** Most recently used last. */
  const known = new Map<string, LogFile>();

  async function fileOf(name: string): Promise<LogFile> {
    checkStoredName(name);
    await folder.ready();
    const file = known.get(name) ?? new LogFile(pathOf(dir, name, "log"));
    known.delete(name);
    known.set(name, file);
    for (const [other, { isIdle }] of known) {
      if (known.size <= maxKnown) break;
      if (isIdle && other !== name) known.delete(other);
    }
    return file;
  }

  return {
    async append(name, lines, at) {
      checkLogLines(lines);
      return (await fileOf(name)).append(lines, at);
    },
    async read(name) {
      return (await fileOf(name)).read();
    },
    async delete(name, at) {
      await (await fileOf(name)).delete(at);
    },
    async *list(prefix) {
      await folder.ready();
      yield* namesIn(dir, prefix, "log");
    },
  };
}
