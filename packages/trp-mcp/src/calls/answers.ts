import type { JsonObject, JsonValue } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { McpCallResult } from "@toolglot/toolkit";
import type { TrpCode } from "@toolglot/trp-core/frames";
import type { CallFault } from "../import/call-fault.ts";
import type { ApprovalQuestion, Outcome, ToolAnswer } from "../types.ts";

/** The member of `_meta` that every result has. */
export const outcomeMeta = "toolglot/outcome";

/** What an answer is made of when the server gave none: what happened, and what to do. */
export interface OutcomeWords {
  message: string;
  fix?: string | undefined;
}

/** What an answer needs besides its words. */
export type OutcomeFacts = Omit<Outcome, "fix">;

/** An answer of ours in place of a server's: one text with what happened, whether anything was executed, and what to do. */
export function outcomeAnswer(
  facts: OutcomeFacts,
  { message, fix }: OutcomeWords,
  question?: ApprovalQuestion,
): ToolAnswer {
  const executed = facts.dispatched || facts.status === "unknown" ? "" : nothing(message);
  const text = [sentence(message), executed, fix].filter(Boolean).join(" ");
  const outcome: Outcome = { ...facts, ...(fix && { fix }) };
  const result = { content: [{ type: "text", text }], isError: true };
  return { ...answerOf(result, outcome), ...(question && { question }) };
}

/** The server's own answer, with the outcome in its `_meta`. */
export function answerOf(result: McpCallResult, outcome: Outcome): ToolAnswer {
  const given = (result as { _meta?: unknown })._meta;
  const _meta = { ...(isObject(given) ? (given as JsonObject) : {}), [outcomeMeta]: outcome as unknown as JsonObject };
  return { result: { ...result, _meta }, outcome };
}

/** A kept answer once more, with words before it that say so. */
export function replayed(kept: McpCallResult, outcome: Outcome): ToolAnswer {
  const when = outcome.doneAt === undefined ? "" : ` at ${outcome.doneAt}`;
  const text =
    `Already done${when} by this caller with these arguments; this is that result. Nothing was done now. ` +
    `To do it once more: toolglot_again ${JSON.stringify({ receipt: outcome.receipt })}`;
  return answerOf({ ...kept, content: [{ type: "text", text }, ...(kept.content ?? [])] }, outcome);
}

/** What a router has kept of a result, as a result. */
export function keptResult(data: JsonValue | undefined): McpCallResult {
  if (isObject(data) && Array.isArray(data.content)) return data as unknown as McpCallResult;
  return { content: [{ type: "text", text: typeof data === "string" ? data : JSON.stringify(data ?? null) }] };
}

/** What to do about a code, for a caller who has no keys and no frames: only a tool, and its arguments. */
export function fixOf(
  code: string | undefined,
  fix: string,
  { inDoubt, fate }: { inDoubt?: string | undefined; fate?: CallFault["fate"] | undefined },
): string {
  if (code === "TRP_3002" && fate === "refused") return "It had no effect. Correct the call, or take another way.";
  switch (code as TrpCode) {
    case "TRP_3001":
    case "TRP_3003":
      return "Call again with the same arguments to get its outcome.";
    case "TRP_3004": {
      const where = inDoubt === undefined ? "with `toolglot gateway in-doubt`" : `at ${inDoubt}`;
      return `Don't repeat it: the same call gets this answer until somebody settles it. An approver settles it ${where}; find out by other means whether it happened.`;
    }
    case "TRP_4004":
      return "Don't call again with other arguments. Ask the user if those of the first call were wrong.";
    case "TRP_4005":
      return "Find out by other means whether it was done.";
    default: {
      const said = fix
        .replace(/,? (?:with|under) (?:the same|a new|an?) idempotency_key/g, "")
        .replace("Wait for retry_hint.backoff_ms", "Wait a little")
        .replace("send the frame again", "call again");
      return /\bframes?\b|\b(?:retry_hint|call_id|cap_id|timeout_ms|idempotency_key|seq)\b/.test(said)
        ? "Call again."
        : said;
    }
  }
}

function nothing(message: string): string {
  return /nothing (?:of it )?was (?:executed|started)/i.test(message) ? "" : "Nothing was executed.";
}

/** Returns a text as a sentence. */
export function sentence(text: string): string {
  return /[.!?)»]$/.test(text) ? text : `${text}.`;
}
