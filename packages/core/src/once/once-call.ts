import { checkKeys, isJson, isObject } from "@toolglot/internal";
import { ToolError } from "../errors.ts";
import { type JsonValue, toJsonText } from "../json.ts";
import type { OperationLog } from "../operation-log.ts";
import { OnceError, type OnceErrorCode } from "./error.ts";
import { type OnceContext, once } from "./once.ts";
import type { OnceOptions } from "./options.ts";

/** Options of a tool's calls that happen once: those of `once`, but for what each call brings. */
export interface OnceCallOptions extends Omit<OnceOptions, "input" | "key" | "signal"> {
  log: OperationLog;
  /** Whose calls these are: `tenant`. The operations' scope is this and the tool's name: `tenant/refund`. */
  scope: string;
  /** Names a call by its input. Default: a digest of the input, so that the same input is the same call. */
  key?: (input: never) => string;
}

/** What a call came to. */
export interface OnceCall {
  /** As `run` gave it; of a call that was made before, as JSON. */
  value: unknown;
  /** Of a call that was made before: a sentence for the model, that nothing was done now. */
  notice?: string;
}

const keys =
  'log:{claim,begin,finish,settle} scope:text judge:function remember:"failures" waitMs:number leaseMs:number ttlMs:number keepMs:number allowVolatile:boolean owner:text now:function';

/**
 * Throws `TypeError` for a mistake in the options of a door, which are those of {@link onceCall}, less those that it decides itself, and
 * `own` ones, as words `key:kind`.
 */
export function checkOnceOptions(what: string, given: object, own: string = ""): void {
  const { log, scope } = given as Partial<OnceCallOptions>;
  checkKeys<Record<string, unknown>, string>(what, given as Record<string, unknown>, `${keys} ${own}`.trim());
  if (log === undefined || scope === undefined) throw new TypeError(`${what} needs a log and a scope: { log, scope }`);
}

/**
 * Makes a tool's call once, for those who write a door to other stacks: any value is kept as its JSON, and what a model is to know is an
 * error for it, `ToolError`. `scope`: that of the operation. `signal`: that of the call.
 */
export async function onceCall(
  input: unknown,
  { log, key, judge, ...options }: OnceCallOptions,
  signal: AbortSignal | undefined,
  run: (context: OnceContext) => unknown,
): Promise<OnceCall> {
  let own: unknown;
  try {
    const { value, replayed, at } = await once<JsonValue | undefined>(
      log,
      {
        ...options,
        ...(key && { key: key(input as never) }),
        ...inputOf(input, key !== undefined),
        ...(signal && { signal }),
        // A tool that asks for what it needs first has done nothing.
        judge: (error) => (needsSomething(error) ? "not-applied" : (judge?.(error) ?? "unknown")),
      },
      async (context) => {
        own = await run(context);
        return own === undefined ? undefined : (JSON.parse(toJsonText(own)) as JsonValue);
      },
    );
    if (!replayed) return { value: own ?? value };
    const notice = `(This call was made before, at ${new Date(at).toISOString()}. Nothing was done now. Its result:)`;
    return { value, notice };
  } catch (error) {
    throw OnceError.isInstance(error) ? forModel(error) : error;
  }
}

const texts: Readonly<Record<OnceErrorCode, [type: string, text: string]>> = {
  "once/in-doubt": [
    "InDoubt",
    "Nobody knows whether this call took effect. It is not run again: tell the user, who can find out and settle it",
  ],
  "once/busy": ["Busy", "The same call is still running. Nothing was done now"],
  "once/conflict": ["Conflict", "Another call with other input has the same key. Nothing was done"],
  "once/expired": ["Expired", "This call was made long ago, and its result is forgotten. Nothing was done now"],
  "once/not-recorded": ["NotRun", "The call could not be recorded, so it was not run. Nothing was done"],
  "once/lost": [
    "InDoubt",
    "The call was made or not: its end could not be recorded. Call again with the same input to learn more",
  ],
};

function forModel(error: OnceError): ToolError {
  const { scope, key } = error.data;
  const [type, text] = texts[error.code];
  const place = type === "InDoubt" ? ` (settleOnce, scope ${JSON.stringify(scope)}, key ${JSON.stringify(key)})` : "";
  return new ToolError(`${text}${place}.`, { cause: error, data: { type } });
}

/** Returns the input as JSON. What only looks like an empty object would be the same call as another one: it needs a key. */
function inputOf(input: unknown, hasKey: boolean): { input?: JsonValue } {
  if (isJson(input)) return { input: input as JsonValue };
  if (input === undefined) return hasKey ? {} : { input: null };
  try {
    const text = JSON.stringify(input, (_, item: unknown) => {
      if (isObject(item) && !isPlain(item)) throw new TypeError("no JSON");
      return item;
    });
    return { input: JSON.parse(text) as JsonValue };
  } catch {
    if (hasKey) return {};
    throw new TypeError("The input of a call that is to happen once is no JSON: pass { key }, which names it.");
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function needsSomething(error: unknown): boolean {
  return ToolError.isInstance(error) && error.data.needs !== undefined;
}
