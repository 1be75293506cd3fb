import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyTool } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { AnyToolFunction } from "@toolglot/toolkit";
import { UsageError } from "../cli/usage-error.ts";
import { dataFolder } from "../config/data-folder.ts";
import type { Host } from "../host.ts";
import type { ModuleData, ModuleExtension } from "./module.ts";

/** What a toolkit registers: a tool, or a function that describes itself. */
export type OwnTool = AnyTool | AnyToolFunction;

/** A module that was imported. */
export interface LoadedModule {
  path: string;
  /** Absent for a module of tools alone. */
  extension?: ModuleExtension;
  tools: readonly OwnTool[];
}

/** A module with what it works on. */
export interface OpenedModule extends Omit<ModuleData, "tools"> {
  tools: readonly OwnTool[];
  /** Where its tools come from: a module's name, or its path. */
  from: string;
  /** The same in short; absent for a module with a name. */
  label?: string;
}

const isTool = (value: unknown): value is AnyTool =>
  isObject(value) && typeof value.name === "string" && typeof value.execute === "function";

const isExtension = (value: unknown): value is ModuleExtension =>
  isObject(value) && typeof value.name === "string" && typeof value.open === "function";

/**
 * Imports a module: `toolglot` is its extension, else its default export is a tool or a list, of tools and functions, else all exports that
 * are tools count. The module runs with the rights of this process. Rejects with `UsageError` when it can't be loaded, or has no tools.
 */
export async function loadModule(path: string): Promise<LoadedModule> {
  let module: Record<string, unknown>;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new UsageError(`--tools: ${path} can't be loaded: ${(error as Error).message}`);
  }
  const { default: main, toolglot, ...named } = module;
  if (isExtension(toolglot)) return { path, extension: toolglot, tools: [] };
  const given = main === undefined ? Object.values(named).filter(isTool) : [main].flat();
  const wrong = given.find((one) => !isTool(one) && typeof one !== "function");
  if (given.length === 0 || wrong !== undefined)
    throw new UsageError(
      `--tools: ${path} exports no tools: its default is a tool or a list of tools, { name, description, inputSchema, execute } or made by defineTool.`,
    );
  return { path, tools: given as OwnTool[] };
}

/** Returns the data folder: as the command line has it, else that of a module, else that of the command line. */
export function dataFolderOf(
  given: string | undefined,
  modules: readonly LoadedModule[],
  env: NodeJS.ProcessEnv,
): string {
  return dataFolder(given, env, modules.find(({ extension }) => extension?.dataFolder)?.extension?.dataFolder);
}

/** Resolves with the data folder of a command that opens no module. */
export async function hostDataFolder(given: string | undefined, { tools, env }: Host): Promise<string> {
  return dataFolderOf(given, await Promise.all(tools.map(loadModule)), env);
}

/** Opens what modules work on, below the data folder. */
export function openModules(modules: readonly LoadedModule[], folder: string, reset = false): OpenedModule[] {
  return modules.map(({ path, extension, tools }) =>
    extension ? openExtension(extension, folder, reset) : { from: path, label: basename(path), tools },
  );
}

/** Opens what a module with an extension works on. */
export function openExtension({ name, open }: ModuleExtension, folder: string, reset = false): OpenedModule {
  return { ...open({ folder, reset }), from: name };
}
