import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where what must outlast a call is kept. */
export interface StateDirectory {
  readonly path: string;
  readonly journal: string;
  readonly backups: string;
  readonly artifacts: string;
}

/** How long whole outputs are kept. */
const ARTIFACT_DAYS = 7;

/** Makes the directories (0700), and clears away outputs older than a week. */
export async function openStateDirectory(path: string): Promise<StateDirectory> {
  const state = {
    path,
    journal: join(path, "journal"),
    backups: join(path, "backups"),
    artifacts: join(path, "artifacts"),
  };
  for (const folder of [path, state.journal, state.backups, state.artifacts]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
  await clearOld(state.artifacts, Date.now() - ARTIFACT_DAYS * 86_400_000);
  return state;
}

/** `$XDG_STATE_HOME` or `~/.local/state`, and a name that follows from the first root. */
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
