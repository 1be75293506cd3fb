import { homedir } from "node:os";
import { join } from "node:path";
import { type AskPassphrase, fileStore, keychainStore, type SecretStore } from "@toolglot/secrets";
import { askHidden } from "../cli/hidden-input.ts";
import type { Words } from "../words/index.ts";

export const storeKinds = ["keychain", "file"] as const;

export type StoreKind = (typeof storeKinds)[number];

/** Opens the store that was asked for, else the keychain where it works and the encrypted file where it doesn't. */
export async function openStoreOf(
  kind: StoreKind | undefined,
  { asksPassphrase, words, env }: { asksPassphrase: boolean; words: Words; env: NodeJS.ProcessEnv },
): Promise<SecretStore> {
  if (kind === "keychain") return await keychainStore();
  const path = join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "toolglot", "secrets.json");
  const passphrase: AskPassphrase = async (why) => (asksPassphrase ? askPassphrase(why, words.values) : undefined);
  const file = (): SecretStore => fileStore({ path, passphrase });
  return kind === "file" ? file() : await keychainStore().catch(file);
}

/** Returns where a store keeps values, in words that follow "in". */
export function placeOf({ kind }: Pick<SecretStore, "kind">, words: Words["values"]): string {
  return words.place[kind === "keychain" ? "keychain" : "file"];
}

/** Asks for the passphrase of the file at the terminal; a new one twice. Undefined when there is no terminal. */
async function askPassphrase(
  { create, attempt, path }: Parameters<AskPassphrase>[0],
  words: Words["values"],
): Promise<string | undefined> {
  if (!create) return askHidden(words.passphrase(path, attempt > 1));
  const first = await askHidden(words.newPassphrase(path, attempt > 1));
  if (first === undefined) return undefined;
  // What is too short is asked for again, and so is what was mistyped.
  return (await askHidden(words.sameAgain)) === first ? first : "";
}
