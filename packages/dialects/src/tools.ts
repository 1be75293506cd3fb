import { type JsonSchema, type JsonSchemaObject, nearest, type ToolDefinition } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { DialectTool } from "./types.ts";

/** The tools that a text's calls are of, by name. */
export class ToolSet {
  readonly definitions: readonly ToolDefinition[];
  readonly #byName: ReadonlyMap<string, ToolDefinition>;
  /** Tools were given: other names are unknown, and calls without marks are found. */
  readonly isGiven: boolean;

  /** Throws `TypeError` for an entry of another shape. */
  constructor(tools: readonly DialectTool[] | undefined) {
    this.isGiven = tools !== undefined;
    this.definitions = (tools ?? []).map(asDefinition);
    this.#byName = new Map(this.definitions.map((tool) => [tool.name, tool]));
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  get(name: string): ToolDefinition | undefined {
    return this.#byName.get(name);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** Returns the name that an unknown one may have been meant for. */
  near(name: string): string | undefined {
    return nearest(name, this.names, 1)[0];
  }

  /** Returns the schema of a tool's parameter, and the schema that its references point into. */
  parameter(tool: string | undefined, name: string): { schema: JsonSchema | undefined; root: JsonSchema | undefined } {
    const root = tool === undefined ? undefined : this.#byName.get(tool)?.inputSchema;
    if (!root) return { schema: undefined, root: undefined };
    const { properties, additionalProperties } = root;
    const schema = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return { schema: schema === false ? undefined : schema, root };
  }

  /** Returns the names of a tool's parameters, in order. */
  parameters(tool: string): readonly string[] {
    return Object.keys(this.#byName.get(tool)?.inputSchema.properties ?? {});
  }
}

function asDefinition(tool: DialectTool): ToolDefinition {
  const given: unknown = tool;
  if (isObject(given)) {
    const { type, function: inner } = given;
    if (type === "function" && isObject(inner) && typeof inner.name === "string") {
      const { name, description, parameters = {} } = inner;
      if (isObject(parameters))
        return {
          name,
          description: typeof description === "string" ? description : "",
          inputSchema: parameters as JsonSchemaObject,
        };
    }
    if (typeof given.name === "string" && isObject(given.inputSchema))
      return { ...(given as unknown as ToolDefinition), description: String(given.description ?? "") };
  }
  throw new TypeError(
    'A tool is { name, description, inputSchema }, or { type: "function", function: { name, parameters } } as OpenAI has it.',
  );
}
