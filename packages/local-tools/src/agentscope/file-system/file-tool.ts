import type { JsonSchemaObject, ToolAnnotations } from "@toolglot/core";
import { type DefinedTool, defineTool } from "@toolglot/toolkit";
import { FileDomainService } from "./service.ts";

/** What every file tool gets: its service, which is a preset. */
export interface ServiceInput {
  /** A `FileDomainService`. */
  service: unknown;
}

/** Input of tools about one path. */
export interface PathInput extends ServiceInput {
  path: string;
}

/** A file tool but for its service, which {@link fileTool} adds to the arguments. */
interface FileTool {
  name: string;
  description: string;
  annotations: ToolAnnotations;
  /** In toolkit's shorthand, or the properties of a JSON Schema, all required. */
  args?: Record<string, string>;
  properties?: Record<string, JsonSchemaObject>;
}

const presetService = "The FileDomainService to work on: a preset";

/** Defines a tool that asks its service and answers with a text block: as data, a text would reach some models in quotes. */
export function fileTool<Input extends ServiceInput>(
  { args, properties, ...definition }: FileTool,
  run: (files: FileDomainService, input: Input, signal: AbortSignal) => string | Promise<string>,
): DefinedTool<Input> {
  const execute = async (input: Input, { signal }: { signal: AbortSignal }): Promise<unknown> => {
    if (!FileDomainService.isInstance(input.service)) {
      throw new TypeError(`Register ${definition.name} with presets: { service }, a FileDomainService`);
    }
    return { type: "text", text: await run(input.service, input, signal) };
  };
  const input: JsonSchemaObject = {
    type: "object",
    properties: { service: { description: presetService }, ...properties },
    required: ["service", ...Object.keys(properties ?? {})],
    additionalProperties: false,
  };
  const source = properties === undefined ? { args: { service: `any - ${presetService}`, ...args } } : { input };
  return defineTool({
    ...definition,
    ...source,
    execute: execute as never,
  }) as DefinedTool<never> as DefinedTool<Input>;
}
