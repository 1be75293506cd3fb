import { dirname, isAbsolute, resolve } from "node:path";
import { defined, isObject } from "@toolglot/internal";
import { type Owner, parseOwner } from "./owner.ts";
import type { ChangeRecord } from "./types.ts";

/**
 * Where a change is: the name of its manifest. `prepared`: no file has been touched. `committing`: files are being replaced,
 * or put back. The others are final.
 */
export type RecordState = "prepared" | "committing" | "done" | "rolled-back" | "conflict" | "forgotten";

export const recordStates: readonly RecordState[] = [
  "prepared",
  "committing",
  "done",
  "rolled-back",
  "conflict",
  "forgotten",
];

/** What a file held. The bytes lie in the record, under the file's number. */
export interface KeptContent {
  hash: string;
  size: number;
  mode: number;
  uid: number;
  gid: number;
}

/** What a file is to hold. The rights are those of a file that is made; one that is replaced keeps its own. */
export interface NewContent {
  hash: string;
  size: number;
  mode?: number;
  uid?: number;
  gid?: number;
}

export interface ManifestFile {
  path: string;
  before: KeptContent | null;
  after: NewContent | null;
}

/** What is written down of a change before anything is touched; never changed afterwards. */
export interface Manifest {
  version: 1;
  id: string;
  at: number;
  owner: Owner;
  undoes?: string;
  /** Names of values that the old contents hold. */
  values?: string[];
  files: ManifestFile[];
  /** Folders that the change makes, outermost first; taking it back removes them when they are empty. */
  makes: string[];
  /** Folders that the change removes when they are empty, outermost first; taking it back makes them again. */
  removes: string[];
}

/** A record as it lies in the journal. */
export interface StoredRecord {
  manifest: Manifest;
  state: RecordState;
  trouble?: string[];
}

/** `000000012-9f3c5a`: counted on, so that the names of records are in the order of the changes. */
export const idPattern: RegExp = /^(\d{9})-[0-9a-f]{6}$/;

/** The name of a hidden file beside the file of a number, while a change is made: its new content, or its old one. */
export function besideName(id: string, index: number, kind: "new" | "old"): string {
  return `.toolglot-${id}-${index}.${kind}`;
}

/** The files that a change changes: one that is to hold what it holds is only looked at. */
export function isChanged(file: ManifestFile): boolean {
  return file.before?.hash !== file.after?.hash;
}

export function isFinal(state: RecordState): boolean {
  return state !== "prepared" && state !== "committing";
}

/** Bytes of old content that a record holds. */
export function keptBytes({ manifest, state }: StoredRecord): number {
  if (state === "forgotten") return 0;
  return manifest.files.reduce((sum, { before }) => sum + (before?.size ?? 0), 0);
}

/** A manifest as it was written; undefined for anything else. */
export function parseManifest(text: string, id: string): Manifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value.version !== 1 || value.id !== id || !isCount(value.at)) return undefined;
  const { undoes, values, files, makes, removes } = value;
  const owner = parseOwner(value.owner);
  if (owner === undefined || !isPaths(makes) || !isPaths(removes)) return undefined;
  if (!Array.isArray(files) || !files.every(isFile)) return undefined;
  if (undoes !== undefined && (typeof undoes !== "string" || !idPattern.test(undoes))) return undefined;
  if (values !== undefined && !isNames(values)) return undefined;
  return { version: 1, id, at: value.at, owner, ...defined({ undoes, values }), files, makes, removes };
}

/** The record as callers see it. */
export function publicRecord({ manifest, state, trouble }: StoredRecord, undone = false): ChangeRecord {
  const { id, at, undoes, values } = manifest;
  const files = manifest.files.map(({ path, before, after }) => {
    return { path, created: before === null, removed: after === null };
  });
  const shown = state === "prepared" || state === "committing" ? "conflict" : state;
  return {
    id,
    at,
    state: shown === "done" && undone ? "undone" : shown,
    files,
    ...defined({ undoes, ...(state !== "forgotten" && { values }) }),
    ...(trouble === undefined || trouble.length === 0 ? {} : { trouble }),
  };
}

/** The ids of changes that a later one undid, which was not undone itself. */
export function undoneIds(records: Iterable<StoredRecord>): Set<string> {
  const undone = new Set<string>();
  const newestFirst = [...records].sort((a, b) => (a.manifest.id < b.manifest.id ? 1 : -1));
  for (const { manifest, state } of newestFirst) {
    const isDone = state === "done" || state === "forgotten";
    if (isDone && manifest.undoes !== undefined && !undone.has(manifest.id)) undone.add(manifest.undoes);
  }
  return undone;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPath(value: unknown): value is string {
  return typeof value === "string" && isAbsolute(value) && resolve(value) === value && dirname(value) !== value;
}

function isPaths(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isPath);
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isContent(value: unknown, needed: readonly string[]): boolean {
  if (value === null) return true;
  if (!isObject(value) || typeof value.hash !== "string" || !/^[0-9a-f]{64}$/.test(value.hash)) return false;
  const counts = ["mode", "uid", "gid"].filter((name) => needed.includes(name) || value[name] !== undefined);
  return isCount(value.size) && counts.every((name) => isCount(value[name]));
}

function isFile(value: unknown): value is ManifestFile {
  if (!isObject(value) || !isPath(value.path)) return false;
  if (value.before === null && value.after === null) return false;
  return isContent(value.before, ["mode", "uid", "gid"]) && isContent(value.after, []);
}
