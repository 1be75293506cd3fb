import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { dirname, extname, isAbsolute, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "@toolglot/core";
import { checkKeys, joinBytes } from "@toolglot/internal";
import type { Resource, ResourceResolver } from "../resource.ts";

/** Options of both resolvers. */
export interface FileResourceOptions {
  /** Longer files are refused. Default 64 MiB. */
  maxBytes?: number;
}

const optionKeys = "maxBytes:number";

const mediaTypes: Record<string, string> = {
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".htm": "text/html",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".mp3": "audio/mpeg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".toml": "application/toml",
  ".txt": "text/plain",
  ".wav": "audio/wav",
  ".webp": "image/webp",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
};

/**
 * Reads `fam://name/path` from named directories: `famResolver({ "project-data": "/srv/data" })`. A path stays inside its
 * directory after links are resolved; anything else is refused.
 */
export function famResolver(
  roots: Readonly<Record<string, string>>,
  options: FileResourceOptions = {},
): ResourceResolver {
  checkKeys("famResolver", options, optionKeys);
  return async (uri) => {
    const [whole, name = "", path = ""] = /^fam:\/\/([^/?#]*)(?:\/([^?#]*))?$/i.exec(uri) ?? [];
    if (whole === undefined) throw refusal(uri, "it has not the form fam://name/path, with ? and # percent-encoded");
    const root = Object.hasOwn(roots, name) ? roots[name] : undefined;
    if (root === undefined)
      throw refusal(uri, `there is no "${name}"; there are ${Object.keys(roots).join(", ") || "none"}`);
    return fileIn([root], resolve(root, decoded(uri, path)), uri, options);
  };
}

/** Reads `file:` URIs below the directories given, links resolved; anything else is refused. */
export function fileResolver(roots: readonly string[], options: FileResourceOptions = {}): ResourceResolver {
  checkKeys("fileResolver", options, optionKeys);
  return async (uri) => {
    let path: string;
    try {
      path = fileURLToPath(uri);
    } catch {
      throw refusal(uri, "it is no file URI with an absolute path");
    }
    return fileIn(roots, path, uri, options);
  };
}

/** A link put there meanwhile is not followed, and a pipe doesn't hold up the opening. */
const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Resolves with the file, opened at once: what was checked is what is read, whatever becomes of its path. */
async function fileIn(
  roots: readonly string[],
  path: string,
  uri: string,
  { maxBytes = 64 * 1024 * 1024 }: FileResourceOptions,
): Promise<Resource> {
  const bytes = await readInside(roots, path, uri, maxBytes);
  return {
    uri,
    mediaType: mediaTypes[extname(path).toLowerCase()] ?? "application/octet-stream",
    bytes: async () => bytes,
  };
}

async function readInside(roots: readonly string[], path: string, uri: string, maxBytes: number): Promise<Uint8Array> {
  const real = await realpath(path).catch(() => undefined);
  const allowed = await realRoots(roots);
  if (real === undefined || !isInsideAny(allowed, real)) {
    const missing = real === undefined && (await isMissingInside(allowed, path));
    throw refusal(uri, missing ? "there is no such file" : "it is outside the allowed folders");
  }
  const file = await open(real, readOnly).catch(() => undefined);
  if (!file) throw refusal(uri, "it can't be read");
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refusal(uri, "it is no file");
    const opened = await openedPath(file, path);
    if (opened === undefined || !isInsideAny(allowed, opened)) throw refusal(uri, "it changed while it was read");
    const bytes = found.size <= maxBytes ? await readUpTo(file, maxBytes, found.size) : undefined;
    if (bytes === undefined) throw refusal(uri, `it is longer than ${maxBytes} bytes`);
    return bytes;
  } finally {
    await file.close();
  }
}

/** Resolves with the folders as they really are; one that is not there allows nothing. */
async function realRoots(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  return found.filter((root) => root !== undefined);
}

/**
 * Checks whether a path inside an allowed folder leads to nothing. The nearest existing folder decides where the path lies: what a link
 * leads to, and whether anything is there, stays unknown to the model.
 */
async function isMissingInside(allowed: readonly string[], path: string): Promise<boolean> {
  if (await lstat(path).catch(() => undefined)) return false; // a link to nowhere
  const parent = dirname(path);
  if (parent === path) return false;
  const real = await realpath(parent).catch(() => undefined);
  return real === undefined ? isMissingInside(allowed, parent) : isInsideAny(allowed, real);
}

/** Resolves with where the opened file is: folders on its way may have been changed for links since its path was resolved. */
async function openedPath(file: FileHandle, path: string): Promise<string | undefined> {
  // Only Linux reports the path of the open file; elsewhere its path is resolved once more, which leaves a moment in between.
  const opened = process.platform === "linux" ? readlink(`/proc/self/fd/${file.fd}`) : realpath(path);
  return opened.catch(() => realpath(path)).catch(() => undefined);
}

/** Resolves with the whole file; undefined when it turns out longer than allowed. */
async function readUpTo(file: FileHandle, maxBytes: number, expected: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    // One byte more than expected, so that the end shows.
    const chunk = Buffer.allocUnsafe(Math.max(1, length < expected ? expected - length + 1 : 64 * 1024));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, length);
    if (bytesRead === 0) return joinBytes(chunks);
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) return undefined;
  }
}

function isInsideAny(roots: readonly string[], path: string): boolean {
  return roots.some((root) => isInside(root, path));
}

function isInside(root: string, path: string): boolean {
  return isAbsolute(path) && (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

function decoded(uri: string, path: string): string {
  try {
    const text = decodeURIComponent(path);
    if (!text.includes("\0") && !isAbsolute(text)) return text;
  } catch {
    // No valid percent encoding.
  }
  throw refusal(uri, "its path is not valid");
}

function refusal(uri: string, why: string): ToolError {
  const shown = uri.length > 120 ? `${uri.slice(0, 120)}…` : uri;
  return new ToolError(`${shown} can't be read: ${why}.`, { data: { type: "ResourceUnavailable" } });
}
