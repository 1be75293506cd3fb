import { readFileSync } from "node:fs";
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

/** Programs of a text file: each after a line `=== name`. */
export function readSections(file: URL): { name: string; code: string }[] {
  const parts = readFileSync(file, "utf8").split(/^=== /m).slice(1);
  return parts.map((part) => {
    const end = part.indexOf("\n");
    return { name: part.slice(0, end).trim(), code: part.slice(end + 1) };
  });
}

/** Watches how late a timer of the host gets, in milliseconds, until it is stopped. */
export function watchTicks(): () => number {
  let last = performance.now();
  let gap = 0;
  const ticks = setInterval(() => {
    gap = Math.max(gap, performance.now() - last);
    last = performance.now();
  }, 20);
  return () => {
    clearInterval(ticks);
    return gap;
  };
}
