import type { ApprovalRequest, Decision } from "@toolglot/core";
import { isToolResult } from "@toolglot/core/executing";
import { checkKeys, describeValue, isObject, textDigest } from "@toolglot/internal";
import { canonicalJson } from "../plain-json.ts";
import type { Asked, LaterDecision, ResumeOptions } from "./types.ts";

/** Returns what two requests have in common that are about the same. */
export const askedAbout = ({ kind, tool, input }: Asked): unknown[] => [kind, tool ?? null, input ?? null];

/** Resolves to a SHA-256 over what is asked about, in whatever order the keys of its input are. */
export function fingerprintOf(asked: Asked): Promise<string> {
  return textDigest(canonicalJson(askedAbout(asked)));
}

/** Checks decisions and settlements. Throws `TypeError` for one that is none, or that has no fingerprint and needs one. */
export function checkDecisions(
  { decisions = {}, settle = {}, allowUnbound = false }: ResumeOptions,
  pending: readonly ApprovalRequest[],
): void {
  for (const [callId, given] of Object.entries(settle)) {
    if (given !== "rerun" && !isToolResult(given))
      throw new TypeError(`resume: settle.${callId} must be "rerun" or a tool's result, not ${describeValue(given)}.`);
  }
  for (const [callId, given] of Object.entries(decisions)) {
    const what = `resume: decisions.${callId}`;
    if (!isObject(given))
      throw new TypeError(`${what} must be { approved, fingerprint }, not ${describeValue(given)}.`);
    checkKeys<Record<string, unknown>, string>(
      what,
      given as Record<string, unknown>,
      "approved:boolean reason:string by:string fingerprint:text result:object",
    );
    const isExternal = pending.some((one) => one.callId === callId && one.kind === "external-call");
    const { approved, result, fingerprint } = given as Partial<Decision>;
    if (result !== undefined ? approved === true : approved === undefined || (approved && isExternal)) {
      const taken = isExternal ? "result, or approved: false" : "approved, true or false, or result";
      throw new TypeError(`${what} must have ${taken}, not ${describeValue(given)}.`);
    }
    if (result !== undefined && !isToolResult(result)) {
      throw new TypeError(
        `${what}.result must be a tool's result: { status: "ok", content: [{ type: "text", text }] }.`,
      );
    }
    if (fingerprint === undefined && !allowUnbound) {
      throw new TypeError(
        `${what} must have the fingerprint of the request that was decided about, as pending has it; without it only with allowUnbound: true.`,
      );
    }
  }
}

/** Returns a decision as executors take it: those that know of no results from elsewhere deny the call. */
export function toDecision(callId: string, { fingerprint: _, ...given }: LaterDecision): Decision {
  return "result" in given ? { ...given, approved: false, result: { ...given.result, callId } } : given;
}
