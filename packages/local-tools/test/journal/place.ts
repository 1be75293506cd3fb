import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { Roots } from "../../src/files/roots.ts";
import { type JournalOptions, openJournal } from "../../src/journal/open-journal.ts";
import type { ChangeJournal } from "../../src/journal/types.ts";

export { bytes, change } from "./contents.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolglot-journal-")));
let count = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A folder to work in and one for the journal, both new. */
export interface Scene {
  base: string;
  root: string;
  dir: string;
  open(options?: Partial<JournalOptions>): Promise<ChangeJournal>;
}

export async function newScene(): Promise<Scene> {
  count += 1;
  const base = join(folder, String(count));
  const root = join(base, "root");
  const dir = join(base, "state", "journal");
  mkdirSync(root, { recursive: true });
  return {
    base,
    root,
    dir,
    open: async (options = {}) => openJournal({ dir, roots: await Roots.open([root]), ...options }),
  };
}

/** Every entry below a folder: files with what they hold, folders with a `/` and nothing. */
export function tree(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const name = join(below, entry.name);
    if (entry.isDirectory()) Object.assign(found, { [`${name}/`]: "" }, tree(root, name));
    else found[name] = entry.isSymbolicLink() ? "(link)" : readFileSync(join(root, name), "utf8");
  }
  return found;
}
