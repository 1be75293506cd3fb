import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ProgramLanguage, ToolglotError } from "@toolglot/core";
import { fileSessionStore, type Sandbox, type SandboxSession, type SessionStore } from "@toolglot/sandbox";
import { UsageError } from "../cli/usage-error.ts";

/** What programs of a session may be written in. */
export const programLanguages: readonly ProgramLanguage[] = ["python", "javascript"];

/** What a session may be called on the command line. */
const namePattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Throws `UsageError` for what can't be the name of a session. */
export function checkSessionName(name: string): void {
  if (namePattern.test(name)) return;
  throw new UsageError(
    `A session's name is 1 to 128 letters, digits, dots, hyphens and underscores, not ${JSON.stringify(name)}.`,
  );
}

/** Where a data folder keeps its sessions: the images, the conversations, and the key that signs the images. */
export interface SessionFolder {
  /** Absolute, with mode 0700. */
  path: string;
  /** The images, by the language of the programs. */
  stores: Readonly<Record<ProgramLanguage, SessionStore>>;
  key: Uint8Array;
}

/** Where a data folder keeps its sessions. */
export const sessionsPath = (dataFolder: string): string => join(dataFolder, "sessions");

/** The sessions of a data folder; the folder and its key are made when there are none. */
export function openSessionFolder(dataFolder: string): SessionFolder {
  const path = sessionsPath(dataFolder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stores = {
    python: fileSessionStore({ dir: join(path, "images") }),
    javascript: fileSessionStore({ dir: join(path, "images-js") }),
  };
  return { path, stores, key: keyOf(path) };
}

/** Forgets all sessions of a data folder. */
export function dropSessions(dataFolder: string): void {
  rmSync(sessionsPath(dataFolder), { recursive: true, force: true });
}

/** The key in the folder. Two processes that begin at the same time get the same one: the first to link its file wins. */
function keyOf(path: string): Uint8Array {
  const file = join(path, "key");
  const read = (): Buffer | undefined => {
    try {
      return readFileSync(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  };
  const known = read();
  if (known) return known;
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, randomBytes(32), { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return read() as Buffer;
}

/**
 * Goes on with the variables of the session of that name, or begins with none. Rejects with a plain `Error` that says what to do when they
 * can't be gone on with: they are open in another process, too old, of another version, or not as they were stored.
 */
export async function openProgramSession(
  sandbox: Sandbox,
  { stores, key }: SessionFolder,
  name: string,
): Promise<SandboxSession> {
  const store = stores[sandbox.language];
  try {
    const isNew = (await store.head(name)) === undefined;
    return isNew
      ? await sandbox.openSession({ id: name, store, key })
      : await sandbox.resumeSession(name, { store, key });
  } catch (error) {
    const cure = ToolglotError.isInstance(error) ? cures[error.code] : undefined;
    throw cure === undefined ? error : new Error(`${(error as Error).message} ${cure(name)}`);
  }
}

/** The names of all sessions. */
export async function sessionNames({ path, stores }: SessionFolder): Promise<string[]> {
  const names = readdirSync(path).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
  for (const language of programLanguages) for await (const { id } of stores[language].list()) names.push(id);
  return [...new Set(names)].sort();
}

const removeIt = (name: string): string => `npm run demo -- sessions rm ${name} removes it.`;

/** What to do about the errors of a session, by code. Others say it themselves. */
const cures: Readonly<Record<string, (name: string) => string>> = {
  "sandbox/session-expired": removeIt,
  "sandbox/session-mismatch": removeIt,
  "sandbox/session-tampered": removeIt,
};
