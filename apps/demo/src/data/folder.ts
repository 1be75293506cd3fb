import { defaultDataFolder } from "./paths.ts";

/** The data folder: as the command line says, else `TRP_DATA_DIR`, else the user's own. */
export function dataFolder(given: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  return given ?? (env.TRP_DATA_DIR || defaultDataFolder(env));
}
