import { randomBytes } from "node:crypto";
import { type FileHandle, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { absent, inFolder, syncFolder } from "./own-folder.ts";

// A line of the file is `<at> <writer> <length> <text>`, `at` being how many lines the writer knew before it. Everybody writes at the end
// of the file, and a line counts when its number follows: of two writers who knew the same lines, the second one's don't count. A line
// that a crash cut off is shorter than it says, and does not count either.

/** How far a file was read. */
interface Known {
  /** The file, by its number on the disk: another one may have taken its name. */
  ino: number;
  size: number;
  /** Lines that count. */
  count: number;
  /** The last line is cut off. */
  isTorn: boolean;
}

const nothing: Known = { ino: 0, size: 0, count: 0, isTorn: false };
const form = /^(\d+) ([0-9a-f]+) (\d+) (.*)$/s;

/** One log. */
export class LogFile {
  readonly #path: string;
  #known = nothing;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  append(lines: readonly string[], at: number): Promise<boolean> {
    return this.#inTurn(async () => {
      // What is written in this mode stands at the end, whoever else writes.
      const file = await inFolder(this.#path, () => open(this.#path, "a+", 0o600));
      try {
        return await this.#append(file, lines, at);
      } finally {
        await file.close();
      }
    });
  }

  async #append(file: FileHandle, lines: readonly string[], at: number): Promise<boolean> {
    const { ino, size } = await file.stat();
    if (ino !== this.#known.ino || size !== this.#known.size) {
      const bytes = await readRange(file, 0, size);
      this.#known = { ino, size, count: countingLines(bytes, 0).length, isTorn: isTorn(bytes) };
    }
    const { count } = this.#known;
    if (count !== at) return false;
    const start = this.#known.isTorn ? "\n" : "";
    const writer = randomBytes(8).toString("hex");
    const bytes = Buffer.from(
      start + lines.map((text, index) => `${count + index} ${writer} ${text.length} ${text}\n`).join(""),
    );
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes were written`);
    await file.datasync();
    if (size === 0) await syncFolder(dirname(this.#path));
    const now = (await file.stat()).size;
    const all = now === size + bytes.length ? bytes : await readRange(file, size, now);
    const added = countingLines(all, count);
    this.#known = { ino, size: now, count: count + added.length, isTorn: isTorn(all) };
    const own = added.filter((line) => line.writer === writer).length;
    if (own < lines.length) return false;
    // Somebody may have removed the log meanwhile.
    return (await absent(stat(this.#path)))?.ino === ino;
  }

  read(): Promise<string[] | undefined> {
    return this.#inTurn(async () => {
      const bytes = await absent(readFile(this.#path));
      const lines = bytes && countingLines(bytes, 0).map(({ text }) => text);
      return lines?.length === 0 ? undefined : lines;
    });
  }

  delete(at: number | undefined): Promise<void> {
    return this.#inTurn(async () => {
      if (at !== undefined) {
        const bytes = await absent(readFile(this.#path));
        if (bytes && countingLines(bytes, 0).length !== at) return;
      }
      await rm(this.#path, { force: true });
      this.#known = nothing;
    });
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#waiting += 1;
    const turn = this.#last.then(work, work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

const isTorn = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes.at(-1) !== 0x0a;

/** The lines of a piece of a file that count, behind so many. */
function countingLines(bytes: Uint8Array, before: number): { writer: string; text: string }[] {
  const found: { writer: string; text: string }[] = [];
  for (const line of Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8").split("\n")) {
    const [, at, writer = "", length, text = ""] = form.exec(line) ?? [];
    if (at !== undefined && Number(at) === before + found.length && text.length === Number(length)) {
      found.push({ writer, text });
    }
  }
  return found;
}

async function readRange(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(to - from), position: from });
  return buffer.subarray(0, bytesRead);
}
