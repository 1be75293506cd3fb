import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt, codeOf } from "@toolglot/internal";
import { makeFolder } from "@toolglot/internal/node";
import { isHighSurrogate } from "./char-width.ts";

/** UTF-16 units that are gathered before they are written. */
const gathered = 65_536;

/** The file of a whole output: 0600, with a random name. Never throws: `failure` has the reason why there is none. */
export class ArtifactFile {
  /** Undefined before something is on disk, and when that failed. */
  path: string | undefined;
  /** Why there is no file. */
  failure: string | undefined;
  /** Bytes on disk. */
  bytes = 0;
  /** There was more than the bound allows; the file holds the beginning. */
  full = false;
  readonly #dir: string;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  #waiting: string[] = [];
  #waitingUnits = 0;

  constructor(dir: string, maxBytes: number) {
    this.#dir = dir;
    this.#maxBytes = maxBytes;
  }

  /** Something was written, or it was tried. */
  get begun(): boolean {
    return this.path !== undefined || this.failure !== undefined || this.#waitingUnits > 0;
  }

  write(text: string): void {
    if (this.full || this.failure !== undefined) return;
    this.#waiting.push(text);
    this.#waitingUnits += text.length;
    if (this.#waitingUnits >= gathered) this.#flush(false);
  }

  close(): void {
    if (this.failure === undefined && !this.full) this.#flush(true);
    this.#closeDescriptor();
  }

  discard(): void {
    this.#waiting = [];
    this.#waitingUnits = 0;
    this.#closeDescriptor();
    const { path } = this;
    // Where it can't be removed it stays: nothing depends on its being gone.
    if (path !== undefined) attempt(() => rmSync(path, { force: true }));
    this.path = undefined;
  }

  #flush(last: boolean): void {
    let text = this.#waiting.length === 1 ? (this.#waiting[0] as string) : this.#waiting.join("");
    this.#waiting = [];
    this.#waitingUnits = 0;
    const unit = text.charCodeAt(text.length - 1);
    if (!last && isHighSurrogate(unit)) {
      this.#waiting = [text.slice(-1)];
      this.#waitingUnits = 1;
      text = text.slice(0, -1);
    }
    try {
      this.#open();
      this.#put(Buffer.from(text, "utf8"));
    } catch (error) {
      this.discard();
      this.failure = reason(error);
    }
    if (this.full) this.#closeDescriptor();
  }

  #open(): void {
    if (this.#descriptor !== undefined) return;
    makeFolder(this.#dir);
    const path = join(resolve(this.#dir), `output-${randomBytes(12).toString("hex")}.txt`);
    this.#descriptor = openSync(path, "wx", 0o600);
    this.path = path;
  }

  #put(bytes: Buffer): void {
    let end = bytes.length;
    if (this.bytes + end > this.#maxBytes) {
      this.full = true;
      end = this.#maxBytes - this.bytes;
      // Not inside a character.
      while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
    }
    let at = 0;
    while (at < end) {
      const written = writeSync(this.#descriptor as number, bytes, at, end - at);
      at += written;
      this.bytes += written;
    }
  }

  #closeDescriptor(): void {
    if (this.#descriptor === undefined) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    // The descriptor is gone either way.
    attempt(() => closeSync(descriptor));
  }
}

/** Returns the system's code in words, where it is known, for a sentence. */
function reason(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOSPC") return "the disk is full";
  if (code === "EDQUOT") return "the disk quota is used up";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return `its folder can't be written (${code})`;
  return `its file could not be written (${code ?? "unknown error"})`;
}
