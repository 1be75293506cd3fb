import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { attempt, codeOf } from "../attempt.ts";

/**
 * Makes a folder for its owner alone, with those above it, where it is not there. Throws as `mkdirSync`, whose own `recursive` never returns
 * where the system says that the parent is missing and it is there: below `/proc`, or an automounter's folder.
 */
export function makeFolder(given: string): void {
  const path = resolve(given);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (attempt(() => statSync(path))?.isDirectory()) return;
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}
