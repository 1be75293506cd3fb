import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ToolglotError } from "@toolglot/core";
import { attempt, checkKeys } from "@toolglot/internal";
import { makePrivateFolder, readPrivateFile, takeLock, thisOwner, writePrivateFile } from "@toolglot/internal/node";
import { checkName, checkValue } from "../name-and-value.ts";
import type { SecretStore } from "../types.ts";
import { type AskPassphrase, hasPassphraseFile, type Unlocked, unlock } from "./unlock.ts";
import {
  damaged,
  formatVault,
  type KeyDerivation,
  newDerivation,
  parseVault,
  type SealedEntry,
  type VaultFile,
} from "./vault-file.ts";
import { deriveKey, isRightKey, seal, unseal } from "./vault-key.ts";
import { wrongPermissions } from "./wrong-permissions.ts";

const waitForLockMs = 10_000;

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /** Default `toolglot/secrets.json` in `$XDG_DATA_HOME` or `~/.local/share`. Never inside of a root. */
  path?: string;
  /** Asks for the passphrase, once per process; `create`: for a new one. Not called while `TOOLGLOT_VAULT_PASSPHRASE_FILE` names a file. */
  passphrase: AskPassphrase;
}

/**
 * Opens a store in a file, encrypted with a key from a passphrase (scrypt, AES-256-GCM). Names, scopes and times are in the clear. Nothing is
 * read before it is needed.
 *
 * @example
 * ```ts
 * const store = fileStore({ passphrase: async ({ create }) => askAtTerminal(create ? "New passphrase" : "Passphrase") });
 * const secrets = await openSecrets({ store });
 * ```
 *
 * Its methods reject with `secrets/permissions` for a file that others could read or replace, `-damaged` for one that
 * was changed, `-locked` without the right passphrase, and `-busy` while another process writes.
 */
export function fileStore(options: FileStoreOptions): SecretStore {
  checkKeys("fileStore", options, "path:text passphrase:function", ["passphrase"]);
  const { path = defaultPath(), passphrase } = options;
  if (typeof passphrase !== "function") throw new TypeError("fileStore: passphrase must be a function");
  const store = new FileStore(resolve(path), passphrase);
  paths.set(store, resolve(path));
  return store;
}

const paths = new WeakMap<SecretStore, string>();

/** Returns where a file store keeps its values: a place that no tool may reach. Undefined for other stores. */
export function pathOfStore(store: SecretStore): string | undefined {
  return paths.get(store);
}

/** Checks whether a store is a file that a person is asked to unlock when it is read next. */
export function asksPerson(store: SecretStore): boolean {
  return store instanceof FileStore && store.asksPerson;
}

function defaultPath(): string {
  return join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "toolglot", "secrets.json");
}

class FileStore implements SecretStore {
  readonly kind = "file";
  readonly #path: string;
  readonly #ask: AskPassphrase;
  #unlocked: Unlocked | undefined;
  /** One question at a time. */
  #asking: Promise<unknown> = Promise.resolve();

  constructor(path: string, ask: AskPassphrase) {
    this.#path = path;
    this.#ask = ask;
  }

  /** Nothing unlocks it without a person. */
  get asksPerson(): boolean {
    return this.#unlocked === undefined && !hasPassphraseFile();
  }

  async list(): Promise<{ name: string; scope: string; at: number; note?: string }[]> {
    const vault = await this.#read();
    const key = this.#unlocked?.key;
    return (vault?.entries ?? []).map((entry) => {
      const { name, scope, at } = entry;
      const note = key && attempt(() => unseal(key, entry).note);
      return { name, scope, at, ...(note !== undefined && { note }) };
    });
  }

  async get(name: string, scope: string): Promise<{ value: string; note?: string } | undefined> {
    const vault = await this.#read();
    const entry = vault?.entries.find(isOf(name, scope));
    if (vault === undefined || entry === undefined) return undefined;
    const { key } = await this.#unlock(vault.kdf, vault.check);
    try {
      return unseal(key, entry);
    } catch (error) {
      throw damaged(this.#path, `the entry of ${name} was changed`, error);
    }
  }

  async set(name: string, scope: string, entry: { value: string; note?: string }): Promise<void> {
    checkName(name);
    checkValue(entry.value);
    const { value, note } = entry;
    await makePrivateFolder(this.#path, wrongPermissions);
    // Before the lock is taken: a person may take long to answer.
    const before = await this.#read();
    const kdf = before?.kdf ?? newDerivation();
    await this.#unlock(kdf, before?.check);
    await this.#locked(async () => {
      const now = await this.#read();
      // Somebody else may have made the file meanwhile, with another salt.
      const { key } = await this.#unlock(now?.kdf ?? kdf, now?.check);
      const sealed = seal(key, { name, scope, at: Date.now() }, { value, note });
      const others = (now?.entries ?? []).filter((other) => !isOf(name, scope)(other));
      await this.#write({ version: 1, kdf: now?.kdf ?? kdf, check: key.check, entries: [...others, sealed] });
    });
  }

  async remove(name: string, scope: string): Promise<boolean> {
    if ((await this.#read()) === undefined) return false;
    return await this.#locked(async () => {
      const now = await this.#read();
      const rest = now?.entries.filter((other) => !isOf(name, scope)(other));
      if (now === undefined || rest === undefined || rest.length === now.entries.length) return false;
      await this.#write({ ...now, entries: rest });
      return true;
    });
  }

  async #read(): Promise<VaultFile | undefined> {
    const text = await readPrivateFile(this.#path, wrongPermissions);
    return text === undefined ? undefined : parseVault(text, this.#path);
  }

  #write(vault: VaultFile): Promise<void> {
    return writePrivateFile(this.#path, formatVault(vault));
  }

  /** Resolves with the key of a file. `check`: undefined for a file that is to be made. */
  #unlock(kdf: KeyDerivation, check: string | undefined): Promise<Unlocked> {
    const unlocking = this.#asking.then(async () => {
      const known = this.#unlocked;
      if (known !== undefined) {
        // Another salt: somebody made the file anew. The passphrase may still be the same.
        const key = known.salt === kdf.salt ? known.key : await deriveKey(known.passphrase, kdf);
        if (check === undefined || isRightKey(key, check)) return this.#keep({ ...known, salt: kdf.salt, key });
      }
      return this.#keep(await unlock(this.#path, kdf, check, this.#ask));
    });
    this.#asking = unlocking.catch(() => {});
    return unlocking;
  }

  #keep(unlocked: Unlocked): Unlocked {
    this.#unlocked = unlocked;
    return unlocked;
  }

  async #locked<Result>(work: () => Promise<Result>): Promise<Result> {
    const path = this.#path;
    const lock = await takeLock(`${path}.lock`, thisOwner(), waitForLockMs, () => {
      const message = `Another process has been writing ${path} for more than ${waitForLockMs / 1000} s.`;
      return new ToolglotError("secrets/busy", message, { data: { path } });
    });
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
}

function isOf(name: string, scope: string): (entry: SealedEntry) => boolean {
  return (entry) => entry.name === name && entry.scope === scope;
}
