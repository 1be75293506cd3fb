import type { FunctionTool } from "@openai/agents-core";
import { type JsonObject, type JsonSchemaObject, type OperationLog, ToolError } from "@toolglot/core";
import { CallGuard } from "@toolglot/core/check-call";
import { judgeHttp, onceCall } from "@toolglot/core/once";

/** Of an agent: where its calls are kept, and whose they are. */
export interface SafeToolOptions {
  log: OperationLog;
  scope: string;
}

const guard = new CallGuard();

/**
 * Returns the same tool: a call that arrived damaged does not run, and none happens twice. Make it with `errorFunction: null`, so that an
 * error is one, and no result.
 */
export function safeTool<Context, Result>(
  tool: FunctionTool<Context, never, Result>,
  { log, scope }: SafeToolOptions,
): FunctionTool<Context, never, Result> {
  const { name, description, parameters } = tool;
  const definition = { name, description, inputSchema: parameters as JsonSchemaObject };
  return {
    ...tool,
    async invoke(context, input, details) {
      const refusal = guard.check({ id: details?.toolCall?.callId ?? "", name, input }, definition)?.refusal;
      if (refusal !== undefined) return refusal;
      try {
        const { value, notice } = await onceCall(
          JSON.parse(input || "{}") as JsonObject,
          { log, scope: `${scope}/${name}`, judge: judgeHttp },
          details?.signal,
          () => tool.invoke(context, input, details),
        );
        return notice === undefined ? (value as Result) : `${notice}\n${String(value)}`;
      } catch (error) {
        // What the model is to know of a call in doubt; all else is the host's.
        if (ToolError.isInstance(error)) return error.message;
        throw error;
      }
    },
  };
}
