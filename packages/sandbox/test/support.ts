import type { AnyTool, JsonSchema, ToolAnnotations } from "@toolglot/core";

/** A tool from what differs between tests; every parameter without a default is required. */
export function tool(
  name: string,
  properties: Record<string, JsonSchema>,
  execute: AnyTool["execute"],
  more: { annotations?: ToolAnnotations; required?: string[]; additionalProperties?: JsonSchema } = {},
): AnyTool {
  const { annotations, required, additionalProperties } = more;
  const needed = Object.keys(properties).filter((key) => {
    const schema = properties[key];
    return typeof schema !== "object" || schema.default === undefined;
  });
  return {
    name,
    description: `The tool ${name}.`,
    inputSchema: {
      type: "object",
      properties,
      required: required ?? needed,
      ...(additionalProperties === undefined ? {} : { additionalProperties }),
    },
    ...(annotations ? { annotations } : {}),
    execute,
  };
}

/** `add(a, b=2)` */
export const addTool: AnyTool = tool(
  "add",
  { a: { type: "number" }, b: { type: "number", default: 2 } },
  async ({ a, b }: { a: number; b: number }) => a + b,
);
