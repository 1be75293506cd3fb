import { realpathSync } from "node:fs";
import { type AskValue, openSecrets, type SecretStore, type Secrets } from "@toolglot/secrets";
import type { Project } from "../modules/module.ts";
import type { Words } from "../words/index.ts";
import { openStoreOf, type StoreKind } from "./secret-store.ts";

/** How {@link openProjectSecrets} opens. */
export interface ProjectSecretsOptions {
  /** Asks for values; without it, a model can ask for none. */
  ask?: AskValue;
  /** Whether a person may be asked for the passphrase of the file. */
  asksPassphrase: boolean;
  /** Default: the keychain where it works, else the file. */
  kind?: StoreKind;
  /** Values are kept for every project, not for this one alone. */
  everywhere?: boolean;
  words: Words;
  env: NodeJS.ProcessEnv;
}

/** The user's values for the project, with the store that keeps them. */
export interface ProjectSecrets {
  secrets: Secrets;
  store: SecretStore;
}

/** Opens the values that are known in the project: those that are kept for it, and those that are kept for all projects. */
export async function openProjectSecrets(
  { folder }: Pick<Project, "folder">,
  { ask, asksPassphrase, kind, everywhere = false, words, env }: ProjectSecretsOptions,
): Promise<ProjectSecrets> {
  const store = await openStoreOf(kind, { asksPassphrase, words, env });
  const scope = everywhere ? "*" : realpathSync(folder);
  return { secrets: await openSecrets({ store, scope, ...(ask && { ask }) }), store };
}

/** The names whose values stand in a text, as far as the values were used in this session. */
export function namesOfValuesIn(text: string, secrets: Secrets): string[] {
  const masked = secrets.mask(text);
  const names = [...masked.matchAll(/‹([A-Za-z_]\w{0,63})›/g)].map(([, name = ""]) => name);
  // A mark that the text itself holds is no value.
  return [...new Set(names)].filter((name) => masked.split(`‹${name}›`).length > text.split(`‹${name}›`).length);
}
