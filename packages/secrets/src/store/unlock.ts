import { ToolglotError } from "@toolglot/core";
import { readPrivateFile } from "@toolglot/internal/node";
import type { KeyDerivation } from "./vault-file.ts";
import { deriveKey, isRightKey, type VaultKey } from "./vault-key.ts";
import { wrongPermissions } from "./wrong-permissions.ts";

/** Asks for the passphrase of a file; undefined: there is none. `create`: a new one, for a file that does not exist yet. */
export type AskPassphrase = (why: { create: boolean; attempt: number; path: string }) => Promise<string | undefined>;

/** Names a file whose first line is the passphrase: 0600, and ours. */
const fileVariable = "TOOLGLOT_VAULT_PASSPHRASE_FILE";
const maxAttempts = 3;
const minPassphraseLength = 8;

/** A passphrase that opens a file, with its key. */
export interface Unlocked {
  readonly passphrase: string;
  readonly salt: string;
  readonly key: VaultKey;
}

/**
 * Asks for a passphrase until it is the right one, three times at most. `check`: of the file; without it, the passphrase is a new one.
 *
 * Rejects with `secrets/locked` when none is given or none is right, and with `secrets/permissions` for a
 * passphrase file that others can read.
 */
export async function unlock(
  path: string,
  kdf: KeyDerivation,
  check: string | undefined,
  ask: AskPassphrase,
): Promise<Unlocked> {
  const create = check === undefined;
  const fromFile = await passphraseFromFile();
  for (let attempt = 1; attempt <= (fromFile === undefined ? maxAttempts : 1); attempt++) {
    const passphrase = fromFile ?? (await ask({ create, attempt, path }));
    if (typeof passphrase !== "string") throw locked(path, "nobody gave its passphrase");
    if (create && passphrase.length < minPassphraseLength) continue;
    const key = await deriveKey(passphrase, kdf);
    if (check === undefined || isRightKey(key, check)) return { passphrase, salt: kdf.salt, key };
  }
  if (create) throw locked(path, `a new passphrase needs ${minPassphraseLength} characters or more`);
  throw locked(
    path,
    fromFile === undefined
      ? "the passphrase was wrong three times"
      : `the passphrase in the file of ${fileVariable} is wrong`,
  );
}

/** Checks whether a file has the passphrase, so that nobody is asked. */
export function hasPassphraseFile(): boolean {
  return Boolean(process.env[fileVariable]);
}

async function passphraseFromFile(): Promise<string | undefined> {
  const path = process.env[fileVariable];
  if (path === undefined || path === "") return undefined;
  const text = await readPrivateFile(path, wrongPermissions);
  if (text === undefined) throw locked(path, `${fileVariable} names it, and it does not exist`);
  return text.split(/\r?\n/, 1)[0] ?? "";
}

function locked(path: string, why: string): ToolglotError {
  return new ToolglotError("secrets/locked", `${path} stays locked: ${why}.`, { data: { path } });
}
