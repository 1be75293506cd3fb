import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "toolglot";
import { sourceFolder } from "./paths.ts";

/** Copies the project into the data folder at first use, or with `reset`. What was done to it before stays until then. */
export function openProject(dataFolder: string, options: { reset?: boolean } = {}): Project {
  const folder = join(dataFolder, "project");
  const stateDir = join(dataFolder, "project-state");
  if (options.reset) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(stateDir, { recursive: true, force: true });
  }
  if (!existsSync(folder)) {
    mkdirSync(dataFolder, { recursive: true });
    // Beside the final place and then renamed, so that nobody finds half a project.
    const draft = `${folder}.${process.pid}.new`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(join(sourceFolder(), "project"), draft, { recursive: true });
    renameSync(draft, folder);
  }
  // Its journal and backups are beside it: undoing works after the process has ended.
  return { folder, stateDir };
}
