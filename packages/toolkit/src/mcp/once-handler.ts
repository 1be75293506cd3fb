import { checkOnceOptions, type OnceCallOptions, onceCall } from "@toolglot/core/once";

/** Options of {@link onceHandler}. Functions get what the handler gets: the arguments and the request's context, or that alone. */
export interface OnceHandlerOptions<Given extends unknown[] = never> extends Omit<OnceCallOptions, "scope" | "key"> {
  /**
   * Whose calls these are, and of which tool: `shop/refund`. Of a server with many users, a function, because the same arguments of
   * another user are another call: `(_, { http }) => http.authInfo.clientId + "/refund"`.
   */
  scope: string | ((...given: Given) => string);
  /** Names a call. Default: a digest of its arguments, so that the same arguments are the same call. */
  key?: (...given: Given) => string;
}

/** The signal of a request, in the first and the second version of the official SDK. */
interface RequestContext {
  signal?: AbortSignal;
  mcpReq?: { signal?: AbortSignal };
}

/**
 * Returns the same handler of a tool, for `registerTool` of the official SDK's `McpServer`, whose calls happen once: a client that sends a
 * lost request again, under another id, gets the result of the first one. Results with `isError` are kept like any other; one that asks
 * for input (`input_required`) is none yet.
 *
 * What nobody knows, the client reads as an error that names who can settle it: what the handler throws, unless `judge` knows better.
 *
 * @throws `TypeError` for a mistake in the options.
 *
 * @example
 * ```ts
 * server.registerTool("refund", { inputSchema }, onceHandler(refund, { log, scope: "shop/refund" }));
 * ```
 */
export function onceHandler<Given extends unknown[], Result>(
  handler: (...given: Given) => Result | Promise<Result>,
  options: OnceHandlerOptions<Given>,
): (...given: Given) => Promise<Result> {
  if (typeof handler !== "function") throw new TypeError("onceHandler takes the handler of a tool first.");
  const { scope, key, judge, ...once } = options;
  const isFixed = typeof scope !== "function";
  checkOnceOptions(
    "onceHandler",
    { ...options, scope: isFixed ? scope : "its own" },
    'key:function effect:"opaque"|"idempotent" probe:function',
  );
  return async (...given) => {
    // A tool without arguments gets the context alone.
    const [args, context] = given.length > 1 ? given : [undefined, given[0]];
    const { signal, mcpReq } = Object(context) as RequestContext;
    const own: OnceCallOptions = {
      ...once,
      scope: isFixed ? scope : scope(...given),
      ...(key && { key: () => key(...given) }),
      judge: (error) => (error instanceof AsksForInput ? "not-applied" : (judge?.(error) ?? "unknown")),
    };
    try {
      const { value } = await onceCall(args, own, signal ?? mcpReq?.signal, async () => {
        const result = await handler(...given);
        if (Object(result).resultType === "input_required") throw new AsksForInput(result);
        return result;
      });
      return value as Result;
    } catch (error) {
      if (error instanceof AsksForInput) return error.result as Result;
      throw error;
    }
  };
}

/** A result that asks for input: nothing was done, and the same call comes again with it. */
class AsksForInput extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super("input is required");
    this.result = result;
  }
}
