import { isCount } from "@toolglot/internal";
import type { GuestMemory } from "../../engine.ts";
import { bytesOfPages, type MemoryHead, readMemoryHead } from "../../session/memory-head.ts";
import { isFilePath, maxFileBytes, maxOutputs } from "./files.ts";
import { decodeFrame, FrameError } from "./frames.ts";

/** Puts together what a child sends of a session's memory. It may be hostile: what makes no sense throws {@link FrameError}. */
export class MemoryTransfer {
  readonly #maxBytes: number;
  #head: Head | undefined;
  readonly #parts: Buffer[] = [];
  #received = 0;

  /** `maxBytes`: of the interpreter's memory. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes a frame; the memory when it is the last one. */
  push(body: Buffer): GuestMemory | undefined {
    if (this.#head === undefined) this.#head = this.#readHead(decodeFrame(body));
    else {
      this.#parts.push(body);
      this.#received += body.length;
    }
    const { listed, ...head } = this.#head;
    const pageEnd = bytesOfPages(head);
    const whole = listed.reduce((sum, { bytes }) => sum + bytes, pageEnd);
    if (this.#received > whole || (body.length === 0 && whole > 0))
      throw new FrameError("pages that were not announced");
    if (this.#received < whole) return undefined;
    const all = Buffer.concat(this.#parts);
    let at = pageEnd;
    const files = listed.map(({ path, bytes }) => {
      at += bytes;
      return { path, data: all.subarray(at - bytes, at) };
    });
    return { ...head, pages: all.subarray(0, pageEnd), files };
  }

  #readHead(message: Record<string, unknown>): Head {
    const head = readMemoryHead(message, this.#maxBytes);
    const { folders, files } = message;
    const isFit = head && Array.isArray(folders) && Array.isArray(files) && areFiles(files, folders);
    if (!isFit) throw new FrameError("a memory that makes no sense");
    return { ...head, folders, listed: files };
  }
}

type Head = MemoryHead & Pick<GuestMemory, "folders"> & { listed: readonly ListedFile[] };

interface ListedFile {
  path: string;
  bytes: number;
}

/** Checks whether these are files and folders, each in one of the folders, within the limits. */
function areFiles(files: readonly unknown[], folders: readonly unknown[]): files is ListedFile[] {
  if (files.length + folders.length > maxOutputs) return false;
  const known = new Set(folders);
  const taken = new Set<string>();
  const isPlaced = (path: unknown): boolean => {
    if (!isFilePath(path) || taken.has(path)) return false;
    taken.add(path);
    return !path.includes("/") || known.has(path.slice(0, path.lastIndexOf("/")));
  };
  if (!folders.every(isPlaced)) return false;
  let left = maxFileBytes;
  for (const file of files as Partial<ListedFile>[]) {
    if (!isCount(file?.bytes) || !isPlaced(file.path)) return false;
    left -= file.bytes;
  }
  return left >= 0;
}
