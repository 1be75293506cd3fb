import { execFile } from "node:child_process";
import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { attempt, codeOf } from "@toolglot/internal";
import { newShellFolder } from "./shell-folders.ts";

const run = promisify(execFile);

/**
 * What scripts read where there is no terminal: a FIFO. Its readers see an end while nobody holds it open for writing, and can read
 * again once somebody does: so the input of one command can be ended without ending that of the next.
 */
export class InputPipe {
  /** For the shell, and so that a write finds a reader. */
  readonly reader: number;
  readonly #folder: string;
  #writer: number | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #isEnding = false;
  #isOver = false;
  #retry: NodeJS.Timeout | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    // Neither end can be opened by itself before the other is.
    const both = openSync(this.#path, constants.O_RDWR | constants.O_NONBLOCK);
    this.reader = openSync(this.#path, constants.O_RDONLY);
    this.begin();
    closeSync(both);
  }

  /** Creates the FIFO; undefined where the system has none. */
  static async make(): Promise<InputPipe | undefined> {
    const folder = newShellFolder();
    try {
      await run("mkfifo", ["-m", "600", join(folder, "input")]);
      return new InputPipe(folder);
    } catch {
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
  }

  get #path(): string {
    return join(this.#folder, "input");
  }

  /** Opens the input again, for the next command. */
  begin(): void {
    if (this.#isOver || (this.#writer !== undefined && !this.#isEnding)) return;
    this.#close();
    const open = (path: string): number | undefined =>
      attempt(() => openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    // A command may have removed the path.
    this.#writer = open(`/proc/self/fd/${this.reader}`) ?? open(this.#path);
  }

  /** Writes input; false when it was ended. Never waits: what the pipe doesn't take yet is written later. */
  write(data: string): boolean {
    if (this.#writer === undefined || this.#isEnding) return false;
    this.#rest = Buffer.concat([this.#rest, Buffer.from(data)]);
    if (this.#retry === undefined) this.#send();
    return true;
  }

  /** Ends the input, once what was written is read. */
  end(): void {
    this.#isEnding = true;
    if (this.#retry === undefined) this.#send();
  }

  dispose(): void {
    // Once only: by then the number may be another file's.
    if (this.#isOver) return;
    this.#isOver = true;
    this.#close();
    attempt(() => closeSync(this.reader));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #send(): void {
    this.#retry = undefined;
    try {
      while (this.#writer !== undefined && this.#rest.length > 0)
        this.#rest = this.#rest.subarray(writeSync(this.#writer, this.#rest));
    } catch (error) {
      if (codeOf(error) === "EAGAIN") {
        this.#retry = setTimeout(() => this.#send(), 5).unref();
        return;
      }
      this.#rest = Buffer.alloc(0);
    }
    if (this.#isEnding) this.#close();
  }

  #close(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#rest = Buffer.alloc(0);
    this.#isEnding = false;
    const writer = this.#writer;
    this.#writer = undefined;
    if (writer !== undefined) attempt(() => closeSync(writer));
  }
}
