import type { ToolDefinition } from "@toolglot/core";
import { checkOnceOptions, judgeMcp, type OnceCallOptions, onceCall, type Verdict } from "@toolglot/core/once";
import { defined, streamed, toHex } from "@toolglot/internal";
import { errorInfo, errorTypes, isToolError } from "../errors.ts";
import type { CallOptions, ToolkitOnce } from "../types.ts";
import { interruption } from "./interruption.ts";
import { ToolResponse, type ToolResponseFields } from "./response.ts";
import type { CallableTool, CallRecord, PreparedCall, Responses } from "./types.ts";

/** Returns what makes each tool's calls happen once; undefined for a tool whose calls may happen twice. Throws `TypeError`. */
export function readOnce(given: ToolkitOnce): (tool: ToolDefinition) => OnceCallOptions | undefined {
  checkOnceOptions("new Toolkit: once", given, "effects:object");
  const { effects = {}, ...options } = given;
  for (const [name, effect] of Object.entries(effects)) {
    if (effect !== "opaque" && effect !== "idempotent" && effect !== "pure")
      throw new TypeError(`new Toolkit: once.effects.${name} is "opaque", "idempotent" or "pure".`);
  }
  return ({ name, annotations: { readOnlyHint, idempotentHint } = {} }) => {
    const effect = Object.hasOwn(effects, name) ? effects[name] : readOnlyHint || idempotentHint ? "pure" : "opaque";
    return effect === undefined || effect === "pure"
      ? undefined
      : { ...options, scope: `${given.scope}/${name}`, effect };
  };
}

/** A call that did not end well: its final response, and what was thrown. */
class Failed extends Error {
  readonly response: ToolResponse;
  /** Whether the caller wants what was thrown, too. */
  readonly isRethrown: boolean;

  constructor(response: ToolResponse, cause: unknown, isRethrown: boolean) {
    super(response.error?.message ?? response.status, { cause });
    this.response = response;
    this.isRethrown = isRethrown;
  }
}

/** Runs a call once. `run` makes it; its responses come as they do without this. A response that the tool gave is a value, whatever it holds. */
export async function* callOnce(
  once: OnceCallOptions,
  { tool, input }: PreparedCall<CallableTool> & { ok: true },
  { signal }: Pick<CallOptions, "signal">,
  record: CallRecord,
  run: (signal: AbortSignal) => Responses,
): Responses {
  const judge = (error: unknown): Verdict => judged(once, error);
  try {
    yield yield* streamed<ToolResponse, ToolResponse>(async (emit) => {
      const work = onceCall(namedBy(tool, input), { ...once, judge }, signal, (context) =>
        made(run(context.signal), record, emit),
      );
      const { value, notice } = await work;
      return notice === undefined ? (value as ToolResponse) : replayed(value as ToolResponseFields, notice);
    });
  } catch (error) {
    const { cause: inner } = Object(error) as { cause?: { cause?: unknown } };
    const failed = [error, inner, inner?.cause].find((one) => one instanceof Failed);
    if (failed === undefined && signal?.aborted) return yield interruption(nothing, undefined);
    yield failed === error && failed ? failed.response : inDoubt(error, failed?.response);
    if (failed?.isRethrown) throw failed.cause;
  }
}

const nothing = { content: [], data: [], chunks: 0 };

/** Resolves with the final response; rejects with {@link Failed}. */
async function made(
  responses: Responses,
  { thrown }: CallRecord,
  emit: (response: ToolResponse) => void,
): Promise<ToolResponse> {
  const before = thrown.length;
  let final: ToolResponse | undefined;
  let isRethrown = false;
  try {
    for await (const response of responses) {
      if (response.isLast) final = response;
      else emit(response);
    }
  } catch (error) {
    if (final === undefined) throw error;
    isRethrown = true;
  }
  const last = final as ToolResponse;
  const hasThrown = thrown.length > before && last.status === "error";
  if (hasThrown || last.isInterrupted) throw new Failed(last, hasThrown ? thrown.at(-1)?.error : undefined, isRethrown);
  return last;
}

/** A server knows the hints of its tools better than its host does. */
function judged({ judge }: OnceCallOptions, error: unknown): Verdict {
  if (!(error instanceof Failed)) return "unknown";
  const type = error.response.error?.type;
  const needsFirst = isToolError(error.cause) && error.cause.data.needs !== undefined;
  if (needsFirst || type === errorTypes.serverUnavailable) return "not-applied";
  if (type === errorTypes.mcpError && judgeMcp(error.cause) === "not-applied") return "not-applied";
  if (error.response.isInterrupted || type === errorTypes.timeout || type === errorTypes.inDoubt) return "unknown";
  return judge?.(error.cause) ?? "unknown";
}

/** Returns what names a call: its input, without what the host has set. Bytes have no JSON that is theirs alone. */
function namedBy({ presetNames }: CallableTool, input: unknown): unknown {
  const entries = Object.entries(input as object).filter(([name]) => !presetNames.includes(name));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Uint8Array ? { bytes: toHex(value) } : value]),
  );
}

function replayed({ content, data, status, error, metadata }: ToolResponseFields, notice: string): ToolResponse {
  const blocks = typeof content === "string" ? [] : content;
  return new ToolResponse({
    content: [{ type: "text", text: notice }, ...blocks],
    ...defined({ data, status, error }),
    metadata: { ...metadata, replayed: true },
  });
}

/** Returns the final response of a call that was not made, or nobody knows. */
function inDoubt(error: unknown, before: ToolResponse | undefined): ToolResponse {
  const info = errorInfo(error);
  const text = { type: "text" as const, text: `Error: ${info.message}` };
  return new ToolResponse({ content: [...(before?.content ?? []), text], status: "error", error: info });
}
