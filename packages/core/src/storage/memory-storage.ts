import { checkKeys } from "@toolglot/internal";
import { ToolglotError } from "../errors.ts";
import { MemoryOperationLog } from "../memory-operation-log.ts";
import { checkLogLines, checkStoredName } from "./names.ts";
import type { BlobStore, LogStore, Storage } from "./types.ts";

/** Options of {@link memoryStorage}. */
export interface MemoryStorageOptions {
  /** Bytes of all blobs together; `put` rejects beyond them with a `ToolglotError` `core/storage-full`. Default 512 MiB. */
  maxBytes?: number;
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
}

const defaultMaxBytes = 512 * 1024 * 1024;

/**
 * Creates a storage in the memory of this process, which forgets everything at exit. Bytes are copied in and out.
 *
 * @throws `TypeError` for unknown options and values of a wrong kind.
 *
 * @example
 * ```ts
 * const storage = memoryStorage();
 * await storage.logs.append("run-1", ["first line"], 0);
 * const lines = await storage.logs.read("run-1"); // ["first line"]
 * ```
 */
export function memoryStorage(options: MemoryStorageOptions = {}): Storage {
  checkKeys("memoryStorage", options, "maxBytes:count|Infinity now:function");
  const { maxBytes = defaultMaxBytes, now = Date.now } = options;
  const log = new MemoryOperationLog({ now });
  return {
    durability: "none",
    operations: {
      durability: "none",
      claim: (request) => log.claim(request),
      renew: (claim, leaseMs) => log.renew(claim, leaseMs),
      begin: (claim, data) => log.begin(claim, data),
      finish: (claim, result) => log.finish(claim, result),
      doubt: (claim, reason) => log.doubt(claim, reason),
      settle: (of, result, by) => log.settle(of, result, by),
      read: (key) => log.read(key),
    },
    logs: memoryLogs(),
    blobs: memoryBlobs(maxBytes),
    now,
    async close() {},
  };
}

function memoryLogs(): LogStore {
  const logs = new Map<string, string[]>();
  return {
    async append(name, lines, at) {
      checkStoredName(name);
      checkLogLines(lines);
      const log = logs.get(name) ?? [];
      if (log.length !== at) return false;
      logs.set(name, log);
      for (const line of lines) log.push(line);
      return true;
    },
    async read(name) {
      checkStoredName(name);
      return logs.get(name)?.slice();
    },
    async delete(name, at) {
      checkStoredName(name);
      if (at === undefined || logs.get(name)?.length === at) logs.delete(name);
    },
    list: (prefix) => namesIn(logs, prefix),
  };
}

function memoryBlobs(maxBytes: number): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  let used = 0;
  return {
    async put(name, bytes) {
      checkStoredName(name);
      const after = used + bytes.length - (blobs.get(name)?.length ?? 0);
      if (after > maxBytes) {
        const message = `The storage in memory has ${maxBytes} bytes, and ${used} are in use: raise maxBytes, or take one on disk.`;
        throw new ToolglotError("core/storage-full", message, { data: { bytes: after, max: maxBytes } });
      }
      used = after;
      blobs.set(name, Uint8Array.from(bytes));
    },
    async get(name) {
      checkStoredName(name);
      const bytes = blobs.get(name);
      return bytes && Uint8Array.from(bytes);
    },
    async delete(name) {
      checkStoredName(name);
      used -= blobs.get(name)?.length ?? 0;
      blobs.delete(name);
    },
    list: (prefix) => namesIn(blobs, prefix),
  };
}

async function* namesIn(all: ReadonlyMap<string, unknown>, prefix: string): AsyncIterable<string> {
  for (const name of [...all.keys()]) if (name.startsWith(prefix)) yield name;
}
