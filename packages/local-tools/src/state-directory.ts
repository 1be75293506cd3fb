import { createHash } from "node:crypto";
import { chmod, lstat, readdir, realpath, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { makeFolder } from "@toolglot/internal/node";
import { isInside, type Roots } from "./files/roots.ts";

/** Where what must outlast a call is kept. */
export interface StateDirectory {
  readonly path: string;
  readonly journal: string;
  readonly backups: string;
  readonly artifacts: string;
}

const artifactDays = 7;

/** Creates the directories (0700; one that is there keeps its mode, its parts get theirs), and clears away outputs older than a week. */
export async function openStateDirectory(path: string): Promise<StateDirectory> {
  const state = {
    path,
    journal: join(path, "journal"),
    backups: join(path, "backups"),
    artifacts: join(path, "artifacts"),
  };
  makeFolder(path);
  for (const folder of [state.journal, state.backups, state.artifacts]) {
    makeFolder(folder);
    if (!(await lstat(folder)).isDirectory())
      throw new TypeError(`stateDir: ${folder} must be a directory, and no link`);
    await chmod(folder, 0o700);
  }
  await clearOld(state.artifacts, Date.now() - artifactDays * 86_400_000);
  return state;
}

/** Throws `TypeError` when the directory is, or would be made, inside or around a root: a model could edit its own journal. Makes nothing. */
export async function demandOutside(path: string, roots: Roots, what = "stateDir"): Promise<void> {
  let real: string | undefined;
  for (let at = path; real === undefined; at = dirname(at)) {
    const there = await realpath(at).catch(() => undefined);
    if (there !== undefined) real = join(there, relative(at, path));
    else if (dirname(at) === at) return;
    // What is made behind it could be anywhere.
    else if ((await lstat(at).catch(() => undefined))?.isSymbolicLink())
      throw new TypeError(`${what}: ${path} goes through a link that leads nowhere`);
  }
  const holds = roots.holds(real);
  if (!holds && !roots.paths.some((root) => isInside(real, root))) return;
  const where = holds ? "inside a root" : "around a root";
  throw new TypeError(`${what}: ${path} lies ${where}; name a place outside of all roots`);
}

/** Returns `$XDG_STATE_HOME` or `~/.local/state`, and a name that follows from the first root. */
export function defaultStateDirectory(root: string, env: NodeJS.ProcessEnv = process.env): string {
  const home = env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const name = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return join(resolve(home), "toolglot", "local-tools", name);
}

async function clearOld(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && found.mtimeMs < before) await rm(path, { force: true });
  }
}
