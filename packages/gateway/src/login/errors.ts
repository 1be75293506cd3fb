import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { ToolglotError } from "@toolglot/core";
import { codeOf } from "@toolglot/internal";

/**
 * Codes of a login's faults. `-unsupported`: the server offers none that is possible here; `-untrusted`: an answer is not from whom it
 * should be; `-refused`: the authorization server or the person said no; `-failed`: no usable answer; `-cancelled`: given up, or nobody
 * came in time.
 */
export type LoginErrorCode =
  | "gateway/login-cancelled"
  | "gateway/login-failed"
  | "gateway/login-refused"
  | "gateway/login-unsupported"
  | "gateway/login-untrusted";

export function loginError(code: LoginErrorCode, server: string, message: string): ToolglotError {
  return new ToolglotError(code, `Login at ${server}: ${message}`, { data: { server } });
}

/** The words that OAuth has for errors. Anything else that a server writes may repeat what it was sent, and is not shown. */
const known = new Set<string>([
  ...Object.values(OAuthErrorCode),
  "access_denied",
  "authorization_pending",
  "expired_token",
  "slow_down",
  "login_required",
  "consent_required",
  "interaction_required",
]);

/** Returns an error code of OAuth as it may be shown. */
export function shownCode(code: string): string {
  return known.has(code) ? code : "an error of its own";
}

/** Returns what a fault means, without anything of what was sent or answered: tokens may be in it. `doing`: as `the exchange of the code`. */
export function loginFault(server: string, doing: string, error: unknown): ToolglotError {
  if (ToolglotError.isInstance(error)) return error;
  if (OAuthError.isInstance(error)) {
    const status = /^HTTP (\d{3}): Invalid OAuth error response/.exec(error.message)?.[1];
    const answer = status === undefined ? shownCode(error.code) : `HTTP ${status}`;
    return loginError("gateway/login-refused", server, `${doing} was answered with ${answer}.`);
  }
  if (IssuerMismatchError.isInstance(error)) {
    const what =
      error.kind === "metadata"
        ? `the metadata of the authorization server names another issuer than ${JSON.stringify(error.expected)}, where it was looked up`
        : error.received === undefined
          ? "the answer names no issuer, though the authorization server announced that it would: it may be another's"
          : "the answer comes from another authorization server than the one that was asked";
    return loginError("gateway/login-untrusted", server, `${what}. Nothing was sent to it.`);
  }
  if (InsecureTokenEndpointError.isInstance(error)) {
    const message = "the authorization server's token endpoint is not https, so tokens could be read on the way.";
    return loginError("gateway/login-untrusted", server, message);
  }
  if (RegistrationRejectedError.isInstance(error)) {
    const message = `${doing} was answered with HTTP ${error.status}. Register a client there by hand, and set oauth.clientId.`;
    return loginError("gateway/login-refused", server, message);
  }
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return loginError("gateway/login-failed", server, `${doing} got no answer in time.`);
  }
  const code = codeOf(error) ?? codeOf((error as Error | undefined)?.cause);
  const why = code === undefined ? "got an answer that is not as OAuth has it" : `failed: ${code}`;
  return loginError("gateway/login-failed", server, `${doing} ${why}.`);
}
