import type { RetryHint } from "../frames/types.ts";

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
