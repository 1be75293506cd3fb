import {
  type AnyTool,
  type ApprovalRequest,
  checkKeys,
  contentText,
  requiresApproval,
  type ToolDefinition,
  ToolError,
} from "@toolglot/core";
import { iteratorOf, release } from "@toolglot/core/executing";
import { copyJson, defined, isObject } from "@toolglot/internal";
import { contentOf, noteOptions, toModelOutput } from "./model-output.ts";
import { isStepOfPlan, type Line, takeTurn } from "./turns.ts";
import {
  type AiSdkTool,
  type AiSdkToolSet,
  originMark,
  schemaMark,
  type ToolkitLike,
  type ToolkitResponse,
  type ToolOutput,
} from "./types.ts";

/** Options of {@link toAiSdkTools}. */
export interface ToAiSdkToolsOptions {
  /**
   * Asked about each call that needs approval: true makes it without asking the person. Default: the SDK asks the person about all of
   * them.
   */
  approve?(request: ApprovalRequest, context: { toolCallId: string }): boolean | Promise<boolean>;
  /** Which tools of a toolkit: of its active groups now, or all, for use with {@link toolkitPrepareStep}. Default `active`. */
  groups?: "active" | "all";
  /** UTF-16 units of one result as the model reads it. Default: no limit. */
  maxResultChars?: number;
}

/** Options that the AI SDK passes to a running tool. */
interface CallOptions {
  toolCallId: string;
  abortSignal?: AbortSignal;
}

/**
 * Returns tools of a toolkit, or single ones, for the AI SDK. Calls go through the toolkit: validation and coercion, presets, middleware,
 * retries, tracing. Chunks are preliminary outputs. A call that fails throws a `ToolError` with what the model should read.
 *
 * Throws `TypeError` for a name that the AI SDK's providers don't take, and shows one that they do.
 *
 * @example
 * ```ts
 * const tools = toAiSdkTools(toolkit, { approve: () => true });
 * ```
 */
export function toAiSdkTools(
  source: ToolkitLike | readonly AnyTool[],
  options: ToAiSdkToolsOptions = {},
): AiSdkToolSet {
  checkKeys("toAiSdkTools", options, 'approve:function groups:"all"|"active" maxResultChars:number');
  const { groups = "active", maxResultChars = Infinity } = options;
  if (!(maxResultChars > 0)) throw new TypeError("toAiSdkTools: maxResultChars is a number above 0.");
  const list: readonly [ToolDefinition, AnyTool | ToolkitLike][] = isToolkit(source)
    ? definitionsOf(source, groups).map((definition) => [definition, source])
    : source.map((tool) => [tool, tool]);
  const line: Line = { last: Promise.resolve() };
  return Object.fromEntries(
    list.map(([definition, owner]) => {
      checkName(definition.name);
      const run = isToolkit(owner) ? ofToolkit(owner, definition.name) : ofTool(owner);
      return [definition.name, makeTool(definition, owner, run, line, options)];
    }),
  );
}

const isToolkit = (source: unknown): source is ToolkitLike =>
  typeof (source as Partial<ToolkitLike>).callToolFunction === "function";

const definitionsOf = (toolkit: ToolkitLike, groups: "active" | "all"): readonly ToolDefinition[] =>
  groups === "active" ? toolkit.definitions() : [...toolkit.registered.values()].map(({ definition }) => definition);

function checkName(name: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  const legal = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64) || "tool";
  throw new TypeError(
    `toAiSdkTools: providers take names of 1 to 64 letters, digits, _ and -, not ${JSON.stringify(name)}. Rename it, say to ${JSON.stringify(legal)}.`,
  );
}

type Run = (input: unknown, options: CallOptions) => AsyncGenerator<ToolOutput, void, undefined>;

function makeTool(
  definition: ToolDefinition,
  owner: AnyTool | ToolkitLike,
  run: Run,
  line: Line,
  options: ToAiSdkToolsOptions,
): AiSdkTool {
  const { name, description, annotations, outputSchema, external } = definition;
  const shown = { description, ...defined({ title: annotations?.title }), inputSchema: schemaOf(definition, owner) };
  // The page runs it, and passes its output to the SDK.
  if (external) return { ...shown, [originMark]: isToolkit(owner) ? asTool(definition, run) : owner } as AiSdkTool;
  const { approve, maxResultChars = Infinity } = options;
  const reads = annotations?.readOnlyHint === true;
  const asks = requiresApproval(definition);
  const tool: AiSdkTool & { [originMark]: AnyTool } = {
    ...shown,
    ...(outputSchema !== undefined && {
      outputSchema: plainSchema({ type: "object", properties: { content: { type: "array" }, data: outputSchema } }),
    }),
    async *execute(input: unknown, given: CallOptions) {
      noteOptions(given);
      const { toolCallId } = given;
      const end = !reads && isStepOfPlan(toolCallId) ? await takeTurn(toolCallId, line) : undefined;
      let failed = true;
      try {
        yield* run(input, given);
        failed = false;
      } finally {
        end?.(failed);
      }
    },
    ...(asks && {
      needsApproval: approve
        ? async (input: unknown, { toolCallId }: CallOptions) => {
            const reason = `The tool ${name} asks before each call.`;
            return !(await approve(
              { kind: "tool-call", callId: toolCallId, tool: name, input, reason },
              { toolCallId },
            ));
          }
        : true,
    }),
    toModelOutput: ({ output }: { output: ToolOutput }) => toModelOutput(output, maxResultChars),
    [originMark]: isToolkit(owner) ? asTool(definition, run) : owner,
  };
  return tool;
}

/** Returns a tool of a toolkit as core has it. */
function asTool(definition: ToolDefinition, run: Run): AnyTool {
  return {
    ...definition,
    async execute(input: unknown, { signal, callId }) {
      let last: ToolOutput = { content: [] };
      for await (const output of run(input, { toolCallId: callId, abortSignal: signal })) last = output;
      if (last.data !== undefined) return last.data;
      return last.content.every(({ type }) => type === "text") ? contentText(last.content) : last.content;
    },
  };
}

const ofToolkit = (toolkit: ToolkitLike, name: string): Run =>
  async function* (input, { toolCallId, abortSignal }) {
    const call = { id: toolCallId, name, input, protocol: "ai-sdk" };
    for await (const response of toolkit.callToolFunction(call, { ...(abortSignal && { signal: abortSignal }) })) {
      throwFailure(response);
      yield { content: response.content, ...defined({ data: response.data }) };
    }
  };

function throwFailure({ status, content, error }: ToolkitResponse): void {
  if (status === "ok" || status === "pending") return;
  const { type, hint, issues } = error ?? { type: status };
  throw new ToolError(error?.message ?? contentText(content), { data: { type, ...defined({ hint, issues }) } });
}

const ofTool = (tool: AnyTool): Run =>
  async function* (input, { toolCallId, abortSignal }) {
    const signal = abortSignal ?? new AbortController().signal;
    const value: unknown = await tool.execute(input as never, { signal, callId: toolCallId });
    const iterator = iteratorOf(value);
    if (!iterator) {
      yield contentOf(value);
      return;
    }
    // The result is what it returns, else the last value that it gave.
    let done = false;
    try {
      for (let given = false; !done; given = true) {
        const next = await iterator.next();
        done = next.done === true;
        if (!done || next.value !== undefined || !given) yield contentOf(next.value);
      }
    } finally {
      if (!done) release(iterator);
    }
  };

/** Returns a tool's schema as the SDK takes it: its mark keeps it from closing objects that are open. */
function schemaOf(definition: ToolDefinition, owner: AnyTool | ToolkitLike): object {
  const { name, inputSchema } = definition;
  if (isToolkit(owner))
    return plainSchema(inputSchema, async (input) => {
      const { ok, error } = await owner.prepareCall({ id: "", name, input, protocol: "ai-sdk" });
      // What else is wrong, the toolkit reports when it is called.
      return ok || error?.type !== "InvalidInput" ? { value: input } : { issues: [{ message: error.message }] };
    });
  const own = (owner as { schema?: { "~standard"?: { validate?: Validate } } }).schema?.["~standard"]?.validate;
  return plainSchema(inputSchema, typeof own === "function" ? own : undefined);
}

type Verdict = { value: unknown; issues?: undefined } | { issues: readonly { message: string }[] };
type Validate = (value: unknown) => Verdict | Promise<Verdict>;

function plainSchema(schema: object, validate: Validate = (value) => ({ value })): object {
  return {
    [schemaMark]: true,
    get jsonSchema() {
      return copyJson(schema);
    },
    async validate(value: unknown) {
      const verdict = await validate(value);
      if (!verdict.issues) return { success: true, value: verdict.value };
      return { success: false, error: new ToolError(verdict.issues.map(({ message }) => message).join("\n")) };
    },
    "~standard": {
      version: 1,
      vendor: "toolglot",
      validate,
      jsonSchema: { input: () => copyJson(schema), output: () => copyJson(schema) },
    },
  };
}

/**
 * Returns a function for `prepareStep`: before each step, the tools of the toolkit's active groups are the active ones, so that a group
 * which a tool opened can be used in the next step. For tools made with `groups: "all"`. `next`: what else is to be done before a step.
 *
 * @example
 * ```ts
 * const tools = toAiSdkTools(toolkit, { groups: "all" }) as ToolSet;
 * const prepareStep = toolkitPrepareStep(toolkit);
 * ```
 */
export function toolkitPrepareStep<Options>(
  toolkit: ToolkitLike,
  // biome-ignore lint/suspicious/noExplicitAny: the results of either version.
  next?: (options: Options) => any,
): (options: Options) => Promise<{ activeTools: string[]; [key: string]: unknown }> {
  if (!isToolkit(toolkit)) throw new TypeError("toolkitPrepareStep takes a Toolkit.");
  return async (options) => {
    const change: unknown = await next?.(options);
    const narrowed =
      isObject(change) && Array.isArray(change.activeTools) ? (change.activeTools as string[]) : undefined;
    const shown = toolkit.definitions().map(({ name }) => name);
    return { ...(change as object), activeTools: narrowed ? shown.filter((name) => narrowed.includes(name)) : shown };
  };
}

/**
 * Returns the same tools, whose calls run one after the other: those of one answer of {@link toolglotMiddleware} among themselves, all
 * others as they arrive. When a step of a plan fails, the steps behind it are not run.
 *
 * @example
 * ```ts
 * const tools = inOrder(toAiSdkTools(toolkit));
 * ```
 */
export function inOrder<Tools extends AiSdkToolSet>(tools: Tools): Tools {
  const line: Line = { last: Promise.resolve() };
  const ordered = Object.entries(tools).map(([name, tool]) => {
    const { execute } = tool as AiSdkTool;
    if (!execute) return [name, tool];
    // biome-ignore lint/suspicious/noExplicitAny: the tool's own input and options.
    async function* inTurn(input: any, options: any): AsyncGenerator<unknown, void, undefined> {
      const end = await takeTurn(options.toolCallId as string, line);
      let failed = true;
      try {
        const value: unknown = execute?.call(tool, input, options);
        const iterator = iteratorOf(value);
        if (iterator) yield* { [Symbol.asyncIterator]: () => iterator } as AsyncIterable<unknown>;
        else yield await value;
        failed = false;
      } finally {
        end(failed);
      }
    }
    return [name, { ...tool, execute: inTurn }];
  });
  return Object.fromEntries(ordered) as Tools;
}
