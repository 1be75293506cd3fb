import type { ExecutorContext } from "@toolglot/core";
import type { Secrets } from "@toolglot/secrets";
import type { AskedValue, AskingContext, GetValueInput } from "@toolglot/secrets/executing";
import type { DefinedTool } from "@toolglot/toolkit";
import type { EditOutcome, FileEdits, UndoOutcome } from "./edit/types.ts";
import type { Forgotten } from "./forget-value.ts";
import type { ChangeRecord } from "./journal/types.ts";
import type { Ask } from "./policy.ts";
import type { FileRead, ReadPart, TextSearch } from "./read/types.ts";
import type { ShellResult, ShellRunOptions, ShellSession } from "./shell/types.ts";

/** What a call may be stopped by, and who is asked. */
export interface LocalContext {
  signal?: AbortSignal;
  /** Who decides where the policy is `ask`. Default: the option `ask` of {@link openLocalTools}. */
  ask?: Ask;
  /** UTF-16 units of text that this call may return. Default: the option `maxChars` of {@link openLocalTools}. */
  maxChars?: number;
  /** How to wait for a person who is asked for the passphrase of kept values, and of which call: so that the time counts to no limit. */
  wait?: ExecutorContext["wait"];
  callId?: string;
  /** Gets what a command prints while it runs, in pieces; see {@link ShellRunOptions.onOutput}. */
  onOutput?: (text: string) => void;
}

/** A shell script, as the `<command>` tag has it. */
export interface CommandInput {
  script: string;
  /** Milliseconds to wait for its end; then it is `running`. Default: the shell's. */
  timeoutMs?: number;
  /** Where it runs: a directory inside the roots. The shell comes back afterwards. */
  cwd?: string;
}

/** Replacements in files, as the `<edit>` tag has them. */
export interface EditInput {
  files: readonly FileEdits[];
}

/** What is to be read, as the `<read>` tag has it. */
export interface ReadInput {
  files?: readonly FileRead[];
  searches?: readonly TextSearch[];
}

/** What was read, in the order asked for: files and directories, then searches. One that failed has its error. */
export type ReadOutcome = (ReadPart | ReadFailure)[];

/** A part that could not be read. */
export interface ReadFailure {
  kind: "failure";
  of: string;
  error: Error;
}

/**
 * What a model's calls do on this machine, inside the roots. The shell is the exception: a script can do whatever this
 * process may, unless `shell.sandbox` confines it. Refusals reject with a core `ToolError`, whose message is for the model.
 */
export interface LocalTools {
  /** Real paths; relative paths begin at the first. */
  readonly roots: readonly string[];
  /** Journal, backups and whole outputs. */
  readonly stateDir: string;
  /** UTF-16 units of text that one call, or one batch of calls, returns. */
  readonly maxChars: number;
  /** Values that calls may use, when the tools were opened with some. */
  readonly secrets: Secrets | undefined;
  /** Changes that a killed process had left half done, repaired at opening. */
  readonly recovered: readonly ChangeRecord[];
  /**
   * Runs a script in the session's shell. An exit status other than 0 is a result, not a rejection.
   *
   * @example
   * ```ts
   * const { status, output } = await local.command({ script: "npm test", timeoutMs: 60_000 });
   * if (status === "running") await local.ctrl({ key: "c" });
   * ```
   */
  command(input: CommandInput, context?: LocalContext): Promise<ShellResult>;
  input(input: { data: string }, context?: LocalContext): Promise<ShellResult>;
  ctrl(input: { key: string }, context?: LocalContext): Promise<ShellResult>;
  /**
   * Makes all edits or none.
   *
   * @example
   * ```ts
   * await local.edit([{ src: "server.mjs", edits: [{ find: "port = 3000", replace: "port = 8080" }] }]);
   * ```
   */
  edit(files: readonly FileEdits[], context?: LocalContext): Promise<EditOutcome>;
  /**
   * Reads files, lines of them and directories, and searches.
   *
   * @example
   * ```ts
   * await local.read({ files: [{ src: "src/main.ts", from: 1, to: 40 }], searches: [{ pattern: "TODO", glob: "*.ts" }] });
   * ```
   */
  read(input: ReadInput, context?: LocalContext): Promise<ReadOutcome>;
  /**
   * Asks the user for a value; one prompt at a time. Rejects with `NotSupported` where nobody can be asked, `ValueCancelled` when the
   * user cancels, and the signal's reason when the call is aborted.
   */
  getValue(input: GetValueInput, context?: AskingContext): Promise<AskedValue>;
  /** Undoes a change: by default the newest that is not undone. Refused when one of its files was changed since. */
  undo(id?: string): Promise<UndoOutcome>;
  /**
   * Removes what is kept for `undo`, and copies of protected files, where they hold a value of that name. Such changes are `forgotten`.
   * Call it before `secrets.remove`. Rejects as the store does when it stays locked, with `TypeError` without `secrets`.
   */
  forget(name: string): Promise<Forgotten>;
  /** Newest first. */
  changes(): Promise<ChangeRecord[]>;
  /**
   * `command`, `edit`, `read`, `input` and `ctrl` for a Toolkit, so that every protocol can call them; `get_value` where the user can
   * be asked. `stream`: `command` and `input` yield what is printed while they run, each piece once, and return the same data; register
   * them with `chunks: "incremental"`.
   */
  tools(options?: { stream?: boolean }): DefinedTool<Record<string, unknown>>[];
  /** Returns the session's shell, started when first needed. */
  shell(): Promise<ShellSession>;
  /** Ends the shell and what runs in it. Nothing can be called afterwards. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
