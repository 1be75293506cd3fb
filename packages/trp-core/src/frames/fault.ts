import { errorCodes, isTrpCode } from "./codes.ts";
import type { ErrorClass, FaultPayload, RetryHint, TrpCode } from "./results.ts";

/**
 * An error on its way to the client, made by `fault(code, …)`. Plain data: what is refused is a return value, not an
 * exception.
 */
export interface Fault {
  code: TrpCode;
  errorClass: ErrorClass;
  message: string;
  /** One line for the model: what to do now. */
  fix: string;
  retryable: boolean;
  retryHint: RetryHint;
  /** Whether the capability was started. */
  dispatched: boolean;
}

/** The fields of a fault that may differ from its code's row in `errorCodes`. */
export type FaultDetails = Partial<Pick<Fault, "fix" | "retryable" | "retryHint" | "dispatched" | "errorClass">>;

/**
 * Returns an error on its way to the client. What is not given comes from `errorCodes`: the message is the code's cause, the fix
 * its cure. `retryHint` is added to the code's own. `dispatched` is false by default.
 *
 * @example
 * ```ts
 * fault("TRP_2001", "to: expected a string, got a number").retryHint; // { action: "FIX_ARGUMENTS" }
 * ```
 */
export function fault(code: TrpCode, message?: string, details: FaultDetails = {}): Fault {
  if (!isTrpCode(code)) throw new TypeError(`there is no code ${String(code)}; errorCodes lists them`);
  const entry = errorCodes[code];
  return {
    code,
    errorClass: details.errorClass ?? entry.errorClass,
    message: message ?? entry.cause,
    fix: details.fix ?? entry.cure,
    retryable: details.retryable ?? entry.retryable,
    retryHint: { ...entry.retryHint, ...details.retryHint },
    dispatched: details.dispatched ?? false,
  };
}

/** Checks whether a value is a {@link Fault}, as opposed to what a function returns when all is well. */
export function isFault(value: unknown): value is Fault {
  if (typeof value !== "object" || value === null) return false;
  const { code, errorClass, fix, retryHint } = value as Partial<Fault>;
  return (
    typeof code === "string" &&
    typeof errorClass === "string" &&
    typeof fix === "string" &&
    typeof retryHint === "object" &&
    Object.hasOwn(errorCodes, code)
  );
}

/** A fault in the words of the wire: what NACKs, failed items and failed RESULTs share. */
export function faultPayload(fault: Fault): FaultPayload {
  return {
    error_class: fault.errorClass,
    error_code: fault.code,
    message: fault.message,
    retryable: fault.retryable,
    retry_hint: { ...fault.retryHint },
    fix: fault.fix,
    dispatched: fault.dispatched,
  };
}
