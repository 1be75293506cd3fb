import { describeValue, fromBase64, isObject, toBase64 } from "@toolglot/internal";
import type { EncodedFile } from "../../engine.ts";
import type { FileInput, FileOutput } from "../../types.ts";

/** Folder in which a program finds its files. */
const root = "/mnt/data/";
export const maxFileBytes: number = 32 * 1024 * 1024;
const maxFiles = 1000;
const maxPathLength = 1000;
/** Files that come out, and their contents together. */
export const maxOutputs: number = 10_000;

/** Throws `TypeError` for files that can't be given. */
export function encodeFiles(files: readonly FileInput[]): EncodedFile[] {
  if (files.length > maxFiles) throw new TypeError(`files: ${files.length} are more than ${maxFiles}.`);
  const seen = new Set<string>();
  let bytes = 0;
  return files.map((file: Partial<FileInput>) => {
    const path = checkPath(file?.path);
    if (seen.has(path)) throw new TypeError(`files: two have the path ${JSON.stringify(path)}.`);
    seen.add(path);
    const { data } = file;
    if (typeof data !== "string" && !(data instanceof Uint8Array)) {
      throw new TypeError(
        `files: the data of ${JSON.stringify(path)} must be a Uint8Array or text, not ${describeValue(data)}.`,
      );
    }
    if (typeof data === "string" && /\p{Surrogate}/u.test(data)) {
      throw new TypeError(
        `files: the text of ${JSON.stringify(path)} has half a character, which UTF-8 has no form for: it is ${describeValue(data)}.`,
      );
    }
    const content = typeof data === "string" ? new TextEncoder().encode(data) : data;
    bytes += content.length;
    if (bytes > maxFileBytes) throw new TypeError("files: they have more than 32 MiB together.");
    return { path, data: toBase64(content) };
  });
}

function checkPath(given: unknown): string {
  const path = typeof given === "string" && given.startsWith(root) ? given.slice(root.length) : given;
  if (!isFilePath(path, maxPathLength)) {
    throw new TypeError(`files: ${JSON.stringify(given)} is no path of a file in /mnt/data, as "sales.csv" is.`);
  }
  return path;
}

/** Checks whether it is a path under the folder. */
export function isFilePath(path: unknown, maxLength: number = 4 * maxPathLength): path is string {
  return (
    typeof path === "string" &&
    path.length <= maxLength &&
    !path.includes("\0") &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}

/** What a guest tells of its files; undefined when it makes no sense. */
export function decodeFiles(given: unknown): FileOutput[] | undefined {
  if (!Array.isArray(given) || given.length > maxOutputs) return undefined;
  const files: FileOutput[] = [];
  for (const entry of given as unknown[]) {
    if (!isObject(entry)) return undefined;
    const { path, bytes, data } = entry;
    if (typeof path !== "string" || path.length > 4 * maxPathLength || !Number.isSafeInteger(bytes)) return undefined;
    if (data !== undefined && typeof data !== "string") return undefined;
    const content = data === undefined ? undefined : decoded(data);
    if (data !== undefined && content?.length !== bytes) return undefined;
    const mediaType = mediaTypeOf(path, content);
    files.push({ path, bytes: bytes as number, mediaType, ...(content === undefined ? {} : { data: content }) });
  }
  return files;
}

function decoded(data: string): Uint8Array | undefined {
  try {
    return fromBase64(data);
  } catch {
    return undefined;
  }
}

const svg = /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/i;

/** Beginnings of contents, as Latin-1. */
const signatures: readonly [mediaType: string, begins: (head: string) => boolean][] = [
  ["image/png", (head) => head.startsWith("\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (head) => head.startsWith("\xff\xd8\xff")],
  ["image/gif", (head) => /^GIF8[79]a/.test(head)],
  ["image/webp", (head) => head.startsWith("RIFF") && head.startsWith("WEBP", 8)],
  ["application/pdf", (head) => head.startsWith("%PDF-")],
  ["image/svg+xml", (head) => svg.test(head)],
];

const byExtension: Readonly<Record<string, string>> = {
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  html: "text/html",
  htm: "text/html",
  css: "text/css",
  js: "text/javascript",
  json: "application/json",
  jsonl: "application/jsonl",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml",
  py: "text/x-python",
  sql: "application/sql",
  ics: "text/calendar",
  zip: "application/zip",
  gz: "application/gzip",
  db: "application/vnd.sqlite3",
  sqlite: "application/vnd.sqlite3",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  parquet: "application/vnd.apache.parquet",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  bmp: "image/bmp",
};

function mediaTypeOf(path: string, content: Uint8Array | undefined): string {
  const head = content === undefined ? "" : String.fromCharCode(...content.subarray(0, 1000));
  const found = signatures.find(([, begins]) => begins(head));
  if (found) return found[0];
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return (Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined) ?? "application/octet-stream";
}
