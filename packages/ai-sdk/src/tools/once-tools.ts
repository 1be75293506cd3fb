import { nearest, type ToolAnnotations } from "@toolglot/core";
import { iteratorOf, lastOf } from "@toolglot/core/executing";
import { checkOnceOptions, type OnceCall, type OnceCallOptions, onceCall } from "@toolglot/core/once";
import { isGeneratorFunction, isObject, streamed } from "@toolglot/internal";
import { type AiSdkTool, type AiSdkToolSet, originMark, type ToolOutput } from "./types.ts";

/** Options of {@link onceTools}. */
export interface OnceToolsOptions<Tools extends AiSdkToolSet = AiSdkToolSet>
  extends Omit<OnceCallOptions, "effect" | "key" | "probe"> {
  /**
   * What calling a tool twice would do, by its name. `pure`: nothing, so it is not watched. `idempotent`: nothing more. Default
   * `opaque`: nobody knows; tools of toolglot with `readOnlyHint` or `idempotentHint` are `pure`.
   */
  effects?: { readonly [Name in keyof Tools]?: "opaque" | "idempotent" | "pure" };
  /** Names a call by its input, by the tool's name. Default: a digest of the input, so that the same input is the same call. */
  // biome-ignore lint/suspicious/noExplicitAny: the tool's own input.
  keys?: { readonly [Name in keyof Tools]?: (input: any) => string };
}

/**
 * Returns the same tools, whose calls happen once: a call with the same input as one before gets that one's output, whoever repeats it (a
 * model, a retry, an approval that is sent again, another process with the same log). Of a stream of outputs, the last one is kept. Tools
 * without `execute` stay as they are.
 *
 * A call of which nobody knows whether it happened ends in a `ToolError` that says who can settle it, and is not made again.
 *
 * @throws `TypeError` for a mistake in the options.
 *
 * @example
 * ```ts
 * const tools = onceTools({ refund, orders }, { log, scope: "shop", effects: { orders: "pure" } });
 * ```
 */
export function onceTools<Tools extends AiSdkToolSet>(tools: Tools, options: OnceToolsOptions<Tools>): Tools {
  checkOnceOptions("onceTools", options, "effects:object keys:object");
  const { effects = {}, keys = {}, ...once } = options as OnceToolsOptions;
  const names = Object.keys(tools);
  for (const [option, given] of Object.entries({ effects, keys })) {
    const odd = Object.keys(given).find((name) => !names.includes(name));
    if (odd === undefined) continue;
    const [near] = nearest(odd, names, 1);
    const cure = near === undefined ? `The tools are: ${names.join(", ")}.` : `Did you mean ${JSON.stringify(near)}?`;
    throw new TypeError(`onceTools: ${option} has ${JSON.stringify(odd)}, which is no tool. ${cure}`);
  }
  const wrapped = Object.entries(tools as AiSdkToolSet).map(([name, tool]) => {
    const effect: unknown = effects[name] ?? effectOf(tool);
    if (effect !== "pure" && effect !== "opaque" && effect !== "idempotent")
      throw new TypeError(`onceTools: effects.${name} is "opaque", "idempotent" or "pure".`);
    const key = keys[name];
    if (effect === "pure" || typeof tool.execute !== "function") return [name, tool];
    return [name, wrap(tool, { ...once, scope: `${once.scope}/${name}`, effect, ...(key && { key }) })];
  });
  return Object.fromEntries(wrapped) as Tools;
}

/** Tools that were made of toolglot's say of themselves whether calling them twice does harm. */
function effectOf(tool: { [originMark]?: { annotations?: ToolAnnotations } }): "pure" | "opaque" {
  const { readOnlyHint, idempotentHint } = tool[originMark]?.annotations ?? {};
  return readOnlyHint || idempotentHint ? "pure" : "opaque";
}

interface CallOptions {
  abortSignal?: AbortSignal;
}

function wrap(tool: AiSdkTool, once: OnceCallOptions): AiSdkTool {
  const isOurs = (tool as { [originMark]?: unknown })[originMark] !== undefined;
  const call = async (
    input: unknown,
    options: CallOptions,
    onProgress: (output: unknown) => void,
  ): Promise<unknown> => {
    const made = await onceCall(input, once, options.abortSignal, async ({ signal }) => {
      const output: unknown = await tool.execute?.call(tool, input, { ...options, abortSignal: signal });
      const iterator = iteratorOf(output);
      return iterator ? await lastOf(iterator, { onProgress }) : output;
    });
    return isOurs ? withNotice(made) : made.value;
  };
  // The SDK takes the last output of a stream as the final one.
  const execute = isGeneratorFunction(tool.execute)
    ? async function* (input: unknown, options: CallOptions) {
        let isEmpty = true;
        const outputs = streamed<unknown, unknown>((emit) => call(input, options, emit));
        for (;;) {
          const { done, value } = await outputs.next();
          if (!done || isEmpty) yield value;
          if (done) return;
          isEmpty = false;
        }
      }
    : (input: unknown, options: CallOptions) => call(input, options, () => {});
  // What it was made of would be called without this.
  return { ...tool, execute, [originMark]: undefined } as AiSdkTool;
}

/** Returns the output of one of toolglot's tools; of a call that was made before, with a sentence that says so. */
function withNotice({ value, notice }: OnceCall): unknown {
  if (notice === undefined || !isObject(value) || !Array.isArray(value.content)) return value;
  const { content } = value as unknown as ToolOutput;
  return { ...value, content: [{ type: "text", text: notice }, ...content] };
}
