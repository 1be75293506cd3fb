import { type ToolErrorInfo, ToolglotError, type ToolResult, toJsonText } from "@toolglot/core";
import { failure as failed, interrupted } from "@toolglot/core/executing";
import { defined } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";
import { needsKey } from "../catalog-view.ts";
import { mayHaveRun } from "../errors.ts";
import type { CallError, CallResult } from "../types.ts";

/** What a call came to, without its id. */
export type Ending = Omit<ToolResult, "callId">;

/** An error for the model, its hint included. */
export function failure(name: string, error: ToolErrorInfo): Ending {
  return { name, ...failed(error, error.hint === undefined ? error.message : `${error.message}\n${error.hint}`) };
}

/** A call's outcome in core's words. `UNKNOWN` of something that changes is `in-doubt`. */
export function toEnding(row: AliasRow, outcome: CallResult): Ending {
  const { callId: trpCallId, key: idempotencyKey, replayedFrom, replayedAt } = outcome;
  const metadata = { trpCallId, ...defined({ idempotencyKey, replayedFrom, replayedAt }) };
  const replayed = replayNote(outcome);
  if (outcome.status === "success" && outcome.result !== undefined) {
    const { summary, data, artifacts, warnings } = outcome.result;
    // First what is easily taken for something else: a repeated success looks like a second one.
    const shown = {
      ...(replayed === undefined ? {} : { replayed }),
      summary,
      ...(data === null ? {} : { data }),
      ...(artifacts.length === 0 ? {} : { artifacts }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    // The text holds everything, because providers' own formats pass on nothing else.
    return {
      name: row.name,
      status: "ok",
      content: [{ type: "text", text: toJsonText(shown) }],
      data: shown,
      metadata,
    };
  }
  const error = outcome.error as CallError;
  if (error.errorClass === "APPROVAL_REQUIRED") return { ...waiting(row, error), metadata };
  const message = replayed === undefined ? error.message : `${replayed} ${error.message}`;
  const info = { type: error.errorClass, message, ...(error.fix === "" ? {} : { hint: error.fix }) };
  const status =
    outcome.status === "unknown" && needsKey(row)
      ? "in-doubt"
      : error.errorClass === "POLICY_DENIED" && outcome.status === "refused"
        ? "denied"
        : "error";
  return { ...failure(row.name, info), status, metadata: { ...metadata, trpCode: error.code } };
}

/** Returns the note that an outcome repeats an earlier call's, with its time, and that nothing was done now; else undefined. */
export function replayNote({ status, replayedFrom, replayedAt }: CallResult): string | undefined {
  if (replayedFrom === undefined || status === "unknown") return undefined;
  // Without a valid time, the note has none.
  const time = replayedAt === undefined ? null : new Date(replayedAt).toJSON();
  const when = time === null ? "before" : `at ${time}`;
  const what = status === "success" ? "The same call was done" : "The same call failed";
  return `Nothing was done now. ${what} ${when}, and this is its outcome.`;
}

/** The result of a call that waits for a person's decision. */
function waiting(row: AliasRow, error: CallError): Ending {
  const { approval_id: approvalId } = error.retryHint;
  const text = `The call of ${row.name} waits for approval. It was not run. Don't repeat it; say that it waits.`;
  return {
    name: row.name,
    status: "pending",
    content: [{ type: "text", text }],
    data: { waits_for: "approval", ...(approvalId === undefined ? {} : { approval_id: approvalId }), note: text },
  };
}

/** Returns a call without an answer: in doubt, when it may have changed something. */
export function toLost(row: AliasRow, error: unknown, isAborted: boolean): Ending {
  const isKnown = ToolglotError.isInstance(error);
  if (mayHaveRun(error) && needsKey(row)) {
    const message = `No answer came to the call of ${row.name}: it is not known whether it took effect. Find out before you call it again.`;
    return failure(row.name, { type: "InDoubt", message });
  }
  if (isAborted) return failure(row.name, interrupted);
  const message = isKnown ? error.message : "The router could not be asked.";
  return failure(row.name, {
    type: "RouterUnavailable",
    message,
    hint: "Nothing was changed. Try again later.",
  });
}
