import { isGeneratorFunction, streamed } from "@toolglot/internal";
import { iteratorOf, lastOf } from "../executing/last-of.ts";
import { toJsonText } from "../json.ts";
import type { AnyTool, ToolContext } from "../tool.ts";
import type { ToolAnnotations } from "../tool-definition.ts";
import { checkOnceOptions, type OnceCall, type OnceCallOptions, onceCall } from "./once-call.ts";

/** Options of {@link onceTool}. */
export type OnceToolOptions = OnceCallOptions;

/**
 * Returns the same tool, whose calls happen once: a call with the same input as one before gets that one's result, with a notice in its
 * first line that nothing was done now. Tools with `readOnlyHint` or `idempotentHint` stay as they are, unless `effect` is given.
 *
 * Of a tool that yields one value after another, the last one is kept. A call in doubt ends in a `ToolError` that names who can settle it.
 *
 * @throws `TypeError` for a mistake in the options.
 *
 * @example
 * ```ts
 * const refund = onceTool(refundTool, { log: storage.operations, scope: "shop", judge: judgeHttp });
 * ```
 */
export function onceTool<T extends AnyTool>(tool: T, options: OnceToolOptions): T {
  checkOnceOptions("onceTool", options, 'key:function effect:"opaque"|"idempotent" probe:function');
  if (options.effect === undefined && repeatsSafely(tool.annotations)) return tool;
  const once = { ...options, scope: `${options.scope}/${tool.name}` };
  const call = (input: unknown, context: ToolContext, onProgress: (value: unknown) => void): Promise<OnceCall> =>
    onceCall(input, once, context.signal, async ({ signal }) => {
      const value: unknown = await tool.execute(input, { ...context, signal });
      const iterator = iteratorOf(value);
      return iterator ? await lastOf(iterator, { signal, onProgress }) : value;
    });
  const noticed = async (made: Promise<OnceCall>, context: ToolContext): Promise<unknown> =>
    withNotice(await made, context);
  // Of another function that turns out to give one value after another, the last one counts.
  const execute = isGeneratorFunction(tool.execute)
    ? async function* (input: unknown, context: ToolContext) {
        return yield* streamed((emit) => noticed(call(input, context, emit), context));
      }
    : (input: unknown, context: ToolContext) =>
        noticed(
          call(input, context, () => {}),
          context,
        );
  return { ...tool, execute };
}

/** Whether a tool's hints promise that calling it twice does no harm. */
function repeatsSafely({ readOnlyHint, idempotentHint }: ToolAnnotations = {}): boolean {
  return readOnlyHint === true || idempotentHint === true;
}

/** Returns the value with its notice: beside it where the host can show that, else in its first line. */
function withNotice({ value, notice }: OnceCall, { note }: ToolContext): unknown {
  if (notice === undefined) return value;
  if (note) {
    note(notice);
    return value;
  }
  if (value === undefined || typeof value === "string") return `${notice}\n${value ?? ""}`;
  const isContent =
    Array.isArray(value) && value.length > 0 && value.every((block) => typeof Object(block).type === "string");
  return [{ type: "text", text: notice }, ...(isContent ? value : [{ type: "text", text: toJsonText(value) }])];
}
