import { ToolglotError } from "@toolglot/core";
import type { Feature } from "@toolglot/trp-core/frames";
import type { CallError } from "./types.ts";

/**
 * Codes of {@link ToolglotError}s of this package. `data.outcome` is `not-sent` when it is certain that the router never
 * got the frame, else `unknown`.
 * - `unreachable`: no connection.
 * - `no-answer`: the connection ended without an answer.
 * - `timeout`: no answer in time.
 * - `bad-answer`: the answer is not one to this frame, or no frame at all; `data.status` has the HTTP status, if any.
 * - `aborted`: by the caller's signal.
 * - `closed`: the client was closed.
 * - `ws-missing`: the package `ws`, which the transport needs, is not installed.
 * - `key-required`: refused before sending (TRP v0.1 draft, 15.1).
 * - `refused`: the router refused a hello, a sync or a query; `data.error` has its error.
 */
export type ClientErrorCode =
  | "trp-client/unreachable"
  | "trp-client/no-answer"
  | "trp-client/timeout"
  | "trp-client/bad-answer"
  | "trp-client/aborted"
  | "trp-client/closed"
  | "trp-client/ws-missing"
  | "trp-client/key-required"
  | "trp-client/refused";

/** An error of this package. Transports make theirs with it; the outcome is `not-sent` for `unreachable`. */
export function clientError(
  code: ClientErrorCode,
  message: string,
  options: { cause?: unknown; data?: Record<string, unknown> } = {},
): ToolglotError {
  const outcome = notSent.includes(code) ? "not-sent" : "unknown";
  return new ToolglotError(code, message, { ...options, data: { outcome, ...options.data } });
}

const notSent: readonly ClientErrorCode[] = [
  "trp-client/unreachable",
  "trp-client/ws-missing",
  "trp-client/key-required",
  "trp-client/refused",
];

/** Checks whether a call that ended with this error may have been started. */
export function mayHaveRun(error: unknown): boolean {
  return !ToolglotError.isInstance(error) || error.data.outcome !== "not-sent";
}

/** The router refused something that is no call. */
export function refusal(what: string, error: CallError): ToolglotError {
  return clientError("trp-client/refused", `The router refused ${what}: ${error.code} ${error.message}`, {
    data: { error },
  });
}

/** Throws a {@link refusal} unless the session has a feature. */
export function needFeature({ features }: { features: readonly string[] }, feature: Feature, what: string): void {
  if (features.includes(feature)) return;
  throw refusal(what, {
    code: "TRP_5000",
    errorClass: "SCHEMA_MISMATCH",
    message: `The session does not have the feature ${feature}.`,
    fix: "",
    retryable: false,
    retryHint: {},
    dispatched: false,
  });
}

/** Returns the error inside a {@link refusal}. */
export function refusedWith(error: unknown): CallError | undefined {
  if (!ToolglotError.isInstance(error) || error.code !== "trp-client/refused") return undefined;
  return error.data.error as CallError;
}
