/** What a model's calls do on a real machine: a persistent shell, exact edits with undo, reads and searches. */

export type { BwrapOptions, ConfinedState, ConfinementReason } from "./confinement/types.ts";
export type { EditOutcome, FileEdits, FileOutcome, FileTextEdit, UndoOutcome } from "./edit/types.ts";
export type { LocalErrorData, LocalErrorType } from "./errors.ts";
export { type LocalExecutorOptions, localExecutor } from "./executor/local-executor.ts";
export type { Forgotten } from "./forget-value.ts";
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
export type { ScreenView } from "./output/full-screen.ts";
export { type Ask, defaultLocalPolicy, type LocalPolicy, type LocalRequest, type LocalVerdict } from "./policy.ts";
export type { FileRead, LeftOut, ReadPart, TextSearch } from "./read/types.ts";
export { defaultEnvironment } from "./shell/environment.ts";
export { openShell } from "./shell/open-shell.ts";
export type {
  ShellBackend,
  ShellOptions,
  ShellResult,
  ShellRunOptions,
  ShellSendOptions,
  ShellSession,
  ShellState,
  ShellTerm,
} from "./shell/types.ts";
