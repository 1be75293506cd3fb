import { rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../cli/usage-error.ts";

/** What a session may be called on the command line. */
const namePattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Begins the names of conversations that are kept without one of their own. */
export const automaticPrefix = "auto-";

/** Whether a conversation is kept only so that `--continue` finds it: without the variables of its programs. */
export const isAutomatic = (name: string): boolean => name.startsWith(automaticPrefix);

/** Throws `UsageError` for what can't be the name of a session. */
export function checkSessionName(name: string): void {
  if (namePattern.test(name)) return;
  throw new UsageError(
    `A session's name is 1 to 128 letters, digits, dots, hyphens and underscores, not ${JSON.stringify(name)}.`,
  );
}

/** Returns where a data folder keeps its sessions. */
export const sessionsPath = (dataFolder: string): string => join(dataFolder, "sessions");

/** Forgets all sessions of a data folder. */
export function dropSessions(dataFolder: string): void {
  rmSync(sessionsPath(dataFolder), { recursive: true, force: true });
}
