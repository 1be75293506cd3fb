import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { type JsonSchemaObject, type OperationLog, ToolError } from "@toolglot/core";
import { CallGuard } from "@toolglot/core/check-call";
import { judgeHttp, onceCall } from "@toolglot/core/once";
import { createMiddleware, ToolInvocationError, ToolMessage } from "langchain";

/** Returns a middleware: calls that arrived damaged do not run, and no call of a tool happens twice. `reads`: tools that change nothing. */
export const safeTools = (log: OperationLog, scope: string, reads: readonly string[] = []) => {
  const guard = new CallGuard();
  return createMiddleware({
    name: "safeTools",
    async wrapToolCall(request, handler) {
      const { id = "", name, args: input } = request.toolCall;
      const schema = request.tool && "schema" in request.tool ? request.tool.schema : { type: "object" };
      const inputSchema = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]) as JsonSchemaObject;
      const annotations = { readOnlyHint: reads.includes(name) };
      const refusal = guard.check({ id, name, input }, { name, description: "", inputSchema, annotations })?.refusal;
      const answer = (content: string, status: "success" | "error") =>
        new ToolMessage({ tool_call_id: id, name, content, status });
      if (refusal !== undefined) return answer(refusal, "error");
      if (annotations.readOnlyHint) return handler(request);
      // What does not fit its schema has not run; of what the tool throws, HTTP errors are judged.
      const judge = (error: unknown) => (error instanceof ToolInvocationError ? "not-applied" : judgeHttp(error));
      try {
        const { value, notice = "" } = await onceCall(
          input,
          { log, scope, judge },
          request.runtime.signal,
          async () => {
            const message = await handler(request);
            return ToolMessage.isInstance(message) ? message.text : message;
          },
        );
        return answer([notice, String(value)].filter(Boolean).join("\n"), "success");
      } catch (error) {
        if (ToolError.isInstance(error) || error instanceof ToolInvocationError) return answer(error.message, "error");
        throw error;
      }
    },
  });
};
