import type { JsonObject } from "@toolglot/core";
import type { PolicyEngine } from "@toolglot/trp-core";
import type { Machine } from "./folders.ts";
import type { ConfigProblem } from "./problem.ts";
import type { ConfigSecret } from "./secrets.ts";
import type { ServerTransport } from "./server-entry.ts";
import type { GatewaySettings, ServerSettings } from "./settings.ts";

/** Options of `loadConfig`. */
export interface LoadConfigOptions extends Partial<Machine> {
  /** Paths of files, or texts. Of what several of them say, the last one's holds. */
  files: readonly (string | ConfigText)[];
  /** Settings of the command line, as under `gateway`. They win. */
  flags?: JsonObject;
  /** Where the store and the tokens are unless the configuration has it. Default: `defaultStateDir()`. */
  stateDir?: string;
  /** What `${workspaceFolder}` is. Default: the folder of each file. */
  workspaceFolder?: string;
  /** Whether clients come over stdio: then `listen.port` is 0 by default. Default false. */
  stdio?: boolean;
  /** Whether a store in memory may have effects that must not happen twice. Default false. */
  allowVolatile?: boolean;
}

/** A configuration that is not in a file. */
export interface ConfigText {
  /** Stands in problems where a file's path would. */
  name: string;
  text: string;
  /** Where relative paths of it begin. Default: the working folder. */
  folder?: string;
}

/** A server of a configuration. */
export interface ServerConfig {
  /** As the configuration has it. */
  name: string;
  transport: ServerTransport;
  settings: ServerSettings;
}

/** A configuration, complete and checked. */
export interface GatewayConfig {
  /** The files that it was read from, with those of policies. */
  files: string[];
  /** Those that are not disabled, in the order of the files. */
  servers: ServerConfig[];
  /** Names of servers that are disabled. */
  disabled: string[];
  /** Paths in it are absolute. */
  settings: GatewaySettings;
  /** Of `settings.policy`. */
  policy: PolicyEngine;
  stateDir: string;
  /** Values that nobody may see: whatever came from variables, `env`, `headers` and files, and the keys of settings. */
  secrets: ConfigSecret[];
  /** What was passed over, and what to write instead. */
  notices: ConfigProblem[];
}
