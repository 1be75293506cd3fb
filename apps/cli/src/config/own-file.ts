import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject, parseJson } from "@toolglot/internal";
import { makeFolder } from "@toolglot/internal/node";

/** Reads a file of the command line's own; empty when there is none. */
export function readOwn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Reads what {@link writeOwn} wrote of one version, with a list of that name. Throws an error for anything else: nothing follows from a damaged file. */
export function parseOwn(path: string, text: string, version: number, list?: string): Record<string, unknown> {
  const value = parseJson(text);
  const isWhole = isObject(value) && value.version === version && (list === undefined || Array.isArray(value[list]));
  if (isWhole) return value;
  throw new Error(`${path} is not as it was written: remove or restore it.`);
}

/** Writes a file whole, or not at all: mode 0600, in a folder of mode 0700. */
export function writeOwn(path: string, text: string): void {
  makeFolder(dirname(path));
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}
