import type {
  Action,
  CallsAction,
  Executor,
  ExecutorContext,
  ToolCall,
  ToolErrorInfo,
  ToolResult,
} from "@toolglot/core";
import { checkConcurrency, inOrder } from "@toolglot/core/executing";
import { checkKeys } from "@toolglot/internal";
import { maskingExecutor } from "@toolglot/secrets";
import { checkBlock, valuesOf } from "@toolglot/secrets/executing";
import type { LocalTools } from "../local-tools.ts";
import { CallRun, TextRoom } from "./call-run.ts";

/** Options of {@link localExecutor}. */
export interface LocalExecutorOptions {
  /** Runs the calls that are not of this machine: custom tools, and those of MCP servers. Default: they end in errors. */
  others?: Executor;
  /**
   * Which tool of `others` a `<mcp server tool>` call means; undefined: there is none. A toolkit may have renamed it. Default:
   * there are none.
   */
  mcp?: (server: string, tool: string) => string | undefined;
  /** Reads and foreign calls that run at one time. Default 8. */
  maxConcurrency?: number;
  /**
   * Whether a foreign call may hold `$KARYI{NAME}`: it gets the placeholder as it is written, for a middleware that fills it. Default
   * false: such a call stops its block.
   */
  foreignValues?: boolean;
}

/**
 * Runs batches of calls on this machine, as the ToolsXML specification has it: `command`, `input` and `ctrl` in the session's
 * shell, in document order; the edits of a batch all or nothing, made where the first of them stands; reads and foreign
 * calls side by side. Shell calls and edits wait for what stands before them and hold up what follows: but for edits behind a
 * shell call, which are made with the first, the outcome is that of the document's order.
 *
 * A call that can't have a value it asks for (`$KARYI{NAME}`) stops the whole batch before anything runs. One result per
 * call, in order, with `metadata.ms`, and `metadata.exit` for a command that ended; never rejects for what a model did. What a command
 * prints is reported while it runs, as progress with the data `{ output }`. Of tools that were opened with secrets, no value is in any
 * result, event, approval or error, also of `others`.
 *
 * @example
 * ```ts
 * const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt });
 * const agent = createAgent({ model, protocol, tools: local.tools(), executor: localExecutor(local) });
 * ```
 */
export function localExecutor(local: LocalTools, options: LocalExecutorOptions = {}): Executor {
  checkKeys(
    "localExecutor",
    options,
    "others:{handles,execute} mcp:function maxConcurrency:number foreignValues:boolean",
  );
  const { others, mcp = () => undefined, maxConcurrency = 8, foreignValues = false } = options;
  if (typeof local?.command !== "function") {
    throw new TypeError("localExecutor needs local tools: await openLocalTools({ roots })");
  }
  checkConcurrency(maxConcurrency);
  const tools = new Map(local.tools().map((tool) => [tool.name, tool]));
  const executor: Executor = {
    ...((others === undefined || others.honoursHooks) && { honoursHooks: true }),
    handles: (action: Action): action is CallsAction => action.kind === "calls",
    async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
      if (action.kind !== "calls") throw new TypeError(`a localExecutor runs calls, not ${action.kind}`);
      const room = new TextRoom(local.maxChars, action.calls.length);
      const run = new CallRun({ local, tools, others, mcp, context, span: action.span, room });
      const { calls } = action;
      const values = local.secrets && valuesOf(local.secrets);
      const problems = await checkBlock(calls, { values, isLocal: (name) => tools.has(name), foreignValues });
      if (problems !== undefined) {
        return calls.map((call, index) => run.refuse(call, problems[index] as ToolErrorInfo));
      }
      return runInBatchOrder(calls, maxConcurrency, run);
    },
  };
  return local.secrets ? maskingExecutor(executor, local.secrets) : executor;
}

const shellCalls: ReadonlySet<string> = new Set(["command", "input", "ctrl"]);

/** Runs each shell call by itself, all edits together where the first of them stands, and everything else beside its neighbours. */
export async function runInBatchOrder(
  calls: readonly ToolCall[],
  maxConcurrency: number,
  run: { single(call: ToolCall): Promise<ToolResult>; edits(calls: readonly ToolCall[]): Promise<ToolResult[]> },
): Promise<ToolResult[]> {
  const edits = calls.filter(({ name }) => name === "edit");
  const steps = calls.filter((call) => call.name !== "edit" || call === edits[0]);
  const onlyReads = ({ name }: ToolCall): boolean => name !== "edit" && !shellCalls.has(name);
  const results = new Map<ToolCall, ToolResult>();
  await inOrder(steps, { maxConcurrency, onlyReads }, async (call) => {
    if (call !== edits[0]) results.set(call, await run.single(call));
    else
      for (const [index, result] of (await run.edits(edits)).entries()) results.set(edits[index] as ToolCall, result);
  });
  return calls.map((call) => results.get(call) as ToolResult);
}
