import { realpathSync } from "node:fs";
import {
  type AskPassphrase,
  type AskValue,
  openSecrets,
  type SecretStore,
  type Secrets,
} from "@toolglot/local-tools/secrets";
import type { ScratchProject } from "./scratch-project.ts";
import { openStoreOf, type StoreKind } from "./secret-store.ts";

/** How {@link openProjectSecrets} opens. */
export interface ProjectSecretsOptions {
  /** Asks for values; without it, a model can ask for none. */
  ask?: AskValue;
  /** Asks for the passphrase of the file. */
  passphrase: AskPassphrase;
  /** Default: the keychain where it works, else the file. */
  kind?: StoreKind;
  /** Values are kept for every project, not for this one alone. */
  everywhere?: boolean;
}

/** The user's values for the project, with the store that keeps them. */
export interface ProjectSecrets {
  secrets: Secrets;
  store: SecretStore;
}

/** Opens the values that are known in the project: those that are kept for it, and those that are kept for all projects. */
export async function openProjectSecrets(
  { folder }: ScratchProject,
  { ask, passphrase, kind, everywhere = false }: ProjectSecretsOptions,
): Promise<ProjectSecrets> {
  const store = await openStoreOf(kind, passphrase);
  const scope = everywhere ? "*" : realpathSync(folder);
  return { secrets: await openSecrets({ store, scope, ...(ask && { ask }) }), store };
}

/** The names whose values stand in a text, as far as the values were used in this session. */
export function namesOfValuesIn(text: string, secrets: Secrets): string[] {
  const marks = (from: string): string[] => [...from.matchAll(/‹([A-Za-z_]\w{0,63})›/g)].map(([, name = ""]) => name);
  const written = marks(text);
  return [...new Set(marks(secrets.mask(text)).filter((name) => !written.includes(name)))];
}
