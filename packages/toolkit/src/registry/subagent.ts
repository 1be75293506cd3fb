import { type ToolContext, ToolError } from "@toolglot/core";
import { iteratorOf, release } from "@toolglot/core/executing";
import { checkKeys } from "@toolglot/internal";
import type { ArgsShorthand, CheckedArgs, InferArgs, InferInput, StandardInput } from "@toolglot/schema";
import { ToolResponse } from "../call/response.ts";
import { errorInfo } from "../errors.ts";
import { type DefinedTool, defineTool, type ToolSpec } from "./define-tool.ts";

/** Fields of every definition of a sub-agent tool. */
export type SubagentSpec = Pick<ToolSpec, "name" | "description" | "annotations" | "examples">;

/**
 * Creates a tool behind which another agent works. Its schema is its input model. `run` returns what any tool may return. When the
 * delegate fails, the response is an error with `metadata.unavailable: true`, so that the caller can continue without it;
 * the model reads the message of a `ToolError` word for word.
 *
 * @example
 * ```ts
 * const tool = makeSubagentTool({
 *   name: "research",
 *   description: "Answers a question after reading the sources.",
 *   args: { question: "string" },
 *   run: ({ question }, { signal }) => research(question, signal),
 * });
 * ```
 */
export function makeSubagentTool<Source extends StandardInput>(
  options: SubagentSpec & { input: Source; run(input: InferInput<Source>, context: ToolContext): unknown },
): DefinedTool<InferInput<Source>>;
export function makeSubagentTool<const Args extends ArgsShorthand>(
  options: SubagentSpec & {
    args: CheckedArgs<Args>;
    run(input: InferArgs<Args>, context: ToolContext): unknown;
  },
): DefinedTool<InferArgs<Args>>;
export function makeSubagentTool(
  options: SubagentSpec & {
    run(input: never, context: ToolContext): unknown;
    input?: StandardInput;
    args?: ArgsShorthand;
  },
): DefinedTool {
  checkKeys(
    "makeSubagentTool",
    options,
    "name:text description:string input:object|function args:object annotations:object examples:object[] run:function",
    ["name", "description", "run"],
  );
  const { run, ...definition } = options;
  if (run === undefined) throw new TypeError(`makeSubagentTool: ${JSON.stringify(options.name)} needs a run function`);
  const failed = (error: unknown, { signal }: ToolContext): ToolResponse => {
    if (signal.aborted || ToolError.isInstance(error)) throw error;
    const info = errorInfo(error);
    const message = `The agent behind "${options.name}" is not available: ${info.message}`;
    return new ToolResponse({
      content: `Error: ${message}`,
      status: "error",
      error: { ...info, message },
      metadata: { unavailable: true },
    });
  };
  const execute = async (input: never, context: ToolContext): Promise<unknown> => {
    try {
      const given = await run(input, context);
      const iterator = iteratorOf(given);
      return iterator === undefined ? given : streamed(iterator, (error) => failed(error, context));
    } catch (error) {
      return failed(error, context);
    }
  };
  return defineTool<StandardInput>({ ...definition, execute } as never) as unknown as DefinedTool;
}

/** Yields the values of an iterator, and the response made of its failure. */
async function* streamed(
  iterator: Iterator<unknown> | AsyncIterator<unknown>,
  failed: (error: unknown) => ToolResponse,
): AsyncGenerator<unknown, unknown, undefined> {
  let step: IteratorResult<unknown> = { done: false, value: undefined };
  try {
    for (step = await iterator.next(); !step.done; step = await iterator.next()) yield step.value;
    return step.value;
  } catch (error) {
    step = { done: true, value: undefined };
    return failed(error);
  } finally {
    if (!step.done) release(iterator);
  }
}
