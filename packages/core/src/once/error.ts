import { ToolglotError } from "../errors.ts";
import type { OperationKey, OperationRecord } from "../operation-log.ts";

/** Codes of {@link OnceError}. */
export type OnceErrorCode =
  /** Nobody knows whether it happened. It is not run again until `settleOnce` or a `probe` settles it. */
  | "once/in-doubt"
  /** Another caller runs it, and was waited for. Nothing was done here. */
  | "once/busy"
  /** The key was used with another input. Nothing was done. */
  | "once/conflict"
  /** It was done, so long ago that its value is forgotten. Nothing was done now. */
  | "once/expired"
  /** The log could not write it down, so it was not begun. Nothing was done. */
  | "once/not-recorded"
  /** Its end could not be written down, or is unknown: it was done or not. Ask again with the same key. */
  | "once/lost";

/** Why `once` has no value. `data` has `scope` and `key`, and the log's `record` where there is one. */
export class OnceError extends ToolglotError {
  declare readonly code: OnceErrorCode;
  declare readonly data: Readonly<Record<string, unknown>> & OperationKey & { readonly record?: OperationRecord };

  constructor(
    code: OnceErrorCode,
    message: string,
    { scope, key }: OperationKey,
    more: { record?: OperationRecord | undefined; cause?: unknown } = {},
  ) {
    const data = { scope, key, ...(more.record && { record: more.record }) };
    super(code, message, { cause: more.cause, data });
    this.name = "OnceError";
  }

  /** True for every error of `once`, whichever copy of the package made it. */
  static override isInstance(value: unknown): value is OnceError {
    return ToolglotError.isInstance(value) && value.code.startsWith("once/");
  }
}

/** Returns what to throw for an operation in doubt. */
export function inDoubt(record: OperationRecord, cause?: unknown): OnceError {
  const { key, reason = "it was given up" } = record;
  const message = `Nobody knows whether ${JSON.stringify(key)} happened (${reason}). It is not run again until settleOnce() says whether it did.`;
  return new OnceError("once/in-doubt", message, record, { record, cause });
}
