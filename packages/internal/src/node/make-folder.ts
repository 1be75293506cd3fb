import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { attempt, codeOf } from "../attempt.ts";

/**
 * Makes a folder, by default for its owner alone, with those above it, where it is not there. Throws as `mkdirSync`, whose own `recursive`
 * never returns where the system says that the parent is missing and it is there: below `/proc`, or an automounter's folder.
 */
export function makeFolder(given: string, mode = 0o700): void {
  const path = resolve(given);
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else has made it meanwhile.
    if (codeOf(error) !== "EEXIST" || !isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return attempt(() => statSync(path))?.isDirectory() === true;
}
