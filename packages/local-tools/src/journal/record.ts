import type { BigIntStats } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { attempt, defined, isCount, isObject } from "@toolglot/internal";
import { type Owner, parseOwner } from "@toolglot/internal/node";
import { sha256 } from "../files/file-operations.ts";
import type { ChangeRecord, FileChange } from "./types.ts";

/** Names of values that the user gave and that stand in a text. */
export type NamesIn = (text: string) => readonly string[];

/**
 * Where a change is: the end of its record's name. `prepared`: no file has been touched. `committing`: files are being replaced,
 * or put back. The others are final.
 */
export type RecordState = (typeof recordStates)[number];

export const recordStates = ["prepared", "committing", "done", "rolled-back", "conflict", "forgotten"] as const;

/** What a file held. The bytes lie in the record, behind the manifest. */
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
  version: 2;
  id: string;
  at: number;
  owner: Owner;
  undoes?: string;
  /** Names of values that the old contents hold. */
  values?: string[];
  /** Names of values that the new contents hold. */
  writes?: string[];
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
  /** Where the old contents begin in it, one behind the other in the order of the files. */
  start: number;
  trouble?: string[];
}

/** `000000012-9f3c5a`: counted on, so that the names of records are in the order of the changes. */
const idPattern = /^\d{9}-[0-9a-f]{6}$/;

/** Returns what is written down of a file as it was found. */
export function keptContent(before: Uint8Array | null, found: BigIntStats | null | undefined): KeptContent | null {
  if (before === null || found === null || found === undefined) return null;
  const { mode, uid, gid } = found;
  return { hash: sha256(before), size: before.length, mode: Number(mode) & 0o7777, uid: Number(uid), gid: Number(gid) };
}

/** Returns what is written down of what a file is to hold. */
export function newContent({
  after,
  mode,
  uid,
  gid,
}: Omit<NewContent, "hash" | "size"> & Pick<FileChange, "after">): NewContent | null {
  if (after === null) return null;
  return {
    hash: sha256(after),
    size: after.length,
    ...defined({ mode, uid, gid }),
  };
}

/** Returns the name of a hidden file beside the file of a number, while a change is made: its new content, or its old one. */
export function besideName(id: string, index: number, kind: "new" | "old"): string {
  return `.toolglot-${id}-${index}.${kind}`;
}

/** Returns the files that a change changes: one that is to hold what it holds is only looked at. */
export function isChanged(file: ManifestFile): boolean {
  return file.before?.hash !== file.after?.hash;
}

export function isFinal(state: RecordState): boolean {
  return state !== "prepared" && state !== "committing";
}

/** Counts bytes of old content of some files. */
export function keptBytes(files: readonly ManifestFile[]): number {
  return files.reduce((sum, { before }) => sum + (before?.size ?? 0), 0);
}

/** Parses a manifest as it was written; undefined for anything else. */
export function parseManifest(text: string, id: string): Manifest | undefined {
  const value: unknown = attempt(() => JSON.parse(text));
  if (!isObject(value) || value.version !== 2 || value.id !== id || !isCount(value.at)) return undefined;
  const { undoes, values, writes, files, makes, removes } = value;
  const owner = parseOwner(value.owner);
  if (owner === undefined || !isPaths(makes) || !isPaths(removes)) return undefined;
  if (!Array.isArray(files) || !files.every(isFile)) return undefined;
  if (undoes !== undefined && (typeof undoes !== "string" || !idPattern.test(undoes))) return undefined;
  if (values !== undefined && !isNames(values)) return undefined;
  if (writes !== undefined && !isNames(writes)) return undefined;
  return { version: 2, id, at: value.at, owner, ...defined({ undoes, values, writes }), files, makes, removes };
}

/** Returns the record as callers see it. */
export function publicRecord({ manifest, state, trouble }: StoredRecord, undone = false): ChangeRecord {
  const { id, at, undoes, values, writes } = manifest;
  const files = manifest.files.map(({ path, before, after }) => {
    return { path, created: before === null, removed: after === null };
  });
  const shown = state === "prepared" || state === "committing" ? "conflict" : state;
  return {
    id,
    at,
    state: shown === "done" && undone ? "undone" : shown,
    files,
    ...defined({ undoes, writes, ...(state !== "forgotten" && { values }) }),
    ...(trouble === undefined || trouble.length === 0 ? {} : { trouble }),
  };
}

/** Returns the ids of changes that a later one undid, which was not undone itself. */
export function undoneIds(records: Iterable<StoredRecord>): Set<string> {
  const undone = new Set<string>();
  const newestFirst = [...records].sort((a, b) => (a.manifest.id < b.manifest.id ? 1 : -1));
  for (const { manifest, state } of newestFirst) {
    const isDone = state === "done" || state === "forgotten";
    if (isDone && manifest.undoes !== undefined && !undone.has(manifest.id)) undone.add(manifest.undoes);
  }
  return undone;
}

/** Returns the names of known values in what files held; undefined when there are none. */
export function valuesIn(contents: readonly (Uint8Array | null)[], namesIn: NamesIn | undefined): string[] | undefined {
  if (namesIn === undefined) return undefined;
  const names = new Set(contents.flatMap((bytes) => (bytes === null ? [] : namesIn(textOf(bytes)))));
  return names.size === 0 ? undefined : [...names].sort();
}

/** Returns the bytes of a file as the texts in which a value would stand: as UTF-8, and as UTF-16 where they may be that. */
export function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  if (!buffer.includes(0)) return text;
  const even = buffer.subarray(0, buffer.length - (buffer.length % 2));
  return [text, even.toString("utf16le"), Buffer.from(even).swap16().toString("utf16le")].join("\n");
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
