import { errorCodes, isTrpCode } from "./codes.ts";
import type { FaultPayload, RetryHint } from "./results.ts";

/** The nine classes of the TRP v0.1 draft (12.1). */
export type ErrorClass =
  | "TRANSIENT"
  | "ORDER_VIOLATION"
  | "CATALOG_MISMATCH"
  | "SCHEMA_MISMATCH"
  | "POLICY_DENIED"
  | "APPROVAL_REQUIRED"
  | "NON_IDEMPOTENT_BLOCKED"
  | "EXECUTOR_ERROR"
  | "INTERNAL_ERROR";

/** Every code a router can give; `errorCodes` says what each means. */
export type TrpCode =
  | "TRP_1001"
  | "TRP_1002"
  | "TRP_1003"
  | "TRP_1004"
  | "TRP_1005"
  | "TRP_1006"
  | "TRP_1007"
  | "TRP_1008"
  | "TRP_2000"
  | "TRP_2001"
  | "TRP_2002"
  | "TRP_2003"
  | "TRP_2004"
  | "TRP_2005"
  | "TRP_2006"
  | "TRP_2007"
  | "TRP_2008"
  | "TRP_3001"
  | "TRP_3002"
  | "TRP_3003"
  | "TRP_3004"
  | "TRP_3005"
  | "TRP_4001"
  | "TRP_4002"
  | "TRP_4003"
  | "TRP_4004"
  | "TRP_4005"
  | "TRP_4006"
  | "TRP_4007"
  | "TRP_4008"
  | "TRP_5000"
  | "TRP_5001"
  | "TRP_5003";

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

/** What a fault may say differently from its code's row in `errorCodes`. */
export type FaultDetails = Partial<Pick<Fault, "fix" | "retryable" | "retryHint" | "dispatched" | "errorClass">>;

/**
 * An error on its way to the client. What is not given comes from `errorCodes`: the message is the code's cause, the fix
 * its cure. `retryHint` is added to the code's own. `dispatched` is false unless said otherwise.
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

/** Whether a value is a {@link Fault}, as opposed to what a function returns when all is well. */
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
