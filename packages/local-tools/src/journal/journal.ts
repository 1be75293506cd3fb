import { dirname, join, resolve } from "node:path";
import { ToolError, ToolglotError } from "@toolglot/core";
import { codeOf, defined } from "@toolglot/internal";
import { type HeldLock, isAlive, type Owner, takeLock } from "@toolglot/internal/node";
import { localError } from "../errors.ts";
import { holds } from "../files/file-operations.ts";
import { Folders, named } from "./folders.ts";
import type { Parts } from "./parts.ts";
import type { OnPoint, Reach } from "./points.ts";
import { isChanged, isFinal, publicRecord, type StoredRecord, undoneIds } from "./record.ts";
import { lockFolder, type Scan } from "./records.ts";
import { repair } from "./repair.ts";
import type { ChangeJournal, ChangeRecord, FileChange } from "./types.ts";
import { type Plan, type PlannedFile, writeChange } from "./write-change.ts";

export interface JournalLimits {
  maxChanges: number;
  maxBytes: number;
  lockWaitMs: number;
}

/** A journal whose folder is there, and which has not repaired anything yet. */
export class Journal implements ChangeJournal {
  recovered: readonly ChangeRecord[] = [];
  readonly #dir: string;
  readonly #parts: Parts;
  readonly #limits: JournalLimits;
  #last: Promise<unknown> = Promise.resolve();
  /** What this journal left in the folder when it released the lock, all of it finished. */
  #left: Scan | undefined;

  constructor(dir: string, parts: Omit<Parts, "reach">, onPoint: OnPoint | undefined, limits: JournalLimits) {
    this.#dir = dir;
    const reach: Reach = async (point, index) => onPoint?.(index === undefined ? point : `${point} ${index}`);
    this.#parts = { ...parts, reach };
    this.#limits = limits;
  }

  async commit(changes: readonly FileChange[], { undoes }: { undoes?: string } = {}): Promise<string> {
    const files = changes.map(checkedChange);
    if (files.length === 0) throw new TypeError("changes: name at least one file");
    if (new Set(files.map(({ path }) => path)).size < files.length)
      throw new TypeError("changes: a path is there twice");
    const plan = async (scan: Scan): Promise<Plan> => {
      if (undoes !== undefined) doneRecord(scan, undoes);
      return { files, removes: [], ...defined({ undoes }) };
    };
    return this.#write(plan, { known: undoes === undefined });
  }

  async undo(id?: string): Promise<{ id: string; undone: string; changes: FileChange[] }> {
    let undone = "";
    let changes: FileChange[] = [];
    const undoId = await this.#write(async (scan) => {
      const { manifest } = id === undefined ? newestDone(scan) : doneRecord(scan, id);
      undone = manifest.id;
      const files = await this.#undoing(scan, manifest.id);
      changes = files.map(({ path, before, after, mode }) => {
        return { path, before, after, ...defined({ mode }) };
      });
      return { files, undoes: manifest.id, removes: manifest.makes };
    });
    return { id: undoId, undone, changes };
  }

  forget(name: string, holds: (bytes: Uint8Array) => boolean): Promise<number> {
    const { records } = this.#parts;
    return this.#queue(() =>
      this.#locked(async (_lock, { scan }) => {
        let forgotten = 0;
        for (const record of scan.records) {
          if (record.state !== "done" && record.state !== "conflict") continue;
          if (!(await this.#holds(record, name, holds))) continue;
          await records.forget(record);
          forgotten += 1;
        }
        return forgotten;
      }),
    );
  }

  async #holds(record: StoredRecord, name: string, holds: (bytes: Uint8Array) => boolean): Promise<boolean> {
    if (record.manifest.values?.includes(name)) return true;
    for (const index of record.manifest.files.keys()) {
      const bytes = await this.#parts.records.old(record, index);
      if (bytes !== undefined && holds(bytes)) return true;
    }
    return false;
  }

  list(): Promise<ChangeRecord[]> {
    return this.#queue(async () => {
      const { records } = await this.#parts.records.scan();
      const undone = undoneIds(records);
      const shown: ChangeRecord[] = [];
      for (const record of records) {
        if (isFinal(record.state)) shown.push(publicRecord(record, undone.has(record.manifest.id)));
        else if (this.#isAbandoned(record)) shown.push(waiting(record));
      }
      return shown.reverse();
    });
  }

  recover(): Promise<ChangeRecord[]> {
    return this.#queue(async () => {
      const { records, strange } = await this.#parts.records.scan();
      if (!records.some((record) => this.#isAbandoned(record))) return strange;
      return this.#locked(async (_lock, { repaired }) => [...repaired, ...strange]);
    });
  }

  /** Writes the change that a plan describes once all before it is done, and nobody else writes. */
  #write(plan: (scan: Scan) => Promise<Plan>, options?: { known: boolean }): Promise<string> {
    return this.#queue(async () => {
      try {
        return await this.#locked(async (lock, { scan }) => {
          await this.#parts.reach("locked");
          try {
            const id = await writeChange(this.#parts, lock, scan, await plan(scan));
            await this.#parts.reach("done").catch(() => {});
            return id;
          } finally {
            await this.#prune(scan);
          }
        }, options);
      } catch (error) {
        if (error instanceof TypeError || ToolError.isInstance(error)) throw error;
        if (ToolglotError.isInstance(error) && error.code === "local-tools/journal-locked") {
          const message = "Another process is writing, and did not end in time. Nothing was changed.";
          throw localError("WriteFailed", message, { hint: "Try again later." }, error);
        }
        const code = codeOf(error) ?? "unknown";
        throw localError("WriteFailed", `The change journal can't be used (${code}). Nothing was changed.`, {}, error);
      }
    });
  }

  /** Prunes; when that fails, the change stands all the same, and the next one prunes again. */
  async #prune(scan: Scan): Promise<void> {
    const { records, reach } = this.#parts;
    try {
      records.prune(scan, this.#limits.maxChanges, this.#limits.maxBytes);
      await reach("pruned");
    } catch {}
  }

  /** Runs work one at a time in this process. */
  #queue<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work).catch((error) => {
      throw unusable(this.#dir, error);
    });
    this.#last = run.catch(() => {});
    return run;
  }

  /** Runs work alone in all processes, behind the repair of what others left. `known`: the folder is read only if others have held the lock since. */
  async #locked<T>(
    work: (lock: HeldLock, found: { scan: Scan; repaired: ChangeRecord[] }) => Promise<T>,
    { known = false }: { known?: boolean } = {},
  ): Promise<T> {
    const { records, owner } = this.#parts;
    const { lockWaitMs } = this.#limits;
    const lock = await takeLock(join(this.#dir, lockFolder), owner, lockWaitMs, (holder) => locked(holder, lockWaitMs));
    const left = known && lock.isNext ? this.#left : undefined;
    this.#left = undefined;
    try {
      const scan = left ?? (await records.scan());
      const repaired: ChangeRecord[] = [];
      records.clear(scan);
      for (const record of scan.records) {
        if (!this.#isAbandoned(record)) continue;
        await repair(this.#parts, record);
        repaired.push(isFinal(record.state) ? publicRecord(record) : waiting(record));
      }
      const result = await work(lock, { scan, repaired: repaired.reverse() });
      if (scan.records.every(({ state }) => isFinal(state))) this.#left = scan;
      return result;
    } finally {
      lock.release();
    }
  }

  /** Checks whether a record is unfinished, and nobody will finish it. This journal's own ones are those that it could not take back. */
  #isAbandoned({ manifest, state }: StoredRecord): boolean {
    if (isFinal(state)) return false;
    const { owner, at } = manifest;
    if (owner.id === this.#parts.owner.id) return true;
    return !isAlive(owner, this.#parts.owner, Date.now() - at);
  }

  /** Returns the change that undoes a change. */
  async #undoing(scan: Scan, id: string): Promise<PlannedFile[]> {
    const { roots, records } = this.#parts;
    const record = doneRecord(scan, id);
    const folders = new Folders(roots);
    const files: PlannedFile[] = [];
    const conflicts: string[] = [];
    try {
      for (const [index, file] of record.manifest.files.entries()) {
        if (!isChanged(file)) continue;
        const { path, before, after } = file;
        const found = await named(roots.show(path), () => folders.inspect(path, after));
        if (!holds(found, after)) {
          conflicts.push(`${roots.show(path)} was changed since`);
          continue;
        }
        const old = before === null ? null : await records.old(record, index);
        if (old === undefined) conflicts.push(`what ${roots.show(path)} held before is not in the journal any more`);
        else files.push({ path, before: found?.bytes ?? null, after: old, ...rightsOf(before) });
      }
    } finally {
      folders.close();
    }
    if (conflicts.length > 0) {
      const more = conflicts.length > 5 ? ` and ${conflicts.length - 5} more` : "";
      throw localError("UndoConflict", `Change ${id} can't be undone: ${conflicts.slice(0, 5).join("; ")}${more}.`, {
        hint: "Undo later changes of the same files first, or edit the files by hand.",
      });
    }
    return files;
  }
}

/** Converts the system's refusal to read or write the journal to an error of ours; any other error stays. */
export function unusable(dir: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof TypeError || ToolglotError.isInstance(error)) return error;
  const message = `The change journal ${dir} can't be used (${code}).`;
  return new ToolglotError("local-tools/journal-unusable", message, { data: { dir, cause: code }, cause: error });
}

function locked(holder: Owner | undefined, waitMs: number): ToolglotError {
  const who = holder === undefined ? "Other processes" : `Process ${holder.pid} on ${holder.host}`;
  const waited = `${Math.round(waitMs / 100) / 10} s`;
  return new ToolglotError("local-tools/journal-locked", `${who} held the change journal for more than ${waited}.`, {
    data: { ...(holder && { pid: holder.pid, host: holder.host }), waitMs },
  });
}

function rightsOf(before: { mode: number; uid: number; gid: number } | null): Partial<PlannedFile> {
  return before === null ? {} : { mode: before.mode, uid: before.uid, gid: before.gid };
}

function newestDone({ records }: Scan): StoredRecord {
  const undone = undoneIds(records);
  const newest = records.findLast(({ manifest, state }) => {
    return state === "done" && manifest.undoes === undefined && !undone.has(manifest.id);
  });
  if (newest === undefined) throw localError("NothingToUndo", "There is no change to undo.");
  return newest;
}

function doneRecord({ records }: Scan, id: string): StoredRecord {
  const record = records.find(({ manifest }) => manifest.id === id);
  if (record === undefined) throw localError("NothingToUndo", `There is no change ${JSON.stringify(id)}.`);
  if (undoneIds(records).has(id)) throw localError("NothingToUndo", `Change ${id} is undone already.`);
  if (record.state === "forgotten")
    throw localError("NothingToUndo", `What change ${id} replaced was forgotten, with a value that it held.`);
  if (record.state !== "done")
    throw localError("NothingToUndo", `Change ${id} was not made, so there is nothing to undo.`);
  return record;
}

/** Returns an unfinished record as callers see it. */
function waiting(record: StoredRecord): ChangeRecord {
  const trouble = record.trouble ?? ["It was interrupted, and waits for repair."];
  return publicRecord({ ...record, trouble });
}

function checkedChange(change: FileChange): FileChange {
  const { path, before, after, mode } = change;
  if (typeof path !== "string" || resolve(path) !== path || dirname(path) === path) {
    throw new TypeError(`changes: ${JSON.stringify(path)} is no absolute, resolved path; take it from Roots.locate`);
  }
  for (const [name, bytes] of Object.entries({ before, after })) {
    if (bytes !== null && !(bytes instanceof Uint8Array))
      throw new TypeError(`changes: ${name} must be a Uint8Array or null`);
  }
  if (before === null && after === null) throw new TypeError(`changes: ${path} is neither there before nor after`);
  if (mode !== undefined && (!Number.isInteger(mode) || mode < 0 || mode > 0o7777)) {
    throw new TypeError("changes: mode must be permission bits, 0 to 0o7777");
  }
  // Bytes of its own: the caller may use these while the change waits in the queue.
  const copy = (bytes: Uint8Array | null): Uint8Array | null => (bytes === null ? null : new Uint8Array(bytes));
  return { path, before: copy(before), after: copy(after), ...defined({ mode }) };
}
