import { nearest } from "@toolglot/core";
import type { BaseIssue } from "valibot";
import { describe, pathText } from "./describe.ts";
import { type Fault, fault } from "./fault.ts";
import { requestSchemas } from "./request-schemas.ts";
import type { TrpCode } from "./results.ts";
import type { RequestFrame } from "./types.ts";

/** Fields in which a client may have put a secret. Messages don't repeat their values. */
const secretFields: ReadonlySet<string | number> = new Set(["approval_token", "idempotency_key", "auth_context"]);

/** Codes of single fields; every other one's is TRP_2000 (in a batch TRP_2004). */
const codeOfField: Readonly<Record<string, TrpCode>> = { timeout_ms: "TRP_2002", depends_on: "TRP_2003" };
const codeOfQueryField: Readonly<Record<string, TrpCode>> = {
  call_id: "TRP_2005",
  after_event_id: "TRP_2006",
  include_partials: "TRP_2006",
};

/** Returns the fault for the first issue that a frame's schema has found. */
export function issueFault(type: RequestFrame["frame_type"], issue: BaseIssue<unknown>): Fault {
  const path = (issue.path ?? []).map(({ key }) => key as string | number);
  const where = path.length === 0 ? "frame" : pathText(path);
  const ofKey = issue.type === "strict_object" && issue.path?.at(-1)?.origin === "key";
  if (ofKey && issue.expected === "never") {
    return fault("TRP_2000", `${where}: ${type} has no such field${meantInstead(type, path)}`, {
      fix: `Leave ${where} out, and send the frame again.`,
    });
  }
  const missing = ofKey;
  const code = codeOf(type, path, missing);
  if (missing) return fault(code, `${where}: is missing`, { fix: `Add ${where} to the frame, and send it again.` });
  return fault(code, `${where}: expected ${issue.message}, got ${found(path, issue.input)}`);
}

function codeOf(type: RequestFrame["frame_type"], path: readonly (string | number)[], missing: boolean): TrpCode {
  if (path[0] !== "payload" || path.length === 1) return "TRP_2000";
  const names = path.filter((key) => typeof key === "string");
  if (type === "RESULT_QUERY_REQ") return codeOfQueryField[names[1] ?? ""] ?? "TRP_2000";
  if (type === "CALL_REQ") return (missing ? undefined : codeOfField[names[1] ?? ""]) ?? "TRP_2000";
  if (type === "CALL_BATCH_REQ") return (missing ? undefined : codeOfField[names[2] ?? ""]) ?? "TRP_2004";
  return "TRP_2000";
}

function found(path: readonly (string | number)[], input: unknown): string {
  const secret = path.some((key) => secretFields.has(key));
  if (secret && typeof input === "string") return `a string of ${input.length} characters`;
  if (typeof input === "string" && input.length > 256) return `a string of ${input.length} characters`;
  if (Array.isArray(input)) return `a list of ${input.length}`;
  return describe(input);
}

/** For an unknown field: the name that was probably meant. */
function meantInstead(type: RequestFrame["frame_type"], path: readonly (string | number)[]): string {
  let schema: SchemaParts | undefined = requestSchemas[type] as SchemaParts;
  for (const key of path.slice(0, -1)) schema = typeof key === "number" ? schema?.item : schema?.entries?.[key];
  const meant = nearest(String(path.at(-1)), Object.keys(schema?.entries ?? {}), 1)[0];
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** What an object schema is made of, or a list's. */
interface SchemaParts {
  entries?: Record<string, SchemaParts>;
  item?: SchemaParts;
}
