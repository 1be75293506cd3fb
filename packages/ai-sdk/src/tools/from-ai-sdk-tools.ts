import { type AnyTool, checkKeys, type ToolContext, ToolError } from "@toolglot/core";
import { iteratorOf } from "@toolglot/core/executing";
import { fromModelOutput } from "./model-output.ts";
import { readSchema, type SchemaReading } from "./read-schema.ts";
import { type AiSdkTool, type AiSdkToolSet, originMark } from "./types.ts";

/** Options of {@link fromAiSdkTools}. */
export interface FromAiSdkToolsOptions {
  /** Tools that can't be run here, because a provider or the person's browser runs them: an error, or left out. Default `throw`. */
  onMissing?: "throw" | "skip";
}

/**
 * Returns tools of the AI SDK as tools of toolglot, for a toolkit, a sandbox or an agent. Inputs are validated by the tool's own schema,
 * outputs that come one after another are chunks, and a tool that may need approval asks for it before each call. `onInputStart` and
 * its like are not called.
 *
 * Throws `TypeError` for tools without `execute` (all are named), and for schemas that can't be shown to a model.
 *
 * @example
 * ```ts
 * const weather = tool({
 *   description: "Returns the weather of a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: async ({ city }) => ({ city, sky: "sunny" }),
 * });
 * const tools = fromAiSdkTools({ weather });
 * ```
 */
export function fromAiSdkTools(tools: AiSdkToolSet, options: FromAiSdkToolsOptions = {}): AnyTool[] {
  checkKeys("fromAiSdkTools", options, 'onMissing:"skip"|"throw"');
  const { onMissing = "throw" } = options;
  if (onMissing !== "throw" && onMissing !== "skip")
    throw new TypeError(`fromAiSdkTools: onMissing is "throw" or "skip", not ${JSON.stringify(onMissing)}.`);
  if (typeof tools !== "object" || tools === null || Array.isArray(tools))
    throw new TypeError("fromAiSdkTools takes an object of tools, by name.");
  const entries = Object.entries(tools) as [string, AiSdkTool][];
  const runs = (tool: AiSdkTool & { [originMark]?: AnyTool }): boolean =>
    tool[originMark] !== undefined || (typeof tool.execute === "function" && !tool.type?.startsWith("provider"));
  const missing = entries.filter(([, tool]) => !runs(tool)).map(([name]) => name);
  if (missing.length > 0 && onMissing === "throw")
    throw new TypeError(
      `fromAiSdkTools: ${missing.join(", ")} can't be run here: without execute, or run by the provider. Leave them out, or pass { onMissing: "skip" }.`,
    );
  return entries.filter(([, tool]) => runs(tool)).map(([name, tool]) => fromTool(name, tool));
}

function fromTool(name: string, tool: AiSdkTool): AnyTool {
  const origin = (tool as { [originMark]?: AnyTool })[originMark];
  if (origin) return origin.name === name ? origin : { ...origin, name };
  const { description = "", title, needsApproval } = tool;
  const schema = readSchema(name, tool.inputSchema);
  const annotations = { ...(title !== undefined && { title }), ...(needsApproval && { requiresApproval: true }) };
  return {
    name,
    description,
    inputSchema: schema.jsonSchema,
    validatesInput: true,
    ...(Object.keys(annotations).length > 0 && { annotations }),
    execute: (input: unknown, context: ToolContext) => run(tool, schema, input, context),
  };
}

/** Runs a tool: each output as it comes, as the model would get it. */
async function* run(
  tool: AiSdkTool,
  schema: SchemaReading,
  given: unknown,
  { signal, callId }: ToolContext,
): AsyncGenerator<unknown, unknown, undefined> {
  const input = await schema.validate(given);
  const options = {
    toolCallId: callId,
    messages: [],
    abortSignal: signal,
    experimental_context: undefined,
    context: undefined,
  };
  const value: unknown = tool.execute?.(input, options);
  const shown = async (output: unknown): Promise<unknown> => {
    if (!tool.toModelOutput) return output;
    const read = fromModelOutput(await tool.toModelOutput({ toolCallId: callId, input, output }));
    if ("error" in read) throw new ToolError(read.error);
    return "content" in read ? read.content : read.value;
  };
  const iterator = iteratorOf(value);
  if (!iterator) return shown(await value);
  let last: unknown;
  for await (const output of { [Symbol.asyncIterator]: () => iterator } as AsyncIterable<unknown>) {
    last = await shown(output);
    yield last;
  }
  return last;
}
