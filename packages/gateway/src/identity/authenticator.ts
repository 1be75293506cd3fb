import type { Principal } from "@toolglot/trp-core";
import { type JwtSettings, openJwt } from "./jwt.ts";
import type { Tokens } from "./tokens.ts";
import type { Identity } from "./types.ts";

/** Resolves with who sends a request. */
export interface Authenticator {
  /** From the `Authorization` header; undefined for nobody who is known. Rejects when that can't be found out. */
  authenticate(authorization: string | undefined): Promise<Identity | undefined>;
  /** What an identity has become: undefined once its token was revoked or has expired. */
  current(identity: Identity): Identity | undefined;
  /** Calls the listener with the `Identity.id` of each credential that was revoked. Returns what ends it. */
  onRevoked(listener: (id: string) => void): () => void;
  /** Why nobody is let in. */
  fault(): string | undefined;
  /** Who issues tokens of other makers, for clients that log in there. */
  readonly issuer?: string;
}

/** What an {@link Authenticator} goes by. */
export interface AuthenticatorOptions {
  tokens?: Tokens;
  /** `tenant`: of all who log in there. */
  jwt?: JwtSettings & { tenant?: string };
  /** Who calls without a credential. Only for servers that nobody but this machine's user reaches. Default: nobody. */
  anonymous?: Principal;
}

/** Creates an authenticator. Rejects as {@link openJwt} does. */
export async function createAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { tokens, jwt, anonymous } = options;
  const ofJwt = jwt && (await openJwt(jwt, jwt.tenant ?? "default"));
  const nobody: Identity | undefined = anonymous && {
    id: "anonymous",
    principal: anonymous,
    mayElicit: true,
    lenientHeaders: false,
  };
  return {
    async authenticate(authorization) {
      if (authorization === undefined) return nobody;
      return (await tokens?.authenticate(authorization)) ?? (await ofJwt?.(authorization));
    },
    current(identity) {
      if (identity.expiresAt !== undefined && identity.expiresAt <= Date.now()) return undefined;
      // What no file has ends by its own time.
      const isOfFile = tokens !== undefined && /^[a-z2-7]{8}$/.test(identity.id);
      return isOfFile ? tokens.identity(identity.id) : identity;
    },
    onRevoked: (listener) => tokens?.onRevoked(listener) ?? (() => {}),
    fault: () => tokens?.fault()?.message,
    ...(jwt && { issuer: jwt.issuer }),
  };
}
