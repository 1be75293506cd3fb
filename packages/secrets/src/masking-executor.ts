import type { Action, CallHooks, Executor, ExecutorContext, ToolResult } from "@toolglot/core";
import { maskData } from "./mask/mask-data.ts";
import type { Masker } from "./mask/masker.ts";
import { maskWhole } from "./mask-blocks.ts";
import { maskedError } from "./masked-error.ts";
import type { Secrets } from "./types.ts";

/**
 * Creates a net around any executor: what it returns, reports, asks and throws is masked, also a value that is spread over several
 * reports of one call. `localExecutor` of tools with secrets has it already. Put it outermost, around everything that may have seen a
 * value.
 *
 * @example
 * ```ts
 * const executor = maskingExecutor(toolkitExecutor(toolkit), secrets);
 * ```
 *
 * @throws `TypeError` when `inner` is no executor, or `secrets` are none.
 */
export function maskingExecutor(inner: Executor, secrets: Secrets): Executor {
  if (typeof inner?.execute !== "function" || typeof inner.handles !== "function") {
    throw new TypeError("maskingExecutor needs an executor, such as toolkitExecutor(toolkit)");
  }
  if (typeof secrets?.maskData !== "function")
    throw new TypeError("maskingExecutor needs secrets: await openSecrets()");
  return {
    ...(inner.honoursHooks && { honoursHooks: true }),
    handles: (action) => inner.handles(action),
    resumes: (action) => inner.resumes?.(action) ?? false,
    async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
      const reports = new Reports(secrets);
      const masked: ExecutorContext = {
        ...context,
        emit: (event) => {
          if (event.type !== "tool-call-progress") return context.emit(secrets.maskData(event));
          const { data, ...rest } = event;
          context.emit({ ...secrets.maskData(rest), data: reports.mask(event.callId, data) });
        },
        approve: (request) => context.approve(secrets.maskData(request)),
        ...(context.ask && { ask: (question, call) => (context.ask as Ask)(secrets.maskData(question), call) }),
        ...(context.hooks && { hooks: maskedHooks(context.hooks, secrets) }),
      };
      try {
        const results = await inner.execute(action, masked);
        return results.map(({ content, ...rest }) => ({
          ...secrets.maskData(rest),
          content: maskWhole(content, secrets.masker(), secrets),
        }));
      } catch (error) {
        throw maskedError(error, (value) => secrets.maskData(value));
      }
    },
  };
}

type Ask = NonNullable<ExecutorContext["ask"]>;

/** Masks what calls report bit by bit: a value may be cut between two reports of one call. */
class Reports {
  readonly #secrets: Secrets;
  /** For each text of a call's reports, in their order: what it was last, and what it is masked with. */
  readonly #calls = new Map<string, { before: string; masker: Masker }[]>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  mask(callId: string, data: unknown): unknown {
    const texts = this.#calls.get(callId) ?? [];
    this.#calls.set(callId, texts);
    let at = 0;
    return maskData(data, (text) => {
      texts[at] ??= { before: "", masker: this.#secrets.masker() };
      const known = texts[at++] as (typeof texts)[number];
      // Reports hold either everything so far or only what is new.
      if (known.before !== "" && text.startsWith(known.before)) known.masker = this.#secrets.masker();
      known.before = text;
      return known.masker.write(text) + known.masker.pause();
    });
  }
}

/** Masks what a host is shown of calls. An input that it changes is one without values, too. */
function maskedHooks(hooks: CallHooks, secrets: Secrets): CallHooks {
  const { settled, beforeCall, startCall, afterCall } = hooks;
  return {
    ...(settled && { settled: (call, about) => settled(secrets.maskData(call), about) }),
    ...(beforeCall && { beforeCall: (call, about) => beforeCall(secrets.maskData(call), about) }),
    ...(startCall && { startCall: (call, about) => startCall(secrets.maskData(call), about) }),
    ...(afterCall && {
      afterCall: (call, result, about) => afterCall(secrets.maskData(call), secrets.maskData(result), about),
    }),
  };
}
