import { accessSync, constants } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { makeFolder } from "@toolglot/internal/node";

/** Returns the data folder: as the command line has it, else `TRP_DATA_DIR`, else the user's own, made when it is not there. */
export function dataFolder(given: string | undefined, env: NodeJS.ProcessEnv, name = "toolglot"): string {
  return given ?? (env.TRP_DATA_DIR || defaultDataFolder(env, name));
}

/** Returns a folder of the user's data, or the temporary one where that can't be written. */
function defaultDataFolder(env: NodeJS.ProcessEnv, name: string): string {
  const base = env.XDG_DATA_HOME || join(homedir(), ".local", "share");
  const wanted = join(base, name);
  try {
    makeFolder(wanted);
    accessSync(wanted, constants.W_OK);
    return wanted;
  } catch {
    return join(tmpdir(), `${name}-${userInfo().uid}`);
  }
}
