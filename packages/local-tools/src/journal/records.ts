import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "@toolglot/internal";
import { ignoring } from "../errors.ts";
import { createFile, forEach, removeFile, sha256, syncFolder } from "../files/file-operations.ts";
import { lockFolder } from "./lock.ts";
import type { Reach } from "./points.ts";
import {
  idPattern,
  isFinal,
  keptBytes,
  type Manifest,
  parseManifest,
  type RecordState,
  recordStates,
  type StoredRecord,
} from "./record.ts";
import type { ChangeRecord } from "./types.ts";

/** Changes that failed, of which the records are kept. */
const keptFailures = 20;

/** What lies in the journal's folder. */
export interface Scan {
  /** Oldest first. */
  records: StoredRecord[];
  /** Records without a manifest: what died before it was written, or while it was pruned. No file depends on them. */
  leftovers: string[];
  /** What can't be read, and what is none of the journal's. Left alone. */
  strange: ChangeRecord[];
  /** The number of the newest record, readable or not. */
  newest: number;
}

/**
 * The records of a journal: a folder each, that holds the manifest, named for the record's state (`done.json`), and what the
 * files held before, as `<number>.old`. A change of state is a renaming: it needs no space on a full disk.
 */
export class Records {
  readonly #dir: string;
  /** Final records. Their contents may be forgotten, by this process or another; nothing else of them changes. */
  readonly #known = new Map<string, StoredRecord>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  async scan(): Promise<Scan> {
    const scan: Scan = { records: [], leftovers: [], strange: [], newest: 0 };
    const entries = await readdir(this.#dir, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const ids = new Set<string>();
    for (const entry of entries) {
      const number = idPattern.exec(entry.name)?.[1];
      if (number !== undefined) scan.newest = Math.max(scan.newest, Number(number));
      if (number !== undefined && entry.isDirectory()) {
        ids.add(entry.name);
        const known = this.#known.get(entry.name);
        if (known === undefined) await this.#read(entry.name, scan);
        else scan.records.push(known);
      } else if (entry.name !== lockFolder) {
        scan.strange.push(await this.#strange(entry.name, `${entry.name} is no record of a change`));
      }
    }
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    return scan;
  }

  async #read(id: string, scan: Scan): Promise<void> {
    const names = await readdir(this.path(id)).catch(() => undefined);
    if (names === undefined) return;
    const state = recordStates.find((name) => names.includes(`${name}.json`));
    if (state === undefined) {
      if (names.every((name) => /^(\d+\.old|manifest\.new|trouble\.json)$/.test(name))) scan.leftovers.push(id);
      else scan.strange.push(await this.#strange(id, `The record ${id} has no manifest`));
      return;
    }
    const text = await readFile(this.path(id, `${state}.json`), "utf8").catch(() => undefined);
    const manifest = text === undefined ? undefined : parseManifest(text, id);
    if (manifest === undefined) {
      // Another process may have changed its state between the listing and the reading, or pruned it.
      if (text === undefined) return;
      scan.strange.push(await this.#strange(id, `The record ${id} can't be read`));
      return;
    }
    const trouble = names.includes("trouble.json") ? await this.#trouble(id) : undefined;
    const record: StoredRecord = { manifest, state, ...defined({ trouble }) };
    if (isFinal(state)) this.#known.set(id, record);
    scan.records.push(record);
  }

  async #strange(name: string, what: string): Promise<ChangeRecord> {
    const found = await stat(join(this.#dir, name)).catch(() => undefined);
    const trouble = [`${what}; it was left alone.`];
    return { id: name, at: Math.round(found?.mtimeMs ?? 0), state: "conflict", files: [], trouble };
  }

  async #trouble(id: string): Promise<string[] | undefined> {
    try {
      const value: unknown = JSON.parse(await readFile(this.path(id, "trouble.json"), "utf8"));
      return Array.isArray(value) ? value.filter((line) => typeof line === "string") : undefined;
    } catch {
      return undefined;
    }
  }

  path(id: string, name = ""): string {
    return join(this.#dir, id, name);
  }

  /** A name for a change that comes after all those there are. */
  nextId(scan: Scan): string {
    return `${String(scan.newest + 1).padStart(9, "0")}-${randomBytes(3).toString("hex")}`;
  }

  /** Writes a record down, to last: the old contents, then the manifest, at once or not at all. */
  async prepare(manifest: Manifest, old: readonly (Uint8Array | null)[], reach: Reach): Promise<void> {
    const { id } = manifest;
    await mkdir(this.path(id), { mode: 0o700 });
    await reach("record-made");
    await forEach(old, async (bytes, index) => {
      if (bytes === null) return;
      await createFile(this.path(id, `${index}.old`), bytes, { mode: 0o600 });
      await reach("old-kept", index);
    });
    const written = this.path(id, "manifest.new");
    await createFile(written, new TextEncoder().encode(`${JSON.stringify(manifest, null, 1)}\n`), { mode: 0o600 });
    await rename(written, this.path(id, "prepared.json"));
    await syncFolder(this.path(id));
    await syncFolder(this.#dir);
  }

  /** Changes the state of a record. It is changed once this has renamed the manifest, even when it rejects because that may not last. */
  async mark(record: StoredRecord, state: RecordState): Promise<void> {
    const { id } = record.manifest;
    await rename(this.path(id, `${record.state}.json`), this.path(id, `${state}.json`));
    record.state = state;
    if (isFinal(state)) {
      this.#known.set(id, record);
      // Were it lost in a power cut, the files would show that the change is complete, or gone.
      await syncFolder(this.path(id)).catch(() => {});
    } else {
      await syncFolder(this.path(id));
    }
  }

  /** Sets, and keeps as well as can be, what went wrong with a record; nothing when there is no trouble. */
  async setTrouble(record: StoredRecord, trouble: string[]): Promise<void> {
    delete record.trouble;
    if (trouble.length === 0) return;
    record.trouble = trouble;
    const path = this.path(record.manifest.id, "trouble.json");
    await writeFile(path, JSON.stringify(trouble), { mode: 0o600 }).catch(() => {});
  }

  /** What a file held before; undefined when the journal has it no more, or not as it was. */
  async old(manifest: Manifest, index: number): Promise<Uint8Array | undefined> {
    await using handle = await open(
      this.path(manifest.id, `${index}.old`),
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0),
    ).catch(ignoring("ENOENT"));
    const bytes = await handle?.readFile();
    return bytes !== undefined && sha256(bytes) === manifest.files[index]?.before?.hash ? bytes : undefined;
  }

  /** Drops the old contents of a change that nothing is left of. */
  async dropOld({ manifest }: StoredRecord): Promise<void> {
    for (const index of manifest.files.keys()) await removeFile(this.path(manifest.id, `${index}.old`)).catch(() => {});
  }

  /** Removes the old contents of a change for good, and says so in its record. False when another process did it meanwhile. */
  async forget(record: StoredRecord): Promise<boolean> {
    const { id, files } = record.manifest;
    for (const index of files.keys()) await removeFile(this.path(id, `${index}.old`));
    const isMarked = await this.mark(record, "forgotten").then(() => true, ignoring("ENOENT"));
    if (!isMarked) this.#known.delete(id);
    return isMarked === true;
  }

  /** Removes a record, the manifest first: what is left of an interrupted removal is seen as a leftover. */
  async remove(id: string): Promise<void> {
    const names = await readdir(this.path(id));
    for (const name of names.filter((name) => name.endsWith(".json"))) await removeFile(this.path(id, name));
    for (const name of names) await removeFile(this.path(id, name));
    await rmdir(this.path(id));
    this.#known.delete(id);
  }

  /**
   * Removes the oldest records beyond the limits; never the newest, and none that waits for repair. Changes that nothing is left of
   * don't count, so that failures push out no change that can be undone; of them the last few are kept.
   */
  async prune(maxChanges: number, maxBytes: number): Promise<void> {
    const { records } = await this.scan();
    const gone = records.filter(({ state }) => state === "rolled-back");
    const kept = records.filter(({ state }) => state !== "rolled-back");
    for (const record of gone.slice(0, -keptFailures)) await this.remove(record.manifest.id);
    let count = kept.length;
    let bytes = kept.reduce((sum, record) => sum + keptBytes(record), 0);
    for (const record of kept.slice(0, -1)) {
      if (count <= maxChanges && bytes <= maxBytes) return;
      if (!isFinal(record.state)) continue;
      await this.remove(record.manifest.id);
      count -= 1;
      bytes -= keptBytes(record);
    }
  }
}
