import { ToolglotError } from "@toolglot/core";
import { APICallError } from "ai";
import { type Words, wordsFor } from "../cli/words.ts";

/** In a failure's `data`: whether the same request may succeed a little later, and when if the provider said it. */
export interface RetryAdvice {
  retryable?: boolean;
  retryAfterMs?: number;
}

/** No provider's wish is followed for longer. */
const LONGEST_RETRY_MS = 60_000;

/**
 * A provider's failure in words for a person: what was asked, what happened and what to do. Codes: `model-unauthorised`,
 * `model-rate-limited`, `model-unreachable`, `model-failed`; `data` is {@link RetryAdvice} with the URL, and with the HTTP
 * `status` when there was one.
 */
export function toModelError(error: unknown, words: Words = wordsFor("en")): ToolglotError {
  const own = causes(error).find((each) => ToolglotError.isInstance(each));
  if (own) return own as ToolglotError;
  if (APICallError.isInstance(error)) return fromApi(error, words.model);
  const message = error instanceof Error ? error.message : describe(error);
  return new ToolglotError("model-failed", `${words.model.brokeOff}: ${message}`, { cause: error });
}

/** An error and what caused it: a stalled body is wrapped once or twice. */
function causes(error: unknown): unknown[] {
  const all: unknown[] = [];
  for (let each = error; each !== undefined && all.length < 5; each = (each as { cause?: unknown } | null)?.cause)
    all.push(each);
  return all;
}

function fromApi(error: APICallError, words: Words["model"]): ToolglotError {
  const { statusCode: status, message, url, isRetryable, responseHeaders } = error;
  const { "retry-after-ms": ms, "retry-after": seconds } = responseHeaders ?? {};
  const wished = ms === undefined ? Number(seconds ?? Number.NaN) * 1000 : Number(ms);
  const advice: RetryAdvice = {
    retryable: isRetryable,
    ...(wished >= 0 && { retryAfterMs: Math.min(wished, LONGEST_RETRY_MS) }),
  };
  const options = { cause: error, data: { ...advice, ...(status !== undefined && { status }), url } };
  const failure = (code: string, what: string): ToolglotError =>
    new ToolglotError(code, `${what}: ${message}`, options);
  if (status === undefined) return failure("model-unreachable", words.unreachable(url));
  if (status === 401 || status === 403) return failure("model-unauthorised", words.unauthorised(status));
  if (status === 429) return failure("model-rate-limited", words.rateLimited);
  if (status < 400) return failure("model-failed", words.unreadable(url));
  const base = url.replace(/\/(?:chat\/completions|messages)$/, "");
  const cure = status === 404 && !/\/v\d+$/.test(base) ? ` ${words.version(base)}` : "";
  const plain = failure("model-failed", words.failed(status, url));
  return cure === "" ? plain : new ToolglotError("model-failed", `${plain.message}.${cure}`, options);
}

/** Errors inside a stream arrive as whatever JSON the provider sent. */
function describe(value: unknown): string {
  if (typeof value === "string") return value;
  const message = (value as { message?: unknown } | null)?.message;
  return typeof message === "string" ? message : JSON.stringify(value);
}
