import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import { isObject } from "@toolglot/internal";
import { ToolkitError } from "../errors.ts";
import { messageOf } from "./fault-text.ts";
import type { ClientModule } from "./load-client.ts";

/** Returns the same provider; `onUrl` hears of the address that a person is sent to. */
export function watchAuthorization<Provider extends AuthProvider | OAuthClientProvider>(
  provider: Provider,
  onUrl: (url: URL) => void,
): Provider {
  return new Proxy(provider, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (key === "redirectToAuthorization") onUrl(given[0] as URL);
        return value.apply(target, given) as unknown;
      };
    },
  });
}

/** Checks whether an error, or its cause, means that the server wants an authorisation. */
export function isUnauthorised(error: unknown, sdk: ClientModule): boolean {
  let at = error;
  for (let depth = 0; depth < 4 && isObject(at); depth += 1) {
    if (sdk.UnauthorizedError.isInstance(at) || at.status === 401 || at.code === 401) return true;
    // It knows who asks, and they may not do this: nothing ran.
    if (sdk.InsufficientScopeError.isInstance(at)) return true;
    at = at.cause;
  }
  return false;
}

/** Returns which scope a server misses in the authorisation that it was shown, as the end of a sentence. */
export function withScope(error: unknown): string {
  let at = error;
  for (let depth = 0; depth < 4 && isObject(at); depth += 1) {
    const { requiredScope } = at;
    if (typeof requiredScope === "string" && /^[ -~]{1,200}$/.test(requiredScope)) {
      return ` with the scope ${JSON.stringify(requiredScope)}`;
    }
    at = at.cause;
  }
  return "";
}

/** Returns the error for the host. */
export function unauthorised(name: string, url: URL | undefined, cause: unknown): ToolkitError {
  const cure =
    url === undefined
      ? "the authProvider of its transport gave none that it takes"
      : "send a person to data.authorizationUrl, then call finishAuth with the code";
  const message = `The MCP server ${JSON.stringify(name)} wants an authorisation${withScope(cause)}: ${cure}`;
  const data = { name, ...(url !== undefined && { authorizationUrl: url.href }) };
  const error = new ToolkitError("toolkit/mcp-unauthorised", message, data);
  // Not the error itself: it has the server's answer, which may repeat what was sent.
  error.cause = new Error(messageOf(cause));
  return error;
}
