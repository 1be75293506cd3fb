import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, parse } from "node:path";
import { isCancel, select } from "@clack/prompts";
import type { KeptPermissions } from "../cli/kept-permissions.ts";
import type { CliOptions } from "../cli/options.ts";
import type { Terminal } from "../cli/terminal.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import type { Project } from "../modules/module.ts";
import { visible } from "../view/visible.ts";
import type { Words } from "../words/index.ts";

/** A folder of the user's that a model may work in. */
export interface UserFolder {
  project: Project;
  /** The text of its AGENTS.md. */
  instructions?: string;
}

/** Characters of AGENTS.md that a model is given. */
const maxInstructions = 40_000;

/** What is asked about a folder needs. */
interface Asking {
  /** The data folder. */
  data: string;
  permissions: KeptPermissions;
  terminal: Terminal;
  words: Words;
  host: Host;
}

/**
 * Returns the folder that the model works in: the one that was named, else the one where the command line was started, once the person has
 * agreed; undefined where nobody has. The home folder and the root must be named. Throws `UsageError` for a folder that is none.
 */
export async function userFolder(
  { project: named, replay, router, protocol }: CliOptions,
  { data, permissions, terminal, words, host }: Asking,
): Promise<UserFolder | undefined> {
  if (named === false || replay !== undefined || router !== undefined || protocol.startsWith("trp")) return undefined;
  const folder = realFolder(named ?? host.folder);
  if (named === undefined && !permissions.hasFolder(folder)) {
    const isTooWide = folder === homedir() || folder === parse(folder).root;
    if (isTooWide || terminal.prompt === undefined) {
      terminal.note(`${words.project[isTooWide ? "unnamed" : "absent"](visible(folder))}\n`);
      return undefined;
    }
    if (!(await isAgreed(folder, permissions, terminal.prompt, words))) return undefined;
  }
  const instructions = readInstructions(folder, (size) => terminal.note(`${words.project.cut("AGENTS.md", size)}\n`));
  return { project: projectAt(folder, data), ...(instructions !== undefined && { instructions }) };
}

/** Returns a folder as a project: its journal and backups are in the data folder. */
export function projectAt(folder: string, data: string): Project {
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return { folder, stateDir: join(data, "projects", name) };
}

/** Resolves the links of a folder's path. Throws `UsageError` when there is none. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new UsageError(`--project: ${path} can't be used: ${(error as Error).message}`);
  }
}

async function isAgreed(
  folder: string,
  permissions: KeptPermissions,
  prompt: NonNullable<Terminal["prompt"]>,
  { project }: Words,
): Promise<boolean> {
  const answer = await select<"no" | "once" | "always">({
    message: project.ask(visible(folder)),
    options: [
      { value: "no", label: project.no },
      { value: "once", label: project.once },
      { value: "always", label: project.always },
    ],
    initialValue: "no",
    showInstructions: false,
    ...prompt,
  });
  if (answer === "always") permissions.addFolder(folder);
  return !isCancel(answer) && answer !== "no";
}

function readInstructions(folder: string, onCut: (size: number) => void): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, "AGENTS.md"), "utf8");
  } catch {
    return undefined;
  }
  if (text.length > maxInstructions) onCut(maxInstructions);
  return text.slice(0, maxInstructions);
}
