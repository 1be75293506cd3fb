import { type JsonValue, ToolglotError } from "@toolglot/core";
import type { Principal } from "../identity/types.ts";
import type { Router } from "../router/types.ts";
import type { ApprovalRecord, ApprovalStatus } from "../store/approval-types.ts";
import { errorReply, jsonReply } from "./messages.ts";
import type { HttpReply } from "./types.ts";

/** What is at a path. */
export interface Found {
  method: "GET" | "POST";
  /** Answers without asking who calls. */
  open?: () => Promise<HttpReply>;
  /** Never rejects. */
  run(who: Principal, query: URLSearchParams, body: unknown): Promise<HttpReply>;
}

const statuses: readonly string[] = ["pending", "approved", "denied", "used", "expired"] satisfies ApprovalStatus[];

/** The paths on which people decide about approvals and operations in doubt; undefined for any other. */
export function approvalRoutes(router: Router, path: string): Found | undefined {
  if (path === "/trp/approvals") return { method: "GET", run: (who, query) => guard(() => list(router, who, query)) };
  if (path === "/trp/operations/in-doubt") {
    return { method: "GET", run: (who, query) => guard(() => inDoubt(router, who, query)) };
  }
  if (path === "/trp/operations/resolve") {
    return { method: "POST", run: (who, _query, body) => guard(() => resolve(router, who, body)) };
  }
  const match = /^\/trp\/approvals\/([^/]{1,200})(?:\/(approve|deny))?$/.exec(path);
  const id = match?.[1] === undefined ? undefined : decodeId(match[1]);
  if (match === null || id === undefined) return undefined;
  const verb = match[2] as "approve" | "deny" | undefined;
  if (verb === undefined) return { method: "GET", run: (who) => guard(() => read(router, who, id)) };
  return { method: "POST", run: (who, _query, body) => guard(() => decide(router, who, verb, id, body)) };
}

function decodeId(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

async function guard(run: () => Promise<HttpReply>): Promise<HttpReply> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof BadRequest) return errorReply(400, "bad-request", error.message);
    if (!ToolglotError.isInstance(error)) return errorReply(500, "internal", "Something went wrong in the router.");
    // The messages of a store name files and statements.
    if (error.code.startsWith("trp/store-")) {
      return errorReply(503, "store-unavailable", "The router's store can't serve at the moment.");
    }
    const status = statusOf(error.code);
    const message = status === 500 ? "Something went wrong in the router." : error.message;
    return errorReply(status, error.code, message);
  }
}

/** HTTP status of a {@link ToolglotError} code. */
function statusOf(code: string): number {
  if (code.endsWith("/approval-not-found")) return 404;
  if (/\/(?:approval-not-allowed|approval-own-request|not-allowed)$/.test(code)) return 403;
  if (/\/(?:approval-not-pending|not-in-doubt)$/.test(code)) return 409;
  return code.startsWith("trp/") ? 409 : 500;
}

class BadRequest extends Error {}

/** An approval as the API shows it: the record, and how the router puts it in words. */
function shown(router: Router, approval: ApprovalRecord): Record<string, unknown> {
  return { ...approval, text: router.approvals.render(approval) };
}

async function list(router: Router, who: Principal, query: URLSearchParams): Promise<HttpReply> {
  const status = query.get("status");
  if (status !== null && !statuses.includes(status)) {
    throw new BadRequest(`status must be one of ${statuses.join(", ")}`);
  }
  const before = query.get("before");
  const filter = {
    ...(status === null ? {} : { status: status as ApprovalStatus }),
    ...(before === null ? {} : { before }),
    ...limitOf(query),
  };
  const approvals = await router.approvals.list(who, filter);
  const texts: Record<string, unknown>[] = [];
  for (const [at, approval] of approvals.entries()) {
    // Putting many into words takes a while, and others wait.
    if (at % 25 === 24) await new Promise((resolve) => setTimeout(resolve));
    texts.push(shown(router, approval));
  }
  return jsonReply(200, { approvals: texts });
}

function limitOf(query: URLSearchParams): { limit?: number } {
  const text = query.get("limit");
  if (text === null) return {};
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new BadRequest("limit must be a whole number from 1 to 9999");
  return { limit: Number(text) };
}

async function read(router: Router, who: Principal, id: string): Promise<HttpReply> {
  const approval = await router.approvals.read(who, id);
  if (approval === undefined) return errorReply(404, "trp/approval-not-found", "There is no such approval.");
  return jsonReply(200, { approval: shown(router, approval) });
}

async function decide(
  router: Router,
  who: Principal,
  verb: "approve" | "deny",
  id: string,
  body: unknown,
): Promise<HttpReply> {
  const comment = body === undefined ? undefined : objectOf(body, ["comment"]).comment;
  if (comment !== undefined && comment !== null && (typeof comment !== "string" || comment.length > 2000)) {
    throw new BadRequest("comment must be text of at most 2000 characters");
  }
  const approval = await router.approvals[verb](who, id, comment ?? undefined);
  return jsonReply(200, { approval: shown(router, approval) });
}

async function inDoubt(router: Router, who: Principal, query: URLSearchParams): Promise<HttpReply> {
  const operations = await router.operations.inDoubt(who, limitOf(query).limit);
  return jsonReply(200, { operations });
}

async function resolve(router: Router, who: Principal, body: unknown): Promise<HttpReply> {
  const { scope, key, result } = objectOf(body, ["scope", "key", "result"]);
  if (typeof scope !== "string" || typeof key !== "string") throw new BadRequest("scope and key must be text");
  await router.operations.resolve(who, { scope, key }, resolution(result));
  return jsonReply(200, { resolved: { scope, key } });
}

function resolution(result: unknown): Parameters<Router["operations"]["resolve"]>[2] {
  const { state, value, message } = objectOf(result, ["state", "value", "message"]);
  if (state === "done") return { state, value: (value ?? null) as JsonValue };
  if (state === "failed" && typeof message === "string" && message !== "") return { state, message };
  if (state === "not-applied") return { state };
  throw new BadRequest(
    'result must be { "state": "done", "value": … }, { "state": "failed", "message": "…" } or { "state": "not-applied" }',
  );
}

function objectOf(value: unknown, keys: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new BadRequest(`the body must be an object with ${keys.join(", ")}`);
  }
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new BadRequest(`unknown field; there are ${keys.join(", ")}`);
  return value as Record<string, unknown>;
}
