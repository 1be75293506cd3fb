/** What a model's calls do on a real machine: a persistent shell, exact edits with undo, reads and searches. */

export type { EditOutcome, FileEdits, FileOutcome, TextEdit, UndoOutcome } from "./edit/types.ts";
export type { LocalErrorData, LocalErrorType } from "./errors.ts";
export { type LocalExecutorOptions, localExecutor } from "./executor/local-executor.ts";
export type { ChangeRecord } from "./journal/types.ts";
export type {
  CommandInput,
  EditInput,
  LocalContext,
  LocalTools,
  ReadFailure,
  ReadInput,
  ReadOutcome,
} from "./local-tools.ts";
export { type LocalToolsOptions, openLocalTools } from "./open-local-tools.ts";
export { type Ask, defaultPolicy, type LocalPolicy, type LocalRequest, type LocalVerdict } from "./policy.ts";
export type { FileRead, LeftOut, ReadPart, TextSearch } from "./read/types.ts";
export { defaultEnvironment } from "./shell/environment.ts";
export { openShell } from "./shell/open-shell.ts";
export type {
  RunOptions,
  SendOptions,
  ShellBackend,
  ShellOptions,
  ShellResult,
  ShellSession,
  ShellState,
} from "./shell/types.ts";
