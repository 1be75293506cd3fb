import { type JsonSchema, type JsonSchemaObject, nearest, type ToolDefinition } from "@toolglot/core";
import { memberNames, memberSchema } from "@toolglot/core/text";
import { isObject } from "@toolglot/internal";
import type { DialectTool } from "./types.ts";

/** A tool as all of this package looks at it. */
export interface ToolShape {
  name: string;
  description: string;
  schema: JsonSchemaObject;
}

/**
 * Returns tools of either shape as one. `what`: who asks, for the message.
 *
 * @throws `TypeError` that names the entry, for one of any other shape.
 */
export function readTools(what: string, tools: readonly DialectTool[]): ToolShape[] {
  return tools.map((tool: unknown, index) => {
    const isFunction = isObject(tool) && isObject(tool.function);
    const { name, description, ...rest } = (isFunction ? tool.function : isObject(tool) ? tool : {}) as {
      name?: unknown;
      description?: unknown;
      parameters?: unknown;
      inputSchema?: unknown;
    };
    const schema = isFunction ? (rest.parameters ?? {}) : rest.inputSchema;
    if (typeof name !== "string" || name === "" || !isObject(schema))
      throw new TypeError(
        `${what}: tools[${index}] must be { name, inputSchema }, or { type: "function", function: { name, parameters } }`,
      );
    return { name, description: typeof description === "string" ? description : "", schema };
  });
}

/** Unknown names whose neighbours are remembered. */
const remembered = 1000;

/** The tools that a text's calls are of, by name. */
export class ToolSet {
  readonly definitions: readonly ToolDefinition[];
  readonly #byName: ReadonlyMap<string, ToolDefinition>;
  readonly names: readonly string[];
  #near?: Map<string, string | undefined>;
  /** Tools were given: other names are unknown, and calls without marks are found. */
  readonly isGiven: boolean;

  /** Throws `TypeError` for an entry of another shape. */
  constructor(tools: readonly DialectTool[] | undefined) {
    this.isGiven = tools !== undefined;
    const given = tools ?? [];
    this.definitions = readTools("tools", given).map(({ schema, ...shape }, index) => ({
      ...("inputSchema" in (given[index] as DialectTool) && given[index]),
      ...shape,
      inputSchema: schema,
    }));
    this.#byName = new Map(this.definitions.map((tool) => [tool.name, tool]));
    this.names = [...this.#byName.keys()];
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  get(name: string): ToolDefinition | undefined {
    return this.#byName.get(name);
  }

  /** Returns the name that an unknown one may have been meant for. */
  near(name: string): string | undefined {
    this.#near ??= new Map();
    if (this.#near.has(name)) return this.#near.get(name);
    const [found] = nearest(name, this.names, 1);
    if (this.#near.size < remembered) this.#near.set(name, found);
    return found;
  }

  /** Returns the schema of a tool's parameter, and the schema that its references point into. */
  parameter(tool: string | undefined, name: string): { schema: JsonSchema | undefined; root: JsonSchema | undefined } {
    const root = tool === undefined ? undefined : this.#byName.get(tool)?.inputSchema;
    return { schema: root && memberSchema(root, name, root), root };
  }

  /** Returns the names of a tool's parameters, in order. */
  parameters(tool: string): readonly string[] {
    return memberNames(this.#byName.get(tool)?.inputSchema ?? true);
  }
}
