/** Values that a model may use and never sees: stores, prompts, and masks for every form in which they are printed. */

export type { Masker } from "./mask/masker.ts";
export { maskingExecutor } from "./masking-executor.ts";
export { openSecrets } from "./open-secrets.ts";
export { type FileStoreOptions, fileStore } from "./store/file-store.ts";
export { keychainStore } from "./store/keychain-store.ts";
export type { AskPassphrase } from "./store/unlock.ts";
export type { TerminalInput, TerminalOutput } from "./terminal/raw-terminal.ts";
export { type TerminalAskOptions, terminalAskValue } from "./terminal/terminal-ask-value.ts";
export type {
  AskValue,
  SecretEntry,
  SecretStore,
  Secrets,
  SecretsOptions,
  ValueAnswer,
  ValueRequest,
} from "./types.ts";
export { createValueMask, type ValueMask } from "./value-mask.ts";
