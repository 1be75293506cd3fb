import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sourceFolder } from "../data/paths.ts";

/** The copy of the project that a model may work on. */
export interface ScratchProject {
  folder: string;
  /** Its journal and backups, beside it: undoing works after the process has ended. */
  stateDir: string;
  /** True when this call made the copy. */
  fresh: boolean;
}

/** Copies the project into the data folder at first use, or with `reset`. What was done to it before stays until then. */
export function openProject(dataFolder: string, options: { reset?: boolean } = {}): ScratchProject {
  const folder = join(dataFolder, "project");
  const stateDir = join(dataFolder, "project-state");
  if (options.reset) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(stateDir, { recursive: true, force: true });
  }
  const fresh = !existsSync(folder);
  if (fresh) {
    mkdirSync(dataFolder, { recursive: true });
    // Beside the final place and then renamed, so that nobody finds half a project.
    const draft = `${folder}.${process.pid}.new`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(join(sourceFolder(), "project"), draft, { recursive: true });
    renameSync(draft, folder);
  }
  return { folder, stateDir, fresh };
}
