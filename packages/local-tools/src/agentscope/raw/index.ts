/** Text files anywhere on this machine, and bare shell commands: AgentScope's tools, which no folder confines. Registered nowhere by themselves. */
export type { BwrapOptions } from "../../confinement/types.ts";
export {
  type ExecuteShellCommandInput,
  executeShellCommand,
  makeExecuteShellCommand,
  type ShellCommandOptions,
} from "./execute-shell-command.ts";
export { type DangerousTextIo, dangerousTextIo, type RawMetadata } from "./guard.ts";
export {
  type InsertTextFileInput,
  insertTextFile,
  type ViewTextFileInput,
  viewTextFile,
  type WriteTextFileInput,
  writeTextFile,
} from "./text-file-tools.ts";
