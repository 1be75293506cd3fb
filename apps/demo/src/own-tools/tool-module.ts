import { pathToFileURL } from "node:url";
import type { AnyTool } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { AnyToolFunction } from "@toolglot/toolkit";
import { UsageError } from "../cli/usage-error.ts";

/** What a toolkit registers: a tool, or a function that describes itself. */
export type OwnTool = AnyTool | AnyToolFunction;

const isTool = (value: unknown): value is AnyTool =>
  isObject(value) && typeof value.name === "string" && typeof value.execute === "function";

/**
 * The tools that a module exports: its default, which is one or a list, of tools and functions, else all exports that are tools. The module
 * runs with the rights of this process. Rejects with `UsageError` when it can't be loaded, or has no tools.
 */
export async function toolsOfModule(path: string): Promise<OwnTool[]> {
  let module: Record<string, unknown>;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new UsageError(`--tools: ${path} can't be loaded: ${(error as Error).message}`);
  }
  const { default: main, ...named } = module;
  const given = main === undefined ? Object.values(named).filter(isTool) : [main].flat();
  const wrong = given.find((one) => !isTool(one) && typeof one !== "function");
  if (given.length === 0 || wrong !== undefined)
    throw new UsageError(
      `--tools: ${path} exports no tools: its default is a tool or a list of tools, { name, description, inputSchema, execute } or made by defineTool.`,
    );
  return given as OwnTool[];
}
