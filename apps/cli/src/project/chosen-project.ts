import { resolve } from "node:path";
import type { Host } from "../host.ts";
import { dataFolderOf, loadModule, openModules } from "../modules/load-module.ts";
import type { Project } from "../modules/module.ts";
import { projectAt, realFolder } from "./user-folder.ts";

/** Opens the project that a command works on: that of a module, else the folder that was named, else this one. */
export async function chosenProject(
  { dataDir, project }: { dataDir?: string; project?: string },
  { tools, env, folder }: Pick<Host, "tools" | "env" | "folder">,
): Promise<Project> {
  const modules = await Promise.all(tools.map(loadModule));
  const data = dataFolderOf(dataDir, modules, env);
  const ofModule = openModules(modules, data).find((one) => one.project)?.project;
  return ofModule?.() ?? projectAt(realFolder(resolve(folder, project ?? ".")), data);
}
