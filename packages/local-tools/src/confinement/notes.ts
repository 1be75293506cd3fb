import { isInAny } from "./places.ts";
import type { ConfinedState } from "./types.ts";

/** Describes a confined shell to a model before it uses it. */
export function confinementSentence({ writable, network }: Pick<ConfinedState, "writable" | "network">): string {
  return `It is confined: only ${written(writable)} can be written${network ? "" : "; there is no network"}.`;
}

const readOnly = /Read-only file system|EROFS|Device or resource busy|EBUSY/;
const noNetwork =
  /Network is unreachable|Could not resolve host|Temporary failure in name resolution|ENETUNREACH|EAI_AGAIN/;
const noAccess = /Permission denied|EACCES|No such file or directory|ENOENT/;

/** Returns a note for a command that failed because it is confined, by what it printed: it keeps a model from repairing what isn't broken. */
export function confinementNote(output: string, state: ConfinedState): string | undefined {
  const causes: string[] = [];
  if (readOnly.test(output))
    causes.push(`only ${written(state.writable)} can be written, and git's hooks and settings can't`);
  if (!state.network && noNetwork.test(output)) causes.push("there is no network");
  const lines = output.split("\n").filter((line) => noAccess.test(line));
  if (lines.some((line) => state.hidden.some((path) => names(line, path, state.writable))))
    causes.push("some places are hidden");
  if (causes.length === 0) return undefined;
  return `This comes from the shell's confinement, not from the project: ${causes.join("; ")}.`;
}

/** Checks whether a line names a path, or something in it that is in none of the writable places. */
function names(line: string, path: string, writable: readonly string[]): boolean {
  const at = line.indexOf(path);
  if (at === -1 || /[\w.-]/.test(line[at + path.length] ?? "")) return false;
  return !isInAny(writable, /^[^\s'":]*/.exec(line.slice(at))?.[0] ?? "");
}

function written(writable: readonly string[]): string {
  return [...writable, "/tmp"].join(", ");
}
