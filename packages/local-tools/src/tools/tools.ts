import { type ToolContext, ToolError } from "@toolglot/core";
import { type DefinedTool, defineTool, ToolResponse } from "@toolglot/toolkit";
import type { LocalErrorType } from "../errors.ts";
import type { CommandInput, EditInput, LocalTools, ReadInput } from "../local-tools.ts";
import { editText, readText, shellText } from "../results/texts.ts";
import type { ShellResult } from "../shell/types.ts";
import { definitions, type LocalToolName } from "./definitions.ts";

type Run = (input: never, context: ToolContext) => Promise<unknown>;

/**
 * The tools for a Toolkit. `command`, `input` and `ctrl` give data, `{ status, exit?, output, waiting?, artifact?, cwd, notes }`,
 * whatever the exit status: a program decides what it means. `edit` and `read` give text. `input` decodes escapes, since some
 * protocols take the white space off the ends of a value. `aboutShell`: a sentence for the description of `command`.
 */
export function localTools(local: LocalTools, aboutShell?: string): DefinedTool<Record<string, unknown>>[] {
  const runs: Record<LocalToolName, Run> = {
    command: (input: CommandInput, { signal }) => local.command(input, { signal }).then((got) => shellData(got)),
    edit: (input: EditInput, { signal }) =>
      local.edit(input.files, { signal }).then((outcome) => editText(outcome, local.maxChars)),
    read: async (input: ReadInput, { signal }) => readResponse(await local.read(input, { signal })),
    input: (input: { data: string }, { signal }) =>
      local.input({ data: decodeEscapes(input.data) }, { signal }).then((got) => shellData(got, "NoCommand")),
    ctrl: (input: { key: string }, { signal }) => local.ctrl(input, { signal }).then((got) => shellData(got)),
  };
  return Object.entries(definitions).map(([name, { inputSchema, ...definition }]) => {
    const about = name === "command" && aboutShell !== undefined ? ` ${aboutShell}` : "";
    const description = `${definition.description}${about}`;
    return defineTool({
      ...definition,
      description,
      input: inputSchema,
      execute: runs[name as LocalToolName] as never,
    });
  });
}

function shellData(result: ShellResult, notRun: LocalErrorType = "ShellBusy"): unknown {
  const { outputLength: _length, ms: _ms, ...data } = result;
  if (result.status === "not-run") throw new ToolError(shellText(result), { data: { type: notRun } });
  return data;
}

function readResponse(outcome: Awaited<ReturnType<LocalTools["read"]>>): ToolResponse {
  const content = readText(outcome);
  const failed = outcome.flatMap((part) => (part.kind === "failure" ? [part.error] : []));
  const [first] = failed;
  if (first === undefined) return new ToolResponse({ content });
  const type = ToolError.isInstance(first) ? String(first.data.type ?? "Error") : "Error";
  return new ToolResponse({ content, error: { type, message: failed.map(({ message }) => message).join("\n") } });
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", e: "\u001b", "\\": "\\" };

/** `\n`, `\r`, `\t`, `\e`, `\xHH` and `\\` as what they stand for, as in a ToolsXML `<input>`; other backslashes stay. */
export function decodeEscapes(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|([nrte\\]))/g, (_whole, hex: string | undefined, name = "") =>
    hex === undefined ? (escapes[name] ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
