// The command line as a library: `main` runs it anywhere, `runProcess` as a process of its own.
export type { ProtocolName } from "./cli/protocol-names.ts";
export type { Host } from "./host.ts";
export { processHost } from "./host.ts";
export type {
  Localized,
  ModuleData,
  ModuleExtension,
  ModuleModel,
  ModuleModelOptions,
  Project,
  TourRoom,
  TourStop,
} from "./modules/module.ts";
export { main } from "./run.ts";
export { runProcess } from "./run-process.ts";
