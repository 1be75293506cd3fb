import type { FetchLike } from "@modelcontextprotocol/client";
import { readBody } from "../../http/body.ts";
import { isLoopback } from "../../http/hosts.ts";
import { loginError } from "../errors.ts";

const answerMs = 30_000;
const maxBytes = 2 ** 20;

/** Checks whether nobody on the way reads what goes to an address: https, or this machine. */
export function isSafe(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** Returns the address as text. Throws `gateway/login-untrusted` for one that is not {@link isSafe}. `what`: as `the token endpoint`. */
export function safeUrl(server: string, what: string, text: string): string {
  if (URL.canParse(text) && isSafe(new URL(text))) return text;
  throw loginError("gateway/login-untrusted", server, `${what} is not https, so others could read what goes there.`);
}

/** Returns a `fetch` for what a login sends: to safe addresses alone, answered within 30 s and 1 MiB. */
export function safeFetch(server: string, inner: FetchLike, signal?: AbortSignal): FetchLike {
  return async (url, init = {}) => {
    safeUrl(server, "an address of the login", String(url));
    const signals = [AbortSignal.timeout(answerMs), init.signal, signal].filter((one) => one != null);
    const response = await inner(url, { ...init, signal: AbortSignal.any(signals) });
    const bytes = await readBody(response, maxBytes);
    if (bytes === undefined) {
      throw loginError("gateway/login-failed", server, `an answer has more than ${maxBytes} bytes.`);
    }
    const { status, statusText, headers } = response;
    // These have no body, not even an empty one.
    const body = [101, 204, 205, 304].includes(status) ? null : Uint8Array.from(bytes);
    return new Response(body, { status, statusText, headers });
  };
}
