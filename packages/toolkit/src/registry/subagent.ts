import { type ToolContext, ToolError, type ToolErrorInfo, type Usage } from "@toolglot/core";
import { iteratorOf, release } from "@toolglot/core/executing";
import { checkKeys, isObject } from "@toolglot/internal";
import type { ArgsShorthand, CheckedArgs, InferArgs, InferInput, StandardInput } from "@toolglot/schema";
import { ToolResponse } from "../call/response.ts";
import { errorInfo } from "../errors.ts";
import { type DefinedTool, defineTool, type ToolSpec } from "./define-tool.ts";

/** Fields of every definition of a sub-agent tool. */
export type SubagentSpec = Pick<ToolSpec, "name" | "description" | "annotations" | "examples">;

/** What a run of an agent comes to, whoever made it: what is read of it here. */
interface RunOutcome {
  status: string;
  text: string;
  value?: unknown;
  usage: Usage;
}

/**
 * Creates a tool behind which another agent works. Its schema is its input model. `run` returns what any tool may return, or the run of an
 * agent, or its result: then what it used is reported, its events are progress, and its answer is the tool's. When the delegate fails, the response is an error with `metadata.unavailable: true`, so that the caller can continue without it;
 * the model reads the message of a `ToolError` word for word.
 *
 * @example
 * ```ts
 * const tool = makeSubagentTool({
 *   name: "research",
 *   description: "Answers a question after reading the sources.",
 *   args: { question: "string" },
 *   run: ({ question }, { signal }) => researcher.run(question, { signal }),
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
  const unavailable = (info: ToolErrorInfo, what: string): ToolResponse => {
    const message = `The agent behind "${options.name}" ${what}`;
    return new ToolResponse({
      content: `Error: ${message}`,
      status: "error",
      error: { ...info, message },
      metadata: { unavailable: true },
    });
  };
  const failed = (error: unknown, { signal }: ToolContext): ToolResponse => {
    if (signal.aborted || ToolError.isInstance(error)) throw error;
    const info = errorInfo(error);
    return unavailable(info, `is not available: ${info.message}`);
  };
  const ended = (given: unknown, { report }: ToolContext): unknown => {
    if (!isOutcome(given)) return given;
    const { status, text, value, usage } = given;
    report?.({ usage });
    if (!/^(?:waiting|limit|aborted|error)$/.test(status)) return value ?? text;
    return unavailable({ type: "IncompleteRun", message: status }, `did not come to an end: ${status}.`);
  };
  const execute = async (input: never, context: ToolContext): Promise<unknown> => {
    try {
      const given = await run(input, context);
      const iterator = iteratorOf(given);
      if (iterator === undefined) return ended(given, context);
      const result = async (last: unknown) => ended(isRun(given) ? await given.result : last, context);
      return streamed(iterator, result, (error) => failed(error, context));
    } catch (error) {
      return failed(error, context);
    }
  };
  return defineTool<StandardInput>({ ...definition, execute } as never) as unknown as DefinedTool;
}

const isRun = (given: unknown): given is { result: Promise<unknown> } =>
  Object(given).result instanceof Promise && typeof Object(given).runId === "string";

function isOutcome(given: unknown): given is RunOutcome {
  const { runId, status, text, usage, transcript } = Object(given) as Record<string, unknown>;
  const isText = [runId, status, text].every((one) => typeof one === "string");
  return isText && isObject(usage) && isObject(transcript);
}

/** Yields the values of an iterator, and the response made of its failure. */
async function* streamed(
  iterator: Iterator<unknown> | AsyncIterator<unknown>,
  ended: (last: unknown) => Promise<unknown>,
  failed: (error: unknown) => ToolResponse,
): AsyncGenerator<unknown, unknown, undefined> {
  let step: IteratorResult<unknown> = { done: false, value: undefined };
  try {
    for (step = await iterator.next(); !step.done; step = await iterator.next()) yield step.value;
    return await ended(step.value);
  } catch (error) {
    step = { done: true, value: undefined };
    return failed(error);
  } finally {
    if (!step.done) release(iterator);
  }
}
