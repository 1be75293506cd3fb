import { type ToolContext, ToolError } from "@toolglot/core";
import { defined, streamed } from "@toolglot/internal";
import { askedData, type GetValueInput } from "@toolglot/secrets/executing";
import { type DefinedTool, defineTool, ToolResponse } from "@toolglot/toolkit";
import { type LocalErrorType, localErrorType } from "../errors.ts";
import type { CommandInput, EditInput, LocalContext, LocalTools, ReadInput, ReadOutcome } from "../local-tools.ts";
import { editText, readError, readText, shellText } from "../results/texts.ts";
import type { ShellResult } from "../shell/types.ts";
import { definitions, type LocalToolName } from "./definitions.ts";

type Run = (input: never, context: ToolContext) => unknown;

/**
 * Creates the tools for a Toolkit. `command`, `input` and `ctrl` return data, `{ status, exit?, output, waiting?, artifact?, cwd, notes }`,
 * whatever the exit status: a program decides what it means. `edit` and `read` return text. `input` decodes escapes, since some
 * protocols take the white space off the ends of a value. `stream`: `command` and `input` are generators of what is printed meanwhile.
 * `aboutShell`: what the description of `command` ends with.
 */
export function localTools(
  local: LocalTools,
  { canAsk, stream = false, aboutShell = "" }: { canAsk: boolean; stream?: boolean; aboutShell?: string },
): DefinedTool<Record<string, unknown>>[] {
  const command = (input: CommandInput, context: LocalContext): Promise<unknown> =>
    local.command(input, context).then((got) => shellData(got));
  const input = ({ data }: { data: string }, context: LocalContext): Promise<unknown> =>
    local.input({ data: decodeEscapes(data) }, context).then((got) => shellData(got, "NoCommand"));
  const shellCall =
    <Input>(call: (input: Input, context: LocalContext) => Promise<unknown>) =>
    (input: Input, context: ToolContext): unknown =>
      stream ? streamed((onOutput) => call(input, { ...own(context), onOutput })) : call(input, own(context));
  const runs: Record<LocalToolName, Run> = {
    command: shellCall(command),
    edit: (input: EditInput, context) =>
      local.edit(input.files, own(context)).then((outcome) => editText(outcome, local.maxChars)),
    read: async (input: ReadInput, context) => readResponse(await local.read(input, own(context))),
    input: shellCall(input),
    ctrl: (input: { key: string }, { signal }) => local.ctrl(input, { signal }).then((got) => shellData(got)),
    get_value: (input: GetValueInput, context) =>
      local.getValue(input, own(context)).then(askedData, cancelledResponse),
  };
  const listed = Object.entries(definitions).filter(([name]) => name !== "get_value" || canAsk);
  return listed.map(([name, { inputSchema, ...definition }]) => {
    const about = name === "command" ? aboutShell : "";
    const description = `${definition.description}${about}`;
    return defineTool({
      ...definition,
      description,
      input: inputSchema,
      execute: runs[name as LocalToolName] as never,
    });
  });
}

/** Returns what the calls here take of a tool's context, which may be any object. */
function own({ signal, callId, wait }: ToolContext): Pick<ToolContext, "signal" | "callId" | "wait"> {
  return { signal, callId, ...defined({ wait }) };
}

function shellData(result: ShellResult, notRun: LocalErrorType = "ShellBusy"): unknown {
  const { outputLength: _length, ms: _ms, ...data } = result;
  if (result.status === "not-run") throw new ToolError(shellText(result), { data: { type: notRun } });
  return data;
}

function readResponse(outcome: ReadOutcome): ToolResponse {
  const error = readError(outcome);
  return new ToolResponse({
    content: readText(outcome),
    ...(error && { error: { type: error.type, message: error.message } }),
  });
}

/** Converts a cancelled request for a value, which is no failure: nothing is to be tried again. */
function cancelledResponse(error: unknown): ToolResponse {
  if (localErrorType(error) !== "ValueCancelled") throw error;
  const { message } = error as Error;
  return new ToolResponse({ content: message, status: "denied", error: { type: "ValueCancelled", message } });
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", e: "\u001b", "\\": "\\" };

/** Decodes `\n`, `\r`, `\t`, `\e`, `\xHH` and `\\` as what they stand for, as in a ToolsXML `<input>`; other backslashes stay. */
export function decodeEscapes(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|([nrte\\]))/g, (_whole, hex: string | undefined, name = "") =>
    hex === undefined ? (escapes[name] ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
