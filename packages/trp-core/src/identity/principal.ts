import { checkKeys, defined, isObject } from "@toolglot/internal";
import { sameText, sha256Hex } from "../digest/sha256.ts";
import type { Principal } from "./types.ts";

/** What {@link principal} fills in. */
export interface PrincipalInput {
  /** Unique in its tenant. */
  id: string;
  /** Default `default`. */
  tenant?: string;
  /** Default none. */
  roles?: readonly string[];
  /** Default false. */
  canDelete?: boolean;
}

/** One row of {@link bearerTokens}, in wire names, as it stands in a JSON configuration. */
export interface BearerEntry {
  principal: string;
  /** Default none. */
  roles?: readonly string[];
  /** Default false. */
  can_delete?: boolean;
  /** Default `default`. */
  tenant?: string;
}

/**
 * A principal with its defaults, frozen. `TypeError` when a field is malformed.
 *
 * @example
 * ```ts
 * const boss = principal({ id: "ada", roles: ["approver"] });
 * await router.approvals.approve(boss, approvalId, "Fine with me.");
 * ```
 */
export function principal(input: PrincipalInput): Principal {
  if (!isObject(input)) throw new TypeError('principal(…) takes an object like { id: "ada", roles: ["approver"] }');
  checkKeys("principal", input as PrincipalInput, "id:text tenant:string roles:string[] canDelete:boolean");
  const { id, tenant = "default", roles = [], canDelete = false } = input;
  if (!isName(id)) throw new TypeError("principal: id must be a text that is not empty");
  if (!isName(tenant)) throw new TypeError(`principal ${id}: tenant must be a text that is not empty`);
  if (!isNames(roles)) throw new TypeError(`principal ${id}: roles must be a list of names`);
  if (typeof canDelete !== "boolean") throw new TypeError(`principal ${id}: canDelete must be true or false`);
  return Object.freeze({ tenant, id, roles: Object.freeze([...new Set(roles)]), canDelete });
}

/** Checks whether a value can be taken as a principal as it is. */
export function isPrincipal(value: unknown): value is Principal {
  if (!isObject(value)) return false;
  const { id, tenant, roles, canDelete } = value;
  return isName(id) && isName(tenant) && isNames(roles) && typeof canDelete === "boolean";
}

/** A role that takes rights away: leaving it out would be a right more. */
const restrictive = "readonly";

/**
 * The principal as a frame's `auth_context` narrows it: `role` and `roles` keep those of the principal's roles that they
 * name, everything else is ignored, and malformed ones leave no role. It never widens: nobody gets a role, a tenant or a
 * right this way. `readonly`, which takes rights away, stays, and is added when it is asked for. The same principal when nothing changes.
 */
export function narrow(principal: Principal, authContext: unknown): Principal {
  if (authContext === undefined || authContext === null) return principal;
  const wanted = wantedRoles(authContext);
  if (wanted === undefined) return principal;
  const roles = principal.roles.filter((role) => role === restrictive || wanted.every((list) => list.includes(role)));
  // Asked for, it takes rights away from those who don't have it.
  if (!roles.includes(restrictive) && wanted.some((list) => list.includes(restrictive))) roles.push(restrictive);
  else if (roles.length === principal.roles.length) return principal;
  return Object.freeze({ ...principal, roles: Object.freeze(roles) });
}

/** Returns the lists that a role must be in; undefined without a condition on roles. */
function wantedRoles(authContext: unknown): readonly (readonly string[])[] | undefined {
  // A list has no condition on roles.
  if (Array.isArray(authContext)) return undefined;
  if (!isObject(authContext)) return [[]];
  const lists: (readonly string[])[] = [];
  if (Object.hasOwn(authContext, "role") && authContext.role !== null) {
    lists.push(isName(authContext.role) ? [authContext.role] : []);
  }
  if (Object.hasOwn(authContext, "roles") && authContext.roles !== null) {
    lists.push(isNames(authContext.roles) ? authContext.roles : []);
  }
  return lists.length === 0 ? undefined : lists;
}

const known = new Set(["principal", "roles", "can_delete", "tenant"]);

/**
 * Returns who a bearer token stands for, from a map of token to principal. Tokens are kept as hashes, and each look-up compares
 * with all of them, so its time reveals nothing. `TypeError` when the map is malformed; the message never shows a
 * token.
 *
 * @example
 * ```ts
 * const who = bearerTokens({ "secret-token": { principal: "ada", roles: ["approver"] } });
 * const server = await serveHttp(router, { authenticate: (header) => who(bearerToken(header)) });
 * ```
 */
export function bearerTokens(
  map: Readonly<Record<string, BearerEntry>>,
): (token: string | undefined) => Principal | undefined {
  if (!isObject(map)) {
    throw new TypeError(
      'bearerTokens: the map must be an object like { "<token>": { "principal": "ada", "roles": [] } }',
    );
  }
  const entries = Object.entries(map).map(([token, entry], index) => {
    const where = `bearerTokens: entry ${index + 1}`;
    if (token.trim() === "" || token !== token.trim()) throw new TypeError(`${where} has an empty or padded token`);
    if (!isObject(entry)) throw new TypeError(`${where} must be an object with "principal"`);
    const unknown = Object.keys(entry).find((field) => !known.has(field));
    if (unknown !== undefined) {
      throw new TypeError(`${where} has the unknown field ${JSON.stringify(unknown)}; known: ${[...known].join(", ")}`);
    }
    const { principal: id, roles, can_delete: canDelete, tenant } = entry as unknown as BearerEntry;
    try {
      return { digest: sha256Hex(token), who: principal({ id, ...defined({ roles, canDelete, tenant }) }) };
    } catch (error) {
      throw new TypeError(`${where}: ${(error as Error).message}`, { cause: error });
    }
  });
  return (token) => {
    if (typeof token !== "string" || token === "") return undefined;
    const digest = sha256Hex(token);
    let found: Principal | undefined;
    for (const entry of entries) if (sameText(entry.digest, digest)) found = entry.who;
    return found;
  };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 512;
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isName);
}
