import { contentText, type ToolContext } from "@toolglot/core";
import { type CallOutcome as CoreOutcome, failure, guardCall, undecided } from "@toolglot/core/executing";
import { copyJson, isObject } from "@toolglot/internal";
import { checkInput } from "./check-input.ts";
import { writeAnswer } from "./tools.ts";
import type { CallOutcome, PendingCall } from "./types.ts";

/** In place of an outcome: the call has none now, because the run is over, or the call waits for a decision. */
export const left: unique symbol = Symbol("left");

/** Steps that carry out a call. */
export interface GuardedSteps {
  /** Asks the host where that is needed; an outcome stands for the call. */
  decide(): Promise<CallOutcome | typeof left | undefined>;
  perform(): Promise<CallOutcome | typeof left>;
}

/** Carries out a call that fits its tool's schema, with the host's hooks around it. An input that a hook has changed is from then on the call's. */
export async function guarded(
  pending: PendingCall,
  { hooked, signal }: Pick<ToolContext, "hooked" | "signal">,
  steps: GuardedSteps,
): Promise<CallOutcome | typeof left> {
  const decide = async () => (await checkInput(pending)) ?? (await steps.decide());
  if (hooked?.hooks === undefined) return (await decide()) ?? steps.perform();
  const { call, program } = pending;
  const { callId: id, name, args: input } = call;
  const given = new Map<CoreOutcome, CallOutcome | typeof left>();
  const keep = (outcome: CallOutcome | typeof left): CoreOutcome => {
    const shown = outcome === left ? undecided(name) : toCore(outcome);
    given.set(shown, outcome);
    return shown;
  };
  const outcome = await guardCall<boolean>(
    { ...hooked, signal },
    { id, name, input, protocol: "sandbox" },
    {
      tool: program.tool,
      prepare(changed) {
        const isValid = isObject(changed);
        if (isValid && changed !== input) {
          call.args = changed;
          pending.input = copyJson(changed);
        }
        return { ready: isValid, isValid };
      },
      decide: async () => {
        const instead = await decide();
        return instead && keep(instead);
      },
      run: async (isValid) => keep(isValid ? await steps.perform() : notAnObject),
    },
  );
  return given.get(outcome) ?? fromCore(outcome);
}

const notAnObject: CallOutcome = {
  ok: false,
  type: "InvalidInput",
  message: "the arguments must be an object",
  isCertain: true,
};

function toCore(outcome: CallOutcome): CoreOutcome {
  if (!outcome.ok) return failure({ type: outcome.type, message: outcome.message });
  const { value = null, json } = outcome;
  return { status: "ok", content: [{ type: "text", text: typeof value === "string" ? value : json }], data: value };
}

/** Returns what a hook made of an outcome, or a call came to elsewhere, for the program. */
export function fromCore({ status, content, data, error }: CoreOutcome): CallOutcome {
  if (status === "ok") {
    const value = data === undefined ? contentText(content) : data;
    return { ok: true, value, ...writeAnswer(value) };
  }
  const type = error?.type ?? (status === "denied" ? "Denied" : "ToolError");
  return { ok: false, type, message: error?.message ?? contentText(content), isCertain: true };
}
