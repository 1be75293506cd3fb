import type { Tool } from "@toolglot/core";
import { type CodeToolInput, type CodeToolsOptions, javascriptTool, makeCodeTools } from "../code-tools.ts";
import type { Sandbox } from "../sandbox-types.ts";

/**
 * Returns the sandbox as a tool, `executeJavascriptCode`, for agents that call tools one by one: it runs one program. The functions that
 * programs find stand in its description.
 *
 * A tool returns `{ value, logs, warnings? }`; a program that only prints counts as done, with the value `null`. What makes
 * a program fail is thrown as a `ToolError` whose message has type, message, line, source line, hint, and what was printed
 * before. Calls that a program makes have the ids `<id of the call>:1`, `:2` and so on.
 *
 * Throws `TypeError` for two sandboxes of one language, for what is no sandbox, and for options that make no sense.
 */
export function codeTools(
  sandboxes: Sandbox | readonly Sandbox[],
  options: CodeToolsOptions = {},
): Tool<CodeToolInput>[] {
  return makeCodeTools({ javascript: javascriptTool }, sandboxes, options);
}
