import { resolve } from "node:path";
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
import { collected } from "../cli/flags.ts";
import { type Run, runCommand } from "../cli/run-command.ts";
import { openSession, type Session } from "../cli/session.ts";
import { UsageError } from "../cli/usage-error.ts";
import { loadConfig } from "../config/load-config.ts";
import { dataFolder } from "../data/folder.ts";
import { openStore } from "../data/store.ts";
import { addOwnTools } from "../own-tools/add-tools.ts";
import { type Style, styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";

const shapes = ["openai", "anthropic", "gemini", "mcp", "core"] as const;

interface ToolsOptions {
  dataDir?: string;
  tools?: string[];
  mcp?: string[];
  shop: boolean;
  json: boolean;
  shape?: (typeof shapes)[number];
  yes: boolean;
}

/**
 * The subcommand `tools`: what the toolkit holds, and one call of it by hand. Gives the exit code. Throws `UsageError` for
 * arguments that can't be meant.
 */
export function toolsCommand(args: readonly string[]): Promise<number> {
  return runCommand(buildCommand, args);
}

function buildCommand(run: Run): Command {
  const command = new Command("npm run demo -- tools").description("the demo's tools and your own, without a model");
  const subcommand = (name: string): Command =>
    command
      .command(name)
      .addOption(
        new Option("--tools <file>", "a module that exports tools of your own, more than once").argParser(collected),
      )
      .addOption(new Option("--mcp <file>", "a file of MCP servers, more than once").argParser(collected))
      .option("--no-shop", "leave out the shop's tools")
      .option("--data-dir <dir>", "where documents and database live");
  subcommand("list")
    .description("every tool with its parameters")
    .addOption(new Option("--shape <provider>", "as JSON, in a provider's shape").choices([...shapes]))
    .action((options: ToolsOptions) => run(() => withToolkit(options, (session) => list(session, options))));
  subcommand("call")
    .argument("<name>", "the tool")
    .argument("[input]", "its input as JSON", "{}")
    .description("calls one tool: its input is validated, its chunks are shown as they come")
    .option("--json", "responses as NDJSON", false)
    .option("--yes", "call a tool that asks first", false)
    .action((name: string, input: string, options: ToolsOptions) =>
      run(() => withToolkit(options, ({ toolkit }) => call(toolkit, name, input, options))),
    );
  return command;
}

async function withToolkit(
  { dataDir, tools, mcp, shop }: ToolsOptions,
  work: (session: Session) => number | Promise<number>,
): Promise<number> {
  const config = loadConfig();
  const { values, folder } = config;
  const files = (given: string[] | undefined, configured: string[] = []): string[] =>
    given?.map((file) => resolve(folder, file)) ?? configured;
  const session = openSession(openStore(dataFolder(dataDir)), { shop: shop && values.shop !== false });
  try {
    const own = { modules: files(tools, values.tools), mcpFiles: files(mcp, values.mcp), config };
    await addOwnTools(session, own, (text) => process.stderr.write(`${visible(text)}\n`));
    return await work(session);
  } finally {
    await session.dispose();
  }
}

function list({ toolkit, origins }: Session, { shape }: ToolsOptions): number {
  const definitions = toolkit.definitions();
  if (shape !== undefined) {
    const shaped = {
      openai: () => toOpenAiTools(definitions).tools,
      anthropic: () => toAnthropicTools(definitions).tools,
      gemini: () => toGeminiTools(definitions).tools,
      mcp: () => toMcpTools(definitions),
      core: () => definitions,
    }[shape]();
    process.stdout.write(`${JSON.stringify(shaped, null, 2)}\n`);
    return exitCodes.answered;
  }
  const style = styleFor(process.stdout);
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
    process.stdout.write(
      `${style.accent(visible(name))}(${params.join(", ")})${suffix}\n  ${visible(description.split("\n")[0] ?? "")}\n`,
    );
  }
  return exitCodes.answered;
}

async function call(toolkit: Toolkit, name: string, text: string, { json, yes }: ToolsOptions): Promise<number> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The input is no JSON: ${(error as Error).message}`);
  }
  const tool = toolkit.registered.get(name);
  if (tool && requiresApproval(tool.definition) && !yes) {
    process.stderr.write(`${name} asks first; --yes approves it.\n`);
    return exitCodes.denied;
  }
  const style = styleFor(process.stdout);
  let last: ToolResponse | undefined;
  for await (const response of toolkit.callToolFunction({ name, input })) {
    if (json) process.stdout.write(`${JSON.stringify(response)}\n`);
    else if (!response.isLast) process.stdout.write(`${style.dim(oneLine(response))}\n`);
    last = response;
  }
  if (!json && last) process.stdout.write(`${outcome(last, style)}\n`);
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
