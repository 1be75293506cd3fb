import { contentText, requiresApproval } from "@toolglot/core";
import {
  type Toolkit,
  type ToolResponse,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAiTools,
} from "@toolglot/toolkit";
import { Command, Option } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { type Style, styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { type OpenTools, type SessionFlags, sessionFlags, withSession } from "./with-session.ts";

const shapes = ["openai", "anthropic", "gemini", "mcp", "core"] as const;

interface ToolsOptions extends SessionFlags {
  json: boolean;
  shape?: (typeof shapes)[number];
  yes: boolean;
}

/**
 * The subcommand `tools`: what the toolkit holds, and one call of it by hand. Resolves with the exit code; rejects with `UsageError` for
 * arguments that can't be meant.
 */
export function toolsCommand(run: Run, host: Host): Command {
  const command = new Command(`${host.command} tools`).description("tools of modules and MCP servers, without a model");
  const subcommand = (name: string): Command => sessionFlags(command.command(name));
  subcommand("list")
    .description("every tool with its parameters")
    .addOption(new Option("--shape <provider>", "as JSON, in a provider's shape").choices([...shapes]))
    .action((options: ToolsOptions) =>
      run(() => withSession(options, host, (session) => list(session, options, host))),
    );
  subcommand("call")
    .argument("<name>", "the tool")
    .argument("[input]", "its input as JSON", "{}")
    .description("calls one tool: its input is validated, its chunks are shown as they come")
    .option("--json", "responses as NDJSON", false)
    .option("--yes", "call a tool that asks first", false)
    .action((name: string, input: string, options: ToolsOptions) =>
      run(() => withSession(options, host, ({ toolkit }) => call(toolkit, name, input, options, host))),
    );
  return command;
}

function list({ toolkit, origins }: OpenTools, { shape }: ToolsOptions, { stdout, env }: Host): number {
  const definitions = toolkit.definitions();
  if (shape !== undefined) {
    const shaped = {
      openai: () => toOpenAiTools(definitions).tools,
      anthropic: () => toAnthropicTools(definitions).tools,
      gemini: () => toGeminiTools(definitions).tools,
      mcp: () => toMcpTools(definitions),
      core: () => definitions,
    }[shape]();
    stdout.write(`${JSON.stringify(shaped, null, 2)}\n`);
    return exitCodes.answered;
  }
  const style = styleFor(stdout, env);
  for (const { name, description, inputSchema, annotations = {} } of definitions) {
    const { properties = {}, required = [] } = inputSchema;
    const params = Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`));
    const facts = [
      annotations.readOnlyHint && "reads only",
      requiresApproval({ name, description, inputSchema, annotations }) && "asks first",
      annotations.async && "in the background",
      visible(origins.get(name)?.label ?? ""),
    ].filter(Boolean);
    const suffix = facts.length > 0 ? style.dim(` · ${facts.join(", ")}`) : "";
    stdout.write(
      `${style.accent(visible(name))}(${params.join(", ")})${suffix}\n  ${visible(description.split("\n")[0] ?? "")}\n`,
    );
  }
  return exitCodes.answered;
}

async function call(
  toolkit: Toolkit,
  name: string,
  text: string,
  { json, yes }: ToolsOptions,
  { stdout, stderr, env }: Host,
): Promise<number> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The input is no JSON: ${(error as Error).message}`);
  }
  const tool = toolkit.registered.get(name);
  if (tool && requiresApproval(tool.definition) && !yes) {
    stderr.write(`${name} asks first; --yes approves it.\n`);
    return exitCodes.denied;
  }
  const style = styleFor(stdout, env);
  let last: ToolResponse | undefined;
  for await (const response of toolkit.callToolFunction({ name, input })) {
    if (json) stdout.write(`${JSON.stringify(response)}\n`);
    else if (!response.isLast) stdout.write(`${style.dim(oneLine(response))}\n`);
    last = response;
  }
  if (!json && last) stdout.write(`${outcome(last, style)}\n`);
  return last?.status === "ok" ? exitCodes.answered : exitCodes.error;
}

function oneLine(response: ToolResponse): string {
  return visible(contentText(response.content)).replaceAll("\n", " ");
}

function outcome(response: ToolResponse, style: Style): string {
  if (response.error) return style.bad(visible(response.error.message));
  const text = response.data === undefined ? contentText(response.content) : JSON.stringify(response.data, null, 2);
  return visible(text);
}
