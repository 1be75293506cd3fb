import { type AnyTool, contentText, type ToolContext, ToolError } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { RegisteredToolFunction } from "./registered.ts";
import type { ToolResponse } from "./response.ts";
import { isNoOutput } from "./response.ts";
import type { Responses } from "./types.ts";

/** Returns a tool as a core tool. `run` calls it like any other call. */
export function asTool(
  { definition }: RegisteredToolFunction,
  run: (input: unknown, context: Partial<ToolContext>) => Responses,
): AnyTool {
  return {
    ...definition,
    validatesInput: true,
    execute: async (input: unknown, context: Partial<ToolContext> = {}): Promise<unknown> => {
      let final: ToolResponse | undefined;
      for await (const response of run(input, context)) final = response;
      return resultOf(final as ToolResponse);
    },
  };
}

/** Returns the value of a response, for a program. Throws a `ToolError` for a call that failed. */
function resultOf({ status, error, content, data }: ToolResponse): unknown {
  if (status !== "ok" && status !== "pending") {
    const { type, hint, issues } = error ?? { type: status };
    throw new ToolError(error?.message ?? contentText(content), { data: { type, ...defined({ hint, issues }) } });
  }
  if (data !== undefined || isNoOutput(content)) return data;
  return content.every((block) => block.type === "text") ? contentText(content) : content;
}
