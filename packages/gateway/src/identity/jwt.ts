import { createHash } from "node:crypto";
import { ToolglotError } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { bearerToken, principal } from "@toolglot/trp-core";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { isLoopback } from "../http/hosts.ts";
import type { Identity } from "./types.ts";

/** Whose JSON Web Tokens are taken. */
export interface JwtSettings {
  issuer: string;
  audience: string;
  /** URL of the issuer's keys: https, or loopback. */
  jwks: string;
  /** The claim that names the principal. Default `sub`. */
  principal?: string;
  /** The claim with the roles: a list, or words with spaces between. Default `roles`. The role `can-delete` allows CRITICAL tools. */
  roles?: string;
}

/** Signatures that only the issuer can make: with a shared secret, whoever checks one could make one. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** What is wrong with the issuer's keys, and not with the token. */
const ofKeys = new Set(["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"]);

/**
 * Creates the check of JSON Web Tokens: signature, issuer, audience and expiry. It returns undefined for a token that is not
 * good, and rejects with `config/file` when the issuer's keys can't be had. Rejects with `config/value` when a
 * setting can't be.
 */
export async function openJwt(
  settings: JwtSettings,
  tenant: string,
): Promise<(authorization: string | undefined) => Promise<Identity | undefined>> {
  const url = jwksUrl(settings.jwks);
  const { createRemoteJWKSet, jwtVerify } = await import("jose");
  const keys: JWTVerifyGetKey = createRemoteJWKSet(url, { timeoutDuration: 5_000, cooldownDuration: 10_000 });
  const { issuer, audience, principal: nameClaim = "sub", roles: rolesClaim = "roles" } = settings;
  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined || token.split(".").length !== 3) return undefined;
    let payload: JWTPayload;
    try {
      const requiredClaims = ["exp", nameClaim];
      ({ payload } = await jwtVerify(token, keys, { issuer, audience, algorithms, requiredClaims, clockTolerance: 5 }));
    } catch (error) {
      const code = isObject(error) && typeof error.code === "string" ? error.code : "";
      if (code.startsWith("ERR_J") && !ofKeys.has(code)) return undefined;
      throw new ToolglotError("config/file", `The keys of ${issuer} can't be read.`, { cause: error });
    }
    const name = payload[nameClaim];
    if (typeof name !== "string" || name === "" || name.length > 512) return undefined;
    const roles = rolesOf(payload[rolesClaim]);
    return {
      id: `jwt-${createHash("sha256").update(token).digest("hex").slice(0, 32)}`,
      principal: principal({ id: name, tenant, roles, canDelete: roles.includes("can-delete") }),
      mayElicit: true,
      lenientHeaders: false,
      expiresAt: (payload.exp ?? 0) * 1000,
    };
  };
}

function rolesOf(claim: unknown): string[] {
  const words = typeof claim === "string" ? claim.split(/\s+/) : Array.isArray(claim) ? claim : [];
  return words.filter((word): word is string => typeof word === "string" && word !== "" && word.length <= 512);
}

function jwksUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) return url;
  throw new ToolglotError("config/value", "auth.jwt.jwks must be a URL with https, or on this machine.");
}
