import { type AnyTool, contentText, type ToolCall, type ToolContext, ToolError } from "@toolglot/core";
import type { ToolRegistry } from "../registry/registry.ts";
import type { CallOptions, PreparedCallOptions, ToolCallRequest } from "../types.ts";
import { isNoOutput } from "./convert.ts";
import { type CallRecord, type ToolMiddleware, throughMiddleware } from "./middleware.ts";
import { type Prepared, prepareInput } from "./prepare.ts";
import type { RegisteredToolFunction } from "./registered.ts";
import type { ToolResponse } from "./response.ts";
import { type CallTarget, runCall } from "./run.ts";
import { isTraced } from "./tracing.ts";

type Responses = AsyncGenerator<ToolResponse, void, undefined>;

/** Calls a registry's tools: finds and validates, and runs through the middleware. Registers nothing. */
export class ToolCaller {
  readonly #registry: Pick<ToolRegistry, "find" | "tools">;
  /** Outside all other middleware, and never taken away. */
  readonly #tracing: ToolMiddleware | undefined;
  readonly #middleware: ToolMiddleware[] = [];
  #calls = 0;

  constructor(registry: Pick<ToolRegistry, "find" | "tools">, tracing: ToolMiddleware | undefined) {
    this.#registry = registry;
    this.#tracing = tracing;
  }

  /** Returns what takes it away. */
  addMiddleware(middleware: ToolMiddleware): () => void {
    if (typeof middleware !== "function") throw new TypeError("registerMiddleware needs async function* (call, next)");
    const entry: ToolMiddleware = (call, next, about) => middleware(call, next, about);
    this.#middleware.push(entry);
    return () => {
      const at = this.#middleware.indexOf(entry);
      if (at >= 0) this.#middleware.splice(at, 1);
    };
  }

  clearMiddleware(): void {
    this.#middleware.length = 0;
  }

  /** See `Toolkit.callToolFunction`. */
  call(call: ToolCallRequest, options: CallOptions): Responses {
    if (typeof call !== "object" || call === null || typeof call.name !== "string") {
      throw new TypeError("callToolFunction needs a call with a name: { id, name, input }");
    }
    const { onError } = options;
    if (onError !== undefined && onError !== "respond" && onError !== "throw") {
      throw new TypeError(`onError must be "respond" or "throw", not ${JSON.stringify(onError)}`);
    }
    const found = this.#registry.find(call.name);
    const whole = this.#toCall(call.id, call.name, call.input, call);
    return this.#run("ok" in found ? { prepared: found } : { tool: found }, whole, options);
  }

  /** See `Toolkit.runPrepared`. */
  runPrepared(prepared: Prepared, call: ToolCall, options: PreparedCallOptions): Responses {
    return this.#run({ prepared }, call, options);
  }

  /** See `Toolkit.prepareCall`. */
  prepare(call: ToolCall, given?: Readonly<Record<string, unknown>>): Prepared | Promise<Prepared> {
    const found = this.#registry.find(call.name);
    return "ok" in found ? found : prepareInput(found, call, given);
  }

  /** A tool as a core tool: calling it is a call like any other. */
  asTool(tool: RegisteredToolFunction): AnyTool {
    return {
      ...tool.definition,
      execute: async (input: unknown, context?: Partial<ToolContext>): Promise<unknown> => {
        const call = this.#toCall(context?.callId, tool.name, input, undefined);
        const signal = context?.signal;
        let final: ToolResponse | undefined;
        for await (const response of this.#run({ tool }, call, signal === undefined ? {} : { signal }))
          final = response;
        return resultValue(final as ToolResponse);
      },
    };
  }

  /** The call as core has it; `given` is passed on when it is one already, with all that stands in it. */
  #toCall(id: string | undefined, name: string, input: unknown, given: ToolCallRequest | undefined): ToolCall {
    if (given?.id !== undefined && given.protocol !== undefined && "input" in given) return given as ToolCall;
    return { id: id ?? `call-${++this.#calls}`, name, input, protocol: given?.protocol ?? "toolkit" };
  }

  #run(target: CallTarget, call: ToolCall, options: PreparedCallOptions): Responses {
    const { around, step, signal, onError } = options;
    const middleware = [...this.#middleware];
    if (around !== undefined) middleware.unshift(around);
    if (this.#tracing !== undefined && isTraced()) middleware.unshift(this.#tracing);
    if (middleware.length === 0) return runCall(target, call, options);
    const tool = this.#registry.tools.get(call.name)?.definition;
    const about: CallRecord = { tool, step, attempts: 0, thrown: [] };
    const run = (asked: ToolCall): Responses => {
      if (asked === call) return runCall(target, call, options, about);
      const found = this.#registry.find(asked.name);
      return runCall("ok" in found ? { prepared: found } : { tool: found }, asked, options, about);
    };
    return throughMiddleware(middleware, call, run, { signal, rethrow: onError === "throw", about });
  }
}

/** What a program gets of a response. */
function resultValue(response: ToolResponse): unknown {
  const { status, error, content, data } = response;
  if (status !== "ok" && status !== "pending") {
    const { type, hint, issues } = error ?? { type: status };
    throw new ToolError(error?.message ?? contentText(content), {
      data: { type, ...(hint === undefined ? {} : { hint }), ...(issues === undefined ? {} : { issues }) },
    });
  }
  if (data !== undefined || isNoOutput(content)) return data;
  return content.every((block) => block.type === "text") ? contentText(content) : content;
}
