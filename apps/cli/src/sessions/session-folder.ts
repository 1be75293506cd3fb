import { randomBytes } from "node:crypto";
import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ProgramLanguage, ToolglotError } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { makeFolder } from "@toolglot/internal/node";
import { listSessions, type Sandbox, type SandboxSession } from "@toolglot/sandbox";
import { folderStorage } from "@toolglot/storage";
import { type Words, wordsFor } from "../words/index.ts";
import { sessionsPath } from "./session-names.ts";

/** What programs of a session may be written in. */
export const programLanguages: readonly ProgramLanguage[] = ["python", "javascript"];

/** Where a data folder keeps its sessions: the images, the conversations, and the key that signs the images. */
export interface SessionFolder {
  /** Absolute, with mode 0700. */
  path: string;
  /** The variables, by the language of the programs. */
  storages: Readonly<Record<ProgramLanguage, Storage>>;
  key: Uint8Array;
}

/** Opens the sessions of a data folder; the folder and its key are made when there are none. */
export function openSessionFolder(dataFolder: string): SessionFolder {
  const path = sessionsPath(dataFolder);
  makeFolder(path);
  const storages = {
    python: folderStorage(join(path, "images")),
    javascript: folderStorage(join(path, "images-js")),
  };
  return { path, storages, key: keyOf(path) };
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
 * Takes up the variables of the session of that name, or begins with none. Rejects with a plain `Error` that says what to do when they
 * can't be taken up: they are open in another process, too old, of another version, or not as they were stored.
 */
export async function openProgramSession(
  sandbox: Sandbox,
  { storages, key }: SessionFolder,
  name: string,
  words: Words = wordsFor(),
): Promise<SandboxSession> {
  try {
    return await sandbox.resumeSession(name, { begin: true, storage: storages[sandbox.language], key });
  } catch (error) {
    const isLost = ToolglotError.isInstance(error) && lost.has(error.code);
    throw isLost ? new Error(`${error.message} ${words.sessions.removes(name)}`) : error;
  }
}

/** The names of all sessions. */
export async function sessionNames({ path, storages }: SessionFolder): Promise<string[]> {
  const names = readdirSync(path).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
  for (const language of programLanguages)
    for await (const { id } of listSessions({ storage: storages[language] })) names.push(id);
  return [...new Set(names)].sort();
}

/** Codes of sessions that can only be removed. Other errors say what to do themselves. */
const lost: ReadonlySet<string> = new Set([
  "sandbox/session-expired",
  "sandbox/session-mismatch",
  "sandbox/session-tampered",
]);
