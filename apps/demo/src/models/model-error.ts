import { ToolglotError } from "@toolglot/core";
import { APICallError, RetryError } from "ai";

/**
 * A provider's failure in words for a person: what happened and what to do. Codes: `model-unauthorised`,
 * `model-rate-limited`, `model-unreachable`, `model-failed`; `data.status` is the HTTP status when there was one.
 */
export function toModelError(error: unknown): ToolglotError {
  if (ToolglotError.isInstance(error)) return error;
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (APICallError.isInstance(last)) return fromApi(last);
  const message = last instanceof Error ? last.message : describe(last);
  return new ToolglotError("model-failed", `The model's answer broke off: ${message}`, { cause: error });
}

function fromApi(error: APICallError): ToolglotError {
  const { statusCode: status, message, url } = error;
  const options = { cause: error, data: { ...(status !== undefined && { status }), url } };
  if (status === 401 || status === 403) {
    return new ToolglotError("model-unauthorised", `The provider refused the key (${status}): ${message}`, options);
  }
  if (status === 429) {
    return new ToolglotError(
      "model-rate-limited",
      `The provider is busy or the quota is used up (429): ${message}`,
      options,
    );
  }
  if (status === undefined) {
    return new ToolglotError("model-unreachable", `No answer from ${url}: ${message}`, options);
  }
  return new ToolglotError("model-failed", `The provider answered ${status}: ${message}`, options);
}

/** Errors inside a stream arrive as whatever JSON the provider sent. */
function describe(value: unknown): string {
  if (typeof value === "string") return value;
  const message = (value as { message?: unknown } | null)?.message;
  return typeof message === "string" ? message : JSON.stringify(value);
}
