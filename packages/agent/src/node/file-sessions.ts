import { type FileHandle, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { LineReader, sessionBusy } from "../session/lines.ts";
import type { SessionStore } from "../session/types.ts";

/**
 * Creates a store that keeps the log of each run in a file of a folder, `<runId>.jsonl`, which only its owner can read (mode 0600; characters that no
 * file name can hold are percent-encoded). The folder is made when there is none. A line is on the disk before `append` resolves.
 *
 * Of several processes that add to one log, the one that was first has it: `append` of the others rejects with `ToolglotError`
 * `agent/session-busy`. Nothing is locked, so a process that was killed holds nobody up.
 *
 * @throws `TypeError` when `folder` is no text, or empty.
 *
 * @example
 * ```ts
 * const sessions = fileSessions(folder);
 * const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit, sessions });
 * ```
 */
export function fileSessions(folder: string): SessionStore {
  if (typeof folder !== "string" || folder === "") throw new TypeError("fileSessions needs a folder.");
  const logs = new Map<string, FileLog>();
  const logOf = (runId: string): FileLog => {
    const log = logs.get(runId) ?? new FileLog(folder, runId);
    logs.set(runId, log);
    return log;
  };
  return {
    async append(runId, lines, at) {
      const log = logOf(runId);
      await log.append(lines, at);
      if (log.isEnded) logs.delete(runId);
    },
    async read(runId) {
      const log = logOf(runId);
      const lines = await log.read();
      if (lines === undefined || log.isEnded) logs.delete(runId);
      return lines;
    },
    async delete(runId) {
      await logOf(runId).remove();
      logs.delete(runId);
    },
  };
}

/** Log of one run in a file, as far as it is known. */
class FileLog {
  readonly #folder: string;
  readonly #runId: string;
  readonly #path: string;
  #reader = new LineReader();
  /** Bytes that were read, or written here. */
  #known = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string, runId: string) {
    this.#folder = folder;
    this.#runId = runId;
    this.#path = join(folder, `${fileName(runId)}.jsonl`);
  }

  get isEnded(): boolean {
    return this.#reader.isEnded;
  }

  append(lines: readonly string[], at: number): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#reader.count !== at) await this.#readAgain();
      if (this.#reader.count !== at) throw sessionBusy(this.#runId);
      const isNew = this.#known === 0;
      if (isNew) await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      // In this mode all is written at the end, whoever else writes.
      const file = await open(this.#path, "a+", 0o600);
      try {
        await this.#write(file, lines);
      } finally {
        await file.close();
      }
      if (isNew) await syncFolder(this.#folder);
    });
  }

  async #write(file: FileHandle, lines: readonly string[]): Promise<void> {
    const { size } = await file.stat();
    // A line that was cut off stays one of its own.
    const start = size > 0 && !(await endsWithNewline(file, size)) ? "\n" : "";
    const bytes = Buffer.from(start + lines.map((line) => `${line}\n`).join(""));
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes were written`);
    await file.datasync();
    const { size: now } = await file.stat();
    const isAlone = size === this.#known && now === size + bytes.length;
    const text = isAlone ? bytes : await readRange(file, this.#known, now);
    const counted = this.#take(text.toString("utf8"));
    this.#known = now;
    if (!lines.every((line) => counted.has(line))) throw sessionBusy(this.#runId);
  }

  /** Returns the lines of a text that count. */
  #take(text: string): Set<string> {
    return new Set(text.split("\n").filter((line) => this.#reader.read(line) !== undefined));
  }

  async #readAgain(): Promise<string | undefined> {
    this.#reader = new LineReader();
    this.#known = 0;
    const bytes = await readFile(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (bytes === undefined) return undefined;
    const text = bytes.toString("utf8");
    this.#take(text);
    this.#known = bytes.length;
    return text;
  }

  read(): Promise<string[] | undefined> {
    return this.#inTurn(async () => (await this.#readAgain())?.split("\n"));
  }

  remove(): Promise<void> {
    return this.#inTurn(() => rm(this.#path, { force: true }));
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function fileName(runId: string): string {
  if (typeof runId !== "string" || runId === "") throw new TypeError("The id of a run must be text, and not empty.");
  return encodeURIComponent(runId.replace(/\p{Cs}/gu, "\ufffd"))
    .replace(/^\./, "%2E")
    .replaceAll("*", "%2A");
}

async function endsWithNewline(file: FileHandle, size: number): Promise<boolean> {
  return (await readRange(file, size - 1, size))[0] === 0x0a;
}

async function readRange(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(to - from), position: from });
  return buffer.subarray(0, bytesRead);
}

/** Writes the name of a new file to the disk, too. */
async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder, and needs none to be.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
