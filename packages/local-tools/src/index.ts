/** What a model's calls do on a real machine: a persistent shell, exact edits with undo, reads and searches. */

export type { EditOutcome, FileEdits, FileOutcome, TextEdit, UndoOutcome } from "./edit/types.ts";
export type { LocalErrorData, LocalErrorType } from "./errors.ts";
export type { ChangeRecord } from "./journal/types.ts";
export type { LocalPolicy, LocalRequest, LocalVerdict } from "./policy.ts";
export type { FileRead, ReadPart, TextSearch } from "./read/types.ts";
export type {
  RunOptions,
  SendOptions,
  ShellBackend,
  ShellOptions,
  ShellResult,
  ShellSession,
  ShellState,
} from "./shell/types.ts";
