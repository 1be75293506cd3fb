import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type GatewayConfig, loadConfig } from "@toolglot/gateway";
import { defined } from "@toolglot/internal";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { type GatewayRun, settingsOf } from "./flags.ts";

/** The file that is read when none is named. */
export const defaultFile = "toolglot.json";

/** Loads the configuration that the command line names, or that of the folder. Rejects with `UsageError`, and as `loadConfig` does. */
export async function loadNamed(run: GatewayRun): Promise<GatewayConfig> {
  const files = filesOf(run);
  if (files.length === 0) throw new UsageError(run.say.noConfig(defaultFile));
  return load(run, files, run.host.env);
}

/**
 * Loads what says where a gateway keeps its things. Without a configuration, those are the defaults. Variables that only servers need may
 * be missing: who decides about an approval sits at another terminal than the one that the gateway was started from.
 */
export async function loadPlaces(run: GatewayRun): Promise<GatewayConfig> {
  const env = new Proxy(run.host.env, { get: (known, name) => Reflect.get(known, name) ?? "" });
  // Where state is kept by default does depend on what is set.
  const { XDG_STATE_HOME, LOCALAPPDATA } = run.host.env;
  return load(run, filesOf(run), Object.assign(Object.create(env), { XDG_STATE_HOME, LOCALAPPDATA }));
}

function load(run: GatewayRun, files: readonly string[], env: Host["env"]): Promise<GatewayConfig> {
  const { flags, host } = run;
  const { stdio, allowVolatile, stateDir } = flags;
  return loadConfig({
    files,
    flags: settingsOf(run),
    env,
    ...defined({ stdio, allowVolatile, home: host.env.HOME }),
    ...(stateDir !== undefined && { stateDir: resolve(host.folder, stateDir) }),
  });
}

function filesOf({ flags: { config }, host: { folder } }: GatewayRun): string[] {
  // Problems name files as the person did.
  const place = (file: string): string => (folder === process.cwd() ? file : resolve(folder, file));
  if (config !== undefined) return config.map(place);
  return existsSync(resolve(folder, defaultFile)) ? [place(defaultFile)] : [];
}
