import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { attempt, codeOf } from "@toolglot/internal";
import { newShellFolder } from "./shell-folders.ts";

const run = promisify(execFile);

/**
 * How a script gets to the shell without being typed: a FIFO that only this user can open, so that nothing of it is
 * ever on a disk; where there are none, a temporary file that is removed. Both in a folder of their own (0700).
 */
export class ScriptChannel {
  /** What the shell sources. */
  readonly path: string;
  /** A script that ends with the status it is given. */
  readonly statusPath: string;
  /** True: a FIFO. */
  readonly fifo: boolean;
  readonly #dir: string;
  #cancel: (() => void) | undefined;

  private constructor(dir: string, path: string, fifo: boolean) {
    this.#dir = dir;
    this.path = path;
    this.statusPath = this.writeFile("status", 'return "$1"\n');
    this.fifo = fifo;
  }

  /** Creates the folder, in `within` if that is given, and the FIFO in it unless `plainFile` or the system has none. */
  static async create(plainFile: boolean, within?: string): Promise<ScriptChannel> {
    const dir = within === undefined ? newShellFolder() : mkdtempSync(join(within, "scripts-"));
    const path = join(dir, "script");
    const fifo =
      !plainFile && process.platform !== "win32"
        ? await run("mkfifo", ["-m", "600", path]).then(
            () => true,
            () => false,
          )
        : false;
    return new ScriptChannel(dir, path, fifo);
  }

  /** Returns a place for a file next to the script. */
  place(name: string): string {
    return join(this.#dir, name);
  }

  /** Writes a file that only this user can read, next to the script. */
  writeFile(name: string, text: string): string {
    const path = join(this.#dir, `${name}-${randomBytes(4).toString("hex")}`);
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return path;
  }

  /** Removes one of its files; one that is gone is fine. */
  removeFile(path: string): void {
    attempt(() => unlinkSync(path));
  }

  /** To be called before the shell is asked to source {@link path}: a plain file must be there by then. */
  prepare(text: string): void {
    if (this.fifo) return;
    this.removeFile(this.path);
    writeFileSync(this.path, text, { mode: 0o600, flag: "wx" });
  }

  /**
   * Writes the text for the shell that sources {@link path}. `done` hears true as soon as all of it is written, and false when it was
   * cancelled or the place is not what it was (a command removed or replaced it). Never blocks: opening a FIFO for writing fails
   * until somebody reads, so it is tried again, at once at first and then less and less often.
   */
  deliver(text: string, done: (delivered: boolean) => void): void {
    if (!this.fifo) {
      done(true);
      return;
    }
    let waits = 0;
    let fd: number | undefined;
    let rest = Buffer.from(text);
    // Two, and each cleared by its own function: Node 20 loses count of its immediates when it is given a timeout to clear.
    let soon: NodeJS.Immediate | undefined;
    let later: NodeJS.Timeout | undefined;
    const finish = (delivered: boolean): void => {
      clearImmediate(soon);
      clearTimeout(later);
      if (fd !== undefined) closeSync(fd);
      this.#cancel = undefined;
      done(delivered);
    };
    const again = (): void => {
      waits++;
      if (waits < 40) soon = setImmediate(step);
      else later = setTimeout(step, Math.min(50, waits - 39));
    };
    const step = (): void => {
      try {
        if (fd === undefined) {
          fd = openSync(this.path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
          waits = 0;
          if (!fstatSync(fd).isFIFO()) {
            finish(false);
            return;
          }
        }
        while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        const code = codeOf(error);
        // ENXIO: nobody reads yet. EAGAIN: the reader has to catch up.
        if (code === "ENXIO" || code === "EAGAIN" || code === "EINTR") again();
        else finish(false);
        return;
      }
      finish(true);
    };
    this.#cancel = () => finish(false);
    step();
  }

  /** Ends the delivery: the command is over, whatever became of its text. */
  settle(): void {
    this.#cancel?.();
    if (!this.fifo) this.removeFile(this.path);
  }

  /** Releases a shell that waits for a script, with an empty one, unless `meanwhile` it is found to be given a text. */
  async release(meanwhile: () => Promise<void>): Promise<void> {
    const fd = this.#openForWaiting(this.path);
    if (fd === undefined) return;
    try {
      await meanwhile();
    } finally {
      closeSync(fd);
    }
  }

  /** Opens the FIFO for writing if a shell waits for its text: it waits on until this is closed, also for what others write. */
  #openForWaiting(path: string): number | undefined {
    if (!this.fifo) return undefined;
    return attempt(() => openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
  }

  /** Removes the folder and all in it. A shell that waits for a script gets an empty one. Safe to call twice. */
  remove(): void {
    this.#cancel?.();
    // In this order: a shell that comes later finds nothing, and one that waits already resumes.
    const aside = `${this.path}-removed`;
    attempt(() => renameSync(this.path, aside));
    const fd = this.#openForWaiting(aside);
    if (fd !== undefined) closeSync(fd);
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
