import type { JsonSchema, JsonSchemaObject, ToolAnnotations, ToolDefinition } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { type ProviderNames, providerNames } from "./provider-names.ts";

/** Tools in a provider's shape. Names that the provider would refuse are changed: read its calls with `names`. */
export interface ProviderTools<Tool> {
  tools: Tool[];
  names: ProviderNames;
}

/** A tool as OpenAI's chat completions and most compatible servers take it. */
export interface OpenAiTool {
  type: "function";
  function: { name: string; description: string; parameters: JsonSchemaObject };
}

/** A tool as Anthropic's messages take it. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: JsonSchemaObject;
}

/** A tool as Gemini's `functionDeclarations` take it. */
export interface GeminiFunctionDeclaration {
  name: string;
  description: string;
  parametersJsonSchema: JsonSchemaObject;
}

/** A tool as an MCP server lists it. */
export interface McpTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchemaObject;
  outputSchema?: JsonSchemaObject;
  annotations?: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
}

const openAiRule = { forbidden: /[^\w-]/g, maxLength: 64 };
const anthropicRule = { forbidden: /[^\w-]/g, maxLength: 128 };
const geminiRule = { forbidden: /[^\w.-]/g, start: /^[A-Za-z_]/, maxLength: 64 };

/**
 * Returns the `tools` of an OpenAI request. Schemas are copies.
 *
 * @example
 * ```ts
 * const { tools, names } = toOpenAiTools(toolkit.definitions());
 * ```
 */
export function toOpenAiTools(definitions: readonly ToolDefinition[]): ProviderTools<OpenAiTool> {
  return shaped(definitions, openAiRule, (name, { description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: objectSchema(inputSchema) },
  }));
}

/** Returns the `tools` of an Anthropic request. */
export function toAnthropicTools(definitions: readonly ToolDefinition[]): ProviderTools<AnthropicTool> {
  return shaped(definitions, anthropicRule, (name, { description, inputSchema }) => ({
    name,
    description,
    input_schema: objectSchema(inputSchema),
  }));
}

/** Returns the `functionDeclarations` of one of a Gemini request's `tools`. */
export function toGeminiTools(definitions: readonly ToolDefinition[]): ProviderTools<GeminiFunctionDeclaration> {
  return shaped(definitions, geminiRule, (name, { description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: objectSchema(inputSchema),
  }));
}

/** Returns the `tools` of an MCP server's `tools/list`. MCP takes every name. Hints that we don't have are left to MCP's defaults. */
export function toMcpTools(definitions: readonly ToolDefinition[]): McpTool[] {
  return definitions.map(({ name, description, inputSchema, outputSchema, annotations = {} }) => {
    const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
    const hints = defined({ title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint });
    return {
      name,
      ...defined({ title }),
      description,
      inputSchema: objectSchema(inputSchema),
      // MCP takes only schemas of objects.
      ...(isObjectSchema(outputSchema) && { outputSchema: structuredClone(outputSchema) }),
      ...(Object.keys(hints).length > 0 && { annotations: hints }),
    };
  });
}

/** Returns a definition from a tool of OpenAI's shape. Throws `TypeError` for what is none. */
export function fromOpenAiTool(tool: unknown): ToolDefinition {
  const { type, function: given } = (tool ?? {}) as Partial<OpenAiTool>;
  if (type !== "function" || typeof given?.name !== "string")
    throw new TypeError('an OpenAI tool is { type: "function", function: { name, description, parameters } }');
  const { name, description = "", parameters = {} } = given;
  return { name, description, inputSchema: objectSchema(parameters) };
}

/**
 * Returns a definition from a tool that an MCP server lists. Only hints that it states are taken over: MCP's own default, by which
 * every tool may destroy something, would have the host asked about each call. Throws `TypeError` for what is no tool.
 */
export function fromMcpTool(tool: unknown): ToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations = {} } = (tool ?? {}) as Partial<McpTool>;
  if (typeof name !== "string" || typeof inputSchema !== "object" || inputSchema === null)
    throw new TypeError("an MCP tool is { name, description, inputSchema }");
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const shown = title ?? annotations.title;
  const hints: ToolAnnotations = defined({
    title: shown,
    readOnlyHint,
    destructiveHint,
    idempotentHint,
    openWorldHint,
  });
  return {
    name,
    description: description ?? shown ?? "",
    inputSchema: objectSchema(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: structuredClone(outputSchema) }),
    ...(Object.keys(hints).length > 0 && { annotations: hints }),
  };
}

function shaped<Tool>(
  definitions: readonly ToolDefinition[],
  rule: Parameters<typeof providerNames>[1],
  shape: (name: string, definition: ToolDefinition) => Tool,
): ProviderTools<Tool> {
  const names = providerNames(
    definitions.map(({ name }) => name),
    rule,
  );
  return { tools: definitions.map((definition) => shape(names.toProvider(definition.name), definition)), names };
}

/** Every provider wants an object with properties, also of a tool without parameters. */
function objectSchema(schema: JsonSchemaObject): JsonSchemaObject {
  const copy = structuredClone(schema);
  return { ...copy, type: "object", properties: copy.properties ?? {} };
}

function isObjectSchema(schema: JsonSchema | undefined): schema is JsonSchemaObject {
  return typeof schema === "object" && schema.type === "object";
}
