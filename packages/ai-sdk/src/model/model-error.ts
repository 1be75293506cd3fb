import { isContextOverflow, type ModelInfo, ToolglotError } from "@toolglot/core";
import { errorText, isObject, retryAfter } from "@toolglot/internal";
import { nameOf } from "./watch-stream.ts";
import { words } from "./words.ts";

/** In a failure's `data`: whether the same request may succeed a little later, and when, if the provider said it. */
export interface RetryAdvice {
  retryable?: boolean;
  retryAfterMs?: number;
}

/** No provider's wish is followed for longer. */
const maxRetryMs = 60_000;

/** So much of what a server said is shown. */
const maxSaidLength = 300;

/** The error of a request, as provider packages throw it; which copy of the SDK made it is no matter. */
interface ApiCallError {
  message: string;
  url: string;
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
  isRetryable?: boolean;
}

/** Returns a provider's failure in words for a person: what was asked, what happened and what to do. */
export function toModelError(error: unknown, info: ModelInfo): ToolglotError {
  const chain = causes(error);
  const own = chain.find((each) => ToolglotError.isInstance(each));
  if (own) return own as ToolglotError;
  const api = chain.find(isApiCallError);
  if (api) return fromApi(api, info);
  const overflow = chain.some(isContextOverflow);
  const said = redact(describe(error));
  const code = overflow ? "context-overflow" : "model-failed";
  return new ToolglotError(code, `${words.brokeOff}: ${said}`, { cause: error, data: { said } });
}

/** Returns an error and what caused it: some are wrapped once or twice. */
function causes(error: unknown): unknown[] {
  const all: unknown[] = [];
  for (let each = error; each !== undefined && all.length < 5; each = (each as { cause?: unknown } | null)?.cause)
    all.push(each);
  return all;
}

const isApiCallError = (error: unknown): error is ApiCallError =>
  error instanceof Error && typeof (error as Partial<ApiCallError>).url === "string" && "requestBodyValues" in error;

function fromApi(error: ApiCallError, info: ModelInfo): ToolglotError {
  const { statusCode: status, responseBody: body = "", isRetryable = false, responseHeaders = {} } = error;
  const url = redact(error.url);
  const wished = retryAfter(responseHeaders, Date.now());
  const retryAfterMs = wished === undefined ? undefined : Math.min(wished, maxRetryMs);
  const retryable =
    status === undefined ? isRetryable : status === 408 || status === 409 || status === 429 || status >= 500;
  const advice: RetryAdvice = { retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  // What a provider package could not read of the answer stands in its body.
  const isRead = body.includes(error.message) || body.trim() === "" || /^\s*[[{]/.test(body);
  const said = redact(isRead ? error.message : body).slice(0, maxSaidLength);
  const options = { cause: error, data: { ...advice, ...(status !== undefined && { status }), url, said } };
  const failure = (code: string, what: string, cure?: string): ToolglotError =>
    new ToolglotError(code, `${what}: ${said}${cure === undefined ? "" : `. ${cure}`}`, options);
  if (isContextOverflow({ message: `${error.message} ${body}`, status }))
    return failure("context-overflow", words.overflow(url));
  if (status === undefined) return failure("model-unreachable", words.unreachable(url));
  if (status === 401 || status === 403) return failure("model-unauthorised", words.unauthorised(status, url));
  if (status === 429) return failure("model-rate-limited", words.rateLimited(url));
  const isPage = /text\/html/i.test(responseHeaders["content-type"] ?? "") || /^\s*<(?:!doctype|html)\b/i.test(body);
  const cure = status === 404 || status === 405 || isPage ? cureOf(url, isPage) : undefined;
  if (status === 404 && !isPage && /\bmodel\b/i.test(body))
    return failure("model-not-found", words.notFound(nameOf(info), url));
  if (cure !== undefined) return failure("model-address", words.failed(status, url), cure);
  if (status < 400) return failure("model-failed", words.unreadable(url));
  return failure("model-failed", words.failed(status, url));
}

/** Returns what is wrong with an address at which there is no API. */
function cureOf(url: string, isPage: boolean): string | undefined {
  if (/\/chat\/completions\/.*chat\/completions/.test(url)) return words.twice;
  const base = url.replace(/\/(?:chat\/completions|completions|messages|responses|embeddings)\/?(?:\?.*)?$/, "");
  if (!/\/v\d+\w*(?:\/|$)/.test(base)) return words.noVersion(base);
  return isPage ? words.page : undefined;
}

/** Errors inside a stream arrive as whatever JSON the provider sent. */
function describe(value: unknown): string {
  if (value instanceof Error || typeof value === "string") return errorText(value);
  const { message } = isObject(value) ? (value as { message?: unknown }) : {};
  return typeof message === "string" ? message : JSON.stringify(value);
}

const secrets: readonly [RegExp, string][] = [
  [/\b((?:sk|pk|rk|gsk|xai|key|ghp|hf|r8|nvapi|AIza)[-_]?)[\w*-]{12,}/g, "$1…"],
  [/\b(bearer\s+)[^\s"',]+/gi, "$1…"],
  [/([?&](?:api[-_]?key|key|token|access_token)=)[^&\s]+/gi, "$1…"],
];

/** Returns a text without what looks like a key. */
function redact(text: string): string {
  return secrets.reduce((shown, [pattern, instead]) => shown.replace(pattern, instead), text);
}
