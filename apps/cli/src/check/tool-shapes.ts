import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ToolDefinition } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { UsageError } from "../cli/usage-error.ts";

/** A tool as somebody wrote it down: its name, and the schema of its input where there is one. */
export interface WrittenTool {
  name: string;
  inputSchema?: Record<string, unknown> | undefined;
}

/** Reads a tool in our shape, OpenAI's (both of them), Anthropic's, MCP's or the AI SDK's; undefined for what has no name. */
export function toolOf(tool: Record<string, unknown>): WrittenTool | undefined {
  const inner = isObject(tool.function) ? tool.function : tool;
  const { name } = inner;
  if (typeof name !== "string" || name === "") return undefined;
  const schema = inner.inputSchema ?? inner.input_schema ?? inner.parameters;
  const plain = isObject(schema) && isObject(schema.jsonSchema) ? schema.jsonSchema : schema;
  return { name, inputSchema: isObject(plain) ? plain : undefined };
}

/** Reads the tools of a file for `--tools`: a JSON array, or an object with one as its `tools`, as MCP answers. Throws `UsageError`. */
export function readToolFile(file: string, folder: string): ToolDefinition[] {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(resolve(folder, file), "utf8"));
  } catch (error) {
    throw new UsageError(`--tools ${file}: ${(error as Error).message}`);
  }
  const answer = isObject(data) && isObject(data.result) ? data.result : data;
  const list = isObject(answer) ? answer.tools : answer;
  const tools = Array.isArray(list)
    ? list.map((item) => (isObject(item) ? definitionOf(item) : undefined))
    : [undefined];
  if (!tools.every((tool) => tool !== undefined))
    throw new UsageError(
      `--tools ${file}: a JSON array of { name, description, inputSchema } is wanted, or tools as OpenAI, Anthropic or MCP have them.`,
    );
  return tools;
}

function definitionOf(item: Record<string, unknown>): ToolDefinition | undefined {
  const tool = toolOf(item);
  if (!tool?.inputSchema) return undefined;
  const { description, annotations } = isObject(item.function) ? item.function : item;
  return {
    name: tool.name,
    description: typeof description === "string" ? description : "",
    inputSchema: { ...tool.inputSchema, type: "object" },
    ...(isObject(annotations) && { annotations }),
  };
}
