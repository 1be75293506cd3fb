import type { JsonSchemaObject } from "@toolglot/core";
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
