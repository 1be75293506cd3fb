import { type JsonObject, type ToolContext, ToolError } from "@toolglot/core";
import { defined, isObject, wholeResult } from "@toolglot/internal";
import type { AliasRow, ShapedResult } from "@toolglot/trp-core/frames";
import { mayHaveRun } from "../errors.ts";
import { needsApproval, type OpenKeys } from "../open-keys.ts";
import { captureTrace } from "../tracing-of.ts";
import type { CallResult, TrpClient } from "../types.ts";
import { readRouterInput } from "./router-input.ts";
import { type RouterApprovals, RowCall } from "./row-call.ts";
import { replayNote, toEnding, toLost } from "./to-tool-result.ts";

/** What the calls of a program have in common. */
export interface ProgramSettings {
  runId: string;
  traceId?: string;
  timeoutMs?: number;
  approvals?: RouterApprovals;
}

const reader = "cap.trp.artifact.read.v1";

/** The calls of one program. */
export class ProgramCalls {
  readonly #client: TrpClient;
  readonly #rows: readonly AliasRow[];
  readonly #options: ProgramSettings;
  readonly #open: OpenKeys;
  readonly #inTrace: ReturnType<typeof captureTrace>;

  constructor(client: TrpClient, rows: readonly AliasRow[], options: ProgramSettings, open: OpenKeys) {
    this.#client = client;
    this.#rows = rows;
    this.#options = options;
    this.#open = open;
    this.#inTrace = captureTrace(client);
  }

  async call(row: AliasRow, args: JsonObject, context: ToolContext): Promise<unknown> {
    return (await this.#all([{ row, args }], context))[0]?.();
  }

  async callByName(input: unknown, context: ToolContext): Promise<unknown> {
    const { row, args } = this.#meant(input);
    return await this.call(row, args, context);
  }

  /** Returns each call's value, or why there is none. */
  async batch(input: unknown, context: ToolContext): Promise<unknown> {
    const { calls } = input as { calls?: unknown };
    if (!Array.isArray(calls) || calls.length > 256) throw new ToolError("calls must be a list of at most 256 calls.");
    const values = await this.#all(
      calls.map((call) => this.#meant(call)),
      context,
    );
    return values.map((value) => {
      try {
        return { ok: true, value: value() };
      } catch (error) {
        const { message, data } = error as ToolError;
        return { ok: false, error: message, ...data };
      }
    });
  }

  #meant(input: unknown): { row: AliasRow; args: JsonObject } {
    const { name, args } = (isObject(input) ? input : {}) as { name?: unknown; args?: unknown };
    const read = readRouterInput({ name, args: args ?? {} }, this.#rows);
    const call = read.kind === "calls" ? read.calls[0] : undefined;
    if (call?.ok) return call;
    const { message } = call?.error ?? { message: "A call needs name and args." };
    throw new ToolError(message, { data: { executed: "no" } });
  }

  /** Returns the trace in which the program began: its calls belong to it. */
  #all(calls: readonly { row: AliasRow; args: JsonObject }[], context: ToolContext): Promise<(() => unknown)[]> {
    return this.#inTrace(() => this.#make(calls, context));
  }

  /**
   * Makes calls side by side, under keys of their own. Throws when one of them needs somebody: then it was not made,
   * and none is lost.
   */
  async #make(
    calls: readonly { row: AliasRow; args: JsonObject }[],
    { callId, signal, decision, note }: ToolContext,
  ): Promise<(() => unknown)[]> {
    const { runId, timeoutMs, traceId, approvals } = this.#options;
    // A sandbox numbers the calls of a program: `<program>:1`, `<program>:2`.
    const program = JSON.stringify([runId, callId.replace(/:\d+$/, "")]);
    const setting = { client: this.#client, open: this.#open, signal, timeoutMs, traceId };
    const ends = await Promise.all(
      calls.map(async ({ row, args }, index) => {
        const call = await RowCall.make(setting, row, args, [runId, callId, index], program);
        try {
          let outcome = await call.send();
          if (needsApproval(outcome) && decision && approvals) {
            const token = await call.decide(outcome, decision, approvals);
            if (token && decision.approved) outcome = await call.send(token);
          }
          // The value of a repeated effect looks like that of a second one.
          const replayed = replayNote(outcome);
          if (replayed !== undefined) note?.(replayed);
          return { row, outcome, value: await this.#value(row, outcome, signal) };
        } catch (error) {
          const { error: lost } = toLost(row, error, signal.aborted);
          const executed = mayHaveRun(error) ? "unknown" : "no";
          return { row, value: thrown(lost?.message ?? "", lost?.hint, { executed }) };
        }
      }),
    );
    const waiting = ends.filter(({ outcome }) => outcome && needsApproval(outcome));
    if (waiting.length > 0) {
      const message = waiting.map(({ row, outcome }) => outcome?.error?.message ?? row.name).join("\n");
      const ids = waiting.map(({ outcome }) => outcome?.error?.retryHint.approval_id);
      const approvalIds = ids.filter((id) => id !== undefined);
      const needs = approvals ? "approval" : "later";
      throw new ToolError(message, { data: { needs, code: "TRP_4002", executed: "no", approvalIds } });
    }
    return ends.map(({ value }) => value);
  }

  async #value(row: AliasRow, outcome: CallResult, signal: AbortSignal): Promise<() => unknown> {
    if (outcome.status !== "success" || outcome.result === undefined) {
      const { error } = toEnding(row, outcome);
      return thrown(error?.message ?? "", error?.hint, failureData(outcome));
    }
    const { result } = outcome;
    const whole = result.artifacts.length === 0 ? result : await this.#whole(result, signal);
    if (whole === undefined) return thrown("The call succeeded, but its whole result is no longer there.");
    return () => whole.data;
  }

  #whole(result: ShapedResult, signal: AbortSignal): Promise<ShapedResult | undefined> {
    return wholeResult(result, async (artifactId) => {
      const parts: string[] = [];
      for (let offset: unknown = 0; typeof offset === "number"; ) {
        const args = { artifact_id: artifactId, offset };
        const { result: read } = await this.#client.callByCap(reader, args, {
          signal,
          ...defined({ traceId: this.#options.traceId }),
        });
        const part = read?.data as { text?: string; next_offset?: number | null } | undefined;
        if (typeof part?.text !== "string") return undefined;
        parts.push(part.text);
        offset = part.next_offset;
      }
      return parts.join("");
    });
  }
}

/**
 * Returns what a program can decide by, as members of the error's `data`: the router's `code`, whether the capability was
 * `executed`, and the `approvalIds` that a call waits for.
 */
function failureData({ status, error }: CallResult): Record<string, unknown> {
  const { approval_id: approvalId } = error?.retryHint ?? {};
  return {
    ...defined({ code: error?.code }),
    executed: status === "refused" ? "no" : status === "unknown" ? "unknown" : "yes",
    ...(approvalId !== undefined && { approvalIds: [approvalId] }),
  };
}

function thrown(message: string, hint = "", data: Record<string, unknown> = {}): () => never {
  return () => {
    throw new ToolError(hint === "" ? message : `${message}\n${hint}`, { data });
  };
}
