import { type AskPassphrase, fileStore, keychainStore, type SecretStore } from "@toolglot/secrets";
import { askHidden } from "../cli/hidden-input.ts";
import { type VarWords, varWordsFor } from "../var/words.ts";

export const storeKinds = ["keychain", "file"] as const;

export type StoreKind = (typeof storeKinds)[number];

/** The store that was asked for, else the keychain where it works and the encrypted file where it doesn't. */
export async function openStoreOf(
  kind: StoreKind | undefined,
  asksPassphrase: boolean,
  words: VarWords = varWordsFor("en"),
): Promise<SecretStore> {
  if (kind === "keychain") return await keychainStore();
  const file = (): SecretStore =>
    fileStore({ passphrase: asksPassphrase ? (why) => askPassphrase(why, words) : async () => undefined });
  return kind === "file" ? file() : await keychainStore().catch(file);
}

/** Where a store keeps values, in words that follow "in". */
export function placeOf({ kind }: Pick<SecretStore, "kind">, words: VarWords): string {
  return words.place[kind === "keychain" ? "keychain" : "file"];
}

/** Asks for the passphrase of the file at the terminal; a new one twice. Undefined when there is no terminal. */
async function askPassphrase(
  { create, attempt, path }: Parameters<AskPassphrase>[0],
  words: VarWords,
): Promise<string | undefined> {
  if (!create) return askHidden(words.passphrase(path, attempt > 1));
  const first = await askHidden(words.newPassphrase(path, attempt > 1));
  if (first === undefined) return undefined;
  // What is too short is asked for again, and so is what was mistyped.
  return (await askHidden(words.sameAgain)) === first ? first : "";
}
