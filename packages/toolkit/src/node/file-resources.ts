import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { extname, isAbsolute, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "@toolglot/core";
import type { Resource, ResourceResolver } from "../resources/resource.ts";

/** Options of both resolvers. */
export interface FileResourceOptions {
  /** Longer files are refused. Default 64 MiB. */
  maxBytes?: number;
}

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
  return async (uri) => {
    const [, name = "", path = ""] = /^fam:\/\/([^/?#]*)(?:\/([^?#]*))?$/i.exec(uri) ?? [];
    const root = Object.hasOwn(roots, name) ? roots[name] : undefined;
    if (root === undefined)
      throw refusal(uri, `there is no "${name}"; there are ${Object.keys(roots).join(", ") || "none"}`);
    return fileIn([root], resolve(root, decoded(uri, path)), uri, options);
  };
}

/** Reads `file:` URIs below the directories given, links resolved; anything else is refused. */
export function fileResolver(roots: readonly string[], options: FileResourceOptions = {}): ResourceResolver {
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

/** The file, opened at once: what was checked is what is read, whatever becomes of its path. */
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
  const allowed = await Promise.all(roots.map((root) => realpath(root)));
  const real = await realpath(path).catch(() => undefined);
  // Whether a file exists outside the roots is not told either.
  const lexical = roots.some((root) => isInside(resolve(root), path));
  if (real === undefined || !allowed.some((root) => isInside(root, real)))
    throw refusal(uri, lexical && real === undefined ? "there is no such file" : "it is outside the allowed folders");
  const file = await open(real, readOnly).catch(() => undefined);
  if (!file) throw refusal(uri, "it can't be read");
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refusal(uri, "it is no file");
    // The path may have been changed since it was resolved.
    const again = await realpath(path).catch(() => undefined);
    if (again !== real) throw refusal(uri, "it changed while it was read");
    if (found.size > maxBytes) throw refusal(uri, `it is longer than ${maxBytes} bytes`);
    const bytes = await file.readFile();
    if (bytes.length > maxBytes) throw refusal(uri, `it is longer than ${maxBytes} bytes`);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } finally {
    await file.close();
  }
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
