import { type AskPassphrase, fileStore, keychainStore, type SecretStore } from "@toolglot/local-tools/secrets";
import { askHidden } from "../cli/hidden-input.ts";

export const storeKinds = ["keychain", "file"] as const;

export type StoreKind = (typeof storeKinds)[number];

/** The store that was asked for, else the keychain where it works and the encrypted file where it doesn't. */
export async function openStoreOf(kind: StoreKind | undefined, asksPassphrase: boolean): Promise<SecretStore> {
  if (kind === "keychain") return await keychainStore();
  const file = (): SecretStore => fileStore({ passphrase: asksPassphrase ? askPassphrase : async () => undefined });
  return kind === "file" ? file() : await keychainStore().catch(file);
}

/** Where a store keeps values, in words that follow "in". */
export function placeOf({ kind }: Pick<SecretStore, "kind">): string {
  return kind === "keychain" ? "the system's keychain" : "the encrypted file toolglot/secrets.json of the user's data";
}

/** Asks for the passphrase of the file at the terminal; a new one twice. Undefined when there is no terminal. */
async function askPassphrase({ create, attempt, path }: Parameters<AskPassphrase>[0]): Promise<string | undefined> {
  if (!create) return askHidden(`${attempt > 1 ? "That was wrong. " : ""}Passphrase of ${path}`);
  const again = attempt > 1 ? "It needs 8 characters or more, twice the same. " : "";
  const first = await askHidden(`${again}A new passphrase for ${path} (8 characters or more)`);
  if (first === undefined) return undefined;
  // What is too short is asked for again, and so is what was mistyped.
  return (await askHidden("The same passphrase once more")) === first ? first : "";
}
