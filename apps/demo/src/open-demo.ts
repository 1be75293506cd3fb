import type { ModuleData } from "toolglot";
import { demoCapabilities } from "./capabilities/index.ts";
import { demoPolicy } from "./capabilities/policy.ts";
import { openProject } from "./data/scratch-project.ts";
import { type DemoStore, openStore } from "./data/store.ts";
import { demoTools } from "./tools/index.ts";

/** Opens the shop and the project below a folder, and makes their data where there is none. */
export function openDemo(folder: string, { reset = false }: { reset?: boolean } = {}): ModuleData {
  const store = openStore(folder, { reset });
  if (reset) openProject(folder, { reset });
  return demoData(store);
}

/** Returns what the command line works with over a store; `projectFolder`: where the project's copy is, by default beside the store. */
export function demoData(store: DemoStore, projectFolder: string = store.folder): ModuleData {
  return {
    tools: demoTools(store),
    fresh: store.fresh,
    capabilities: () => demoCapabilities(store),
    policy: demoPolicy,
    project: () => openProject(projectFolder),
  };
}
