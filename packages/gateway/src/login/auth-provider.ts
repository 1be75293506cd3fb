import {
  type AuthProvider,
  extractWWWAuthenticateParams,
  type FetchLike,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

/** Where a provider's tokens come from. */
export interface TokenSource {
  /** Resolves with a token that is good; `refused`: another one than that. Undefined: a person has to log in. */
  access(refused?: string): Promise<string | undefined>;
  /** What to report when a person has to log in. `isOffered`: the server names where. */
  cure(isOffered: boolean): string;
}

/**
 * Returns what an MCP client signs its requests with. It never sends anybody anywhere: without a login the request fails as
 * `toolkit/mcp-unauthorised`, and its words are what to do.
 */
export function authProvider({ access, cure }: TokenSource): AuthProvider {
  let given: string | undefined;
  return {
    async token() {
      given = await access();
      return given;
    },
    async onUnauthorized({ response }) {
      if ((await access(given)) !== undefined) return;
      throw new UnauthorizedError(cure(extractWWWAuthenticateParams(response).resourceMetadataUrl !== undefined));
    },
  };
}

/** The letters that RFC 6749 has for scopes. */
const scopes = /^[ !#-[\]-~]+$/;

/**
 * Returns a function that makes the same requests. Where a server wants scopes that the login has not, `onMissed` hears which, and the request
 * fails as one without a login; `cure`: what to do.
 */
export function watchScopes(fetch: FetchLike, onMissed: (scope: string) => Promise<void>, cure: string): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { error, scope = "" } = response.status === 403 ? extractWWWAuthenticateParams(response) : {};
    if (error !== "insufficient_scope" || !scopes.test(scope)) return response;
    await response.body?.cancel();
    // Whether it can be noted or not, the request has failed.
    await onMissed(scope).catch(() => {});
    throw Object.assign(new UnauthorizedError(cure), { requiredScope: scope });
  };
}
