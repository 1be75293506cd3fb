import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { attempt, codeOf, defined, ignoring } from "@toolglot/internal";
import { createFlags, discardFile, removeFile, sha256, syncFolder, writeAll } from "../files/file-operations.ts";
import { flush, readFlags } from "../files/pinned-folder.ts";
import type { Reach } from "./points.ts";
import {
  isFinal,
  keptBytes,
  type Manifest,
  parseManifest,
  type RecordState,
  recordStates,
  type StoredRecord,
} from "./record.ts";
import type { ChangeRecord } from "./types.ts";

/** The entry of the journal's folder in which the lock is. */
export const lockFolder = "lock";

/** Changes that failed, of which the records are kept. */
const keptFailures = 20;
/** Of a record that was made elsewhere its beginning is read, until the manifest is complete. */
const pieceBytes = 1 << 16;

/** The name of a record, or of what belongs to one: `.new` while it is written, `.trouble` for what went wrong with it. */
const namePattern = /^((\d{9})-[0-9a-f]{6})\.(new|prepared|committing|done|rolled-back|conflict|forgotten|trouble)$/;

/** What lies in the journal's folder. */
export interface Scan {
  /** Oldest first. */
  records: StoredRecord[];
  /** Names of files that died before they became records, and of what was left of pruned ones. No file depends on them. */
  leftovers: string[];
  /** What can't be read, and what is none of the journal's. Left alone. */
  strange: ChangeRecord[];
  /** The number of the newest record, readable or not. */
  newest: number;
}

/**
 * The records of a journal: a file each, named for the change and its state (`000000012-9f3c5a.done`). Its first line is the manifest, as
 * JSON; behind it stands what the files held before. A change of state is a renaming: it needs no space on a full disk.
 */
export class Records {
  readonly #dir: string;
  /** Final records, by name. Only their state changes, and with it the name. */
  readonly #known = new Map<string, StoredRecord>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  async scan(): Promise<Scan> {
    const scan: Scan = { records: [], leftovers: [], strange: [], newest: 0 };
    const names = readdirSync(this.#dir).sort();
    const there = new Set(names);
    for (const name of names) {
      const known = this.#known.get(name);
      if (known !== undefined) scan.records.push(known);
      else if (name !== lockFolder) await this.#find(name, scan, there);
    }
    for (const name of this.#known.keys()) if (!there.has(name)) this.#known.delete(name);
    scan.newest = Math.max(scan.newest, Number(scan.records.at(-1)?.manifest.id.slice(0, 9) ?? 0));
    return scan;
  }

  /** Finds out what a name is that isn't known. */
  async #find(name: string, scan: Scan, there: ReadonlySet<string>): Promise<void> {
    const [, id, number, state] = namePattern.exec(name) ?? [];
    if (id === undefined) {
      scan.strange.push(this.#strange(name, name, `${name} is no record of a change`));
      return;
    }
    scan.newest = Math.max(scan.newest, Number(number));
    if (state === "new") scan.leftovers.push(name);
    else if (state !== "trouble") await this.#read(id, name, state as RecordState, scan);
    // Of a record that was pruned.
    else if (!recordStates.some((state) => there.has(`${id}.${state}`))) scan.leftovers.push(name);
  }

  async #read(id: string, name: string, state: RecordState, scan: Scan): Promise<void> {
    const found = await beginning(join(this.#dir, name)).catch((error) => codeOf(error));
    // Another process has changed its state, or pruned it, since the listing.
    if (found === "ENOENT") return;
    const { line, size } = typeof found === "object" ? found : { line: Buffer.alloc(0), size: Infinity };
    const manifest = parseManifest(line.toString("utf8"), id);
    const isTorn = size < Infinity && (line.at(-1) !== 0x0a || size < line.length + keptBytes(manifest?.files ?? []));
    if (isTorn && state === "prepared") {
      // By a power cut: nothing in the tree is touched before all of a record is on the disk.
      scan.leftovers.push(name);
    } else if (manifest === undefined) {
      scan.strange.push(this.#strange(id, name, `The record ${id} can't be read`));
    } else {
      const record = { manifest, state, start: line.length, ...defined({ trouble: await this.#trouble(id) }) };
      if (isFinal(state)) this.#known.set(name, record);
      scan.records.push(record);
    }
  }

  #strange(id: string, name: string, what: string): ChangeRecord {
    const found = attempt(() => statSync(join(this.#dir, name)));
    const trouble = [`${what}; it was left alone.`];
    return { id, at: Math.round(found?.mtimeMs ?? 0), state: "conflict", files: [], trouble };
  }

  async #trouble(id: string): Promise<string[] | undefined> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#path(id, "trouble"), "utf8"));
      return Array.isArray(value) ? value.filter((line) => typeof line === "string") : undefined;
    } catch {
      return undefined;
    }
  }

  #path(id: string, state: RecordState | "new" | "trouble"): string {
    return join(this.#dir, `${id}.${state}`);
  }

  /** Returns a name for a change that comes after all those there are. */
  nextId(scan: Scan): string {
    scan.newest += 1;
    // Of all random numbers of the system these take the least time.
    return `${String(scan.newest).padStart(9, "0")}-${randomUUID().slice(0, 6)}`;
  }

  /** Writes a record down, at once or not at all; it does not last before {@link keep}. */
  async prepare(manifest: Manifest, old: readonly (Uint8Array | null)[], reach: Reach): Promise<StoredRecord> {
    const { id } = manifest;
    const line = Buffer.from(`${JSON.stringify(manifest)}\n`);
    const written = this.#path(id, "new");
    try {
      const file = openSync(written, createFlags, 0o600);
      try {
        await reach("record-made");
        await writeAll(file, line);
        for (const [index, bytes] of old.entries()) {
          if (bytes === null) continue;
          await writeAll(file, bytes);
          await reach("old-kept", index);
        }
      } finally {
        closeSync(file);
      }
      renameSync(written, this.#path(id, "prepared"));
    } catch (error) {
      attempt(() => removeFile(written));
      throw error;
    }
    return { manifest, state: "prepared", start: line.length };
  }

  /** Makes what a record holds, and its name, last. */
  async keep({ manifest, state }: StoredRecord): Promise<void> {
    const file = openSync(this.#path(manifest.id, state), constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
    await Promise.all([flush(file).finally(() => closeSync(file)), syncFolder(this.#dir)]);
  }

  /** Changes the state of a record. That need not last: after a power cut the content of the files shows how far the change came. */
  mark(record: StoredRecord, state: RecordState): void {
    const { id } = record.manifest;
    renameSync(this.#path(id, record.state), this.#path(id, state));
    this.#known.delete(`${id}.${record.state}`);
    if (isFinal(state)) this.#known.set(`${id}.${state}`, record);
    record.state = state;
  }

  /** Sets, and keeps as well as can be, what went wrong with a record; nothing when there is no trouble. */
  setTrouble(record: StoredRecord, trouble: string[]): void {
    const path = this.#path(record.manifest.id, "trouble");
    if (trouble.length > 0) {
      record.trouble = trouble;
      attempt(() => writeFileSync(path, JSON.stringify(trouble), { mode: 0o600 }));
    } else if (record.trouble !== undefined) {
      delete record.trouble;
      attempt(() => removeFile(path));
    }
  }

  /** Returns what a file held before; undefined when the journal has it no more, or not as it was. */
  async old({ manifest, state, start }: StoredRecord, index: number): Promise<Uint8Array | undefined> {
    const before = manifest.files[index]?.before;
    await using file = await open(this.#path(manifest.id, state), readFlags).catch(ignoring("ENOENT"));
    if (file === undefined || before === undefined || before === null) return undefined;
    const at = keptBytes(manifest.files.slice(0, index));
    const { bytesRead, buffer } = await file.read(Buffer.alloc(before.size), 0, before.size, start + at);
    return bytesRead === before.size && sha256(buffer) === before.hash ? buffer : undefined;
  }

  /** Drops the old contents of a change that nothing is left of. */
  dropOld({ manifest, state, start }: StoredRecord): void {
    attempt(() => truncateSync(this.#path(manifest.id, state), start));
  }

  /** Removes the old contents of a change for good, and marks its record. */
  async forget(record: StoredRecord): Promise<void> {
    truncateSync(this.#path(record.manifest.id, record.state), record.start);
    this.mark(record, "forgotten");
    await this.keep(record);
  }

  /** Removes what a {@link Scan} found left over. */
  clear(scan: Scan): void {
    for (const name of scan.leftovers.splice(0)) attempt(() => removeFile(join(this.#dir, name)));
  }

  /** Removes a record; what is left of an interrupted removal is seen as a leftover. */
  #remove(scan: Scan, record: StoredRecord): void {
    const { manifest, state, trouble } = record;
    discardFile(this.#path(manifest.id, state)).free();
    if (trouble !== undefined) removeFile(this.#path(manifest.id, "trouble"));
    this.#known.delete(`${manifest.id}.${state}`);
    scan.records = scan.records.filter((one) => one !== record);
  }

  /**
   * Removes the oldest records beyond the limits; never the newest, and none that waits for repair. Changes that nothing is left of
   * don't count, so that failures push out no change that can be undone; of them the last few are kept.
   */
  prune(scan: Scan, maxChanges: number, maxBytes: number): void {
    const { records } = scan;
    const gone = records.filter(({ state }) => state === "rolled-back");
    const kept = records.filter(({ state }) => state !== "rolled-back");
    for (const record of gone.slice(0, -keptFailures)) this.#remove(scan, record);
    let count = kept.length;
    let bytes = kept.reduce((sum, record) => sum + bytesIn(record), 0);
    for (const record of kept.slice(0, -1)) {
      if (count <= maxChanges && bytes <= maxBytes) return;
      if (!isFinal(record.state)) continue;
      this.#remove(scan, record);
      count -= 1;
      bytes -= bytesIn(record);
    }
  }
}

/** Counts bytes of old content that a record holds. */
function bytesIn({ manifest, state }: StoredRecord): number {
  return state === "forgotten" ? 0 : keptBytes(manifest.files);
}

/** Returns the first line of a file with its end, or all of a file that has no line end; and how long the file is. */
async function beginning(path: string): Promise<{ line: Buffer; size: number }> {
  await using file = await open(path, readFlags);
  const { size } = await file.stat();
  const pieces: Buffer[] = [];
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    pieces.push(buffer.subarray(0, end === -1 ? bytesRead : end + 1));
    if (end !== -1 || bytesRead === 0) return { line: Buffer.concat(pieces), size };
  }
}
