import { isObject, retryAfter } from "@toolglot/internal";
import type { Verdict } from "./options.ts";

/** An error, or what it came of: all that is read of what clients throw. */
type Facts = Record<string, unknown>;

/** Longer chains of causes are none. */
const maxCauses = 8;

/**
 * Judges what an HTTP client threw: fetch, undici, axios, got, ky, node-fetch, the AWS SDK v3, OpenAI's and Stripe's clients, or a
 * `Response`. Connections that were refused, names that were not found and time-outs of connecting are `not-applied`, and so are 429, and
 * 503 with `Retry-After`. Other statuses of 400 to 499 are `failed`, but for 408, 409 and 425. All else is `unknown`: other statuses,
 * connections that broke, time-outs.
 *
 * After a refusal an earlier attempt of the client itself may still have been applied. Where the client tells (got, AWS, redirects), that
 * is `unknown`; where it doesn't (OpenAI, Stripe, ky), switch its retries off.
 */
export function judgeHttp(error: unknown): Verdict {
  const chain = causesOf(error);
  if (chain.some(hasTriedBefore)) return "unknown";
  for (const facts of chain) {
    const status = statusOf(facts);
    if (status !== undefined) return ofStatus(status, facts);
  }
  return chain.some(isUnconnected) ? "not-applied" : "unknown";
}

/** Of JSON-RPC: what the server could not read or does not know. The official client's word for no connection. */
const refusals: ReadonlySet<unknown> = /* @__PURE__ */ new Set([-32700, -32600, -32601, -32602, "NOT_CONNECTED"]);

/**
 * Judges what a client of MCP threw. Requests that the server could not read or does not know, and those without a connection, are
 * `not-applied`. All else is `unknown`: errors of the tool and the server, time-outs, connections that broke.
 */
export function judgeMcp(error: unknown): Verdict {
  const chain = causesOf(error);
  // The first one: an error around it may have a code in words.
  const code = chain.find((facts) => typeof facts.code === "number" || refusals.has(facts.code))?.code;
  const isRefused = refusals.has(code) || chain[0]?.message === "Not connected";
  return isRefused || chain.some(isUnconnected) ? "not-applied" : "unknown";
}

/** Returns the error and what it came of, the outermost first. Of an error of several, what all of them say. */
function causesOf(error: unknown): Facts[] {
  const chain: Facts[] = [];
  for (let facts = error; isObject(facts) && chain.length < maxCauses; ) {
    chain.push(facts);
    // Stripe keeps the cause as `detail`.
    facts = [facts.cause, facts.detail].find(isObject);
  }
  return chain;
}

const objectOf = (value: unknown): Facts => (isObject(value) ? value : {});

function statusOf({ status, statusCode, response, $metadata }: Facts): number | undefined {
  const { status: own, statusCode: code } = objectOf(response);
  const given = [status, statusCode, own, code, objectOf($metadata).httpStatusCode];
  return given.find((one): one is number => typeof one === "number" && one >= 100 && one < 600);
}

function ofStatus(status: number, { headers, response, $response }: Facts): Verdict {
  if (status === 429) return "not-applied";
  if (status === 503) {
    const given = [headers, objectOf(response).headers, objectOf($response).headers];
    return given.some((one) => isObject(one) && retryAfter(one as Record<string, string>, 0) !== undefined)
      ? "not-applied"
      : "unknown";
  }
  return status >= 400 && status < 500 && ![408, 409, 425].includes(status) ? "failed" : "unknown";
}

/** Whether another request of the same call went out before: got, axios, AWS, and responses say so. */
function hasTriedBefore({ request, response, redirected, $metadata }: Facts): boolean {
  const { retryCount, redirectUrls, _redirectCount, _redirectable } = objectOf(request);
  const before = [retryCount, _redirectCount, objectOf(_redirectable)._redirectCount, redirected];
  before.push(objectOf(response).redirected, Array.isArray(redirectUrls) && redirectUrls.length);
  return before.some((count) => Number(count) > 0) || Number(objectOf($metadata).attempts) > 1;
}

const unconnectedCodes: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** Of the moments before a request goes out, as got names them. */
const connecting: ReadonlySet<unknown> = /* @__PURE__ */ new Set(["lookup", "connect", "secureConnect"]);

function isUnconnected({ code, syscall, event, errors, message }: Facts): boolean {
  if (Array.isArray(errors) && errors.length > 0) return errors.every((one) => isObject(one) && isUnconnected(one));
  if (unconnectedCodes.has(code) || syscall === "connect" || syscall === "getaddrinfo") return true;
  // The AWS SDK has it in words only.
  return (code === "ETIMEDOUT" && connecting.has(event)) || /did not establish a connection/.test(String(message));
}
