import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Host } from "../host.ts";

/** Where a program keeps its logs. */
export interface LogPlace {
  /** The program. */
  name: string;
  /** A folder or a file, absolute. */
  path: string;
  /** Its logs, found in this place; empty when there is nothing. */
  files: string[];
}

/** Names of files that may be logs, where a folder was named; what they are, their content says. */
const anyLog = /\.(?:(?:jsonl|ndjson|json)(?:\.gz)?|db)$/i;
const jsonLines = /\.jsonl(?:\.gz)?$/i;

/** Returns the places where programs keep their logs, with the files that are there. */
export function knownPlaces({ env, folder }: Pick<Host, "env" | "folder">): LogPlace[] {
  const home = env.HOME || env.USERPROFILE || homedir();
  const data = env.XDG_DATA_HOME || join(home, ".local", "share");
  const codex = env.CODEX_HOME || join(home, ".codex");
  const places: [name: string, path: string, logs: RegExp][] = [
    ["Claude Code", join(env.CLAUDE_CONFIG_DIR || join(home, ".claude"), "projects"), jsonLines],
    ["Codex", join(codex, "sessions"), jsonLines],
    ["Gemini CLI", join(env.GEMINI_CLI_HOME || home, ".gemini", "tmp"), /\.jsonl$|^(?:session|checkpoint)-.*\.json$/],
    ["opencode", join(data, "opencode"), /opencode[\w-]*\.db$/],
    ["pi", join(env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent"), "sessions"), jsonLines],
    ["AI SDK devtools", env.AI_SDK_DEVTOOLS_DB_PATH || join(folder, ".devtools", "generations.json"), /\.json$/],
    ["toolglot", join(env.TRP_DATA_DIR || join(data, "toolglot"), "sessions"), /\.jsonl?$/],
  ];
  // Where few of them are, which is told only then.
  const rare: typeof places = [["Codex", join(codex, "archived_sessions"), jsonLines]];
  if (!env.CLAUDE_CONFIG_DIR)
    rare.push(["Claude Code", join(env.XDG_CONFIG_HOME || join(home, ".config"), "claude", "projects"), jsonLines]);
  return [...places, ...rare.filter(([, path]) => existsSync(path))].map(([name, path, logs]) => ({
    name,
    path,
    files: filesIn(path, logs) ?? [],
  }));
}

/** Returns the files that a person named, and those in the folders named. */
export function namedFiles(paths: readonly string[], folder: string): string[] {
  return [...new Set(paths.flatMap((path) => filesIn(resolve(folder, path), anyLog) ?? []))];
}

/** Returns the files in a folder and all that are in it, in order; a file itself, whatever it is called. Undefined where there is nothing. */
function filesIn(path: string, logs: RegExp): string[] | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (!stat.isDirectory()) return [path];
  return list(path).flatMap((entry) => {
    const inner = join(path, entry.name);
    if (entry.isDirectory())
      return entry.name === "node_modules" || entry.name === ".git" ? [] : (filesIn(inner, logs) ?? []);
    // A link to a folder may lead round in a circle.
    const isFile = entry.isFile() || (entry.isSymbolicLink() && statSync(inner, { throwIfNoEntry: false })?.isFile());
    return isFile && logs.test(entry.name) ? [inner] : [];
  });
}

/** A folder that can't be read has nothing for us. */
function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}
