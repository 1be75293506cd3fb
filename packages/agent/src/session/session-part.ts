import { type ApprovalRequest, type Decision, ToolglotError, type ToolResult } from "@toolglot/core";
import { failure } from "@toolglot/core/executing";
import { expectedCalls } from "../loop/act.ts";
import { isDenial } from "../loop/approvals.ts";
import type { Part } from "../loop/part.ts";
import type { Run } from "../loop/run.ts";
import { canonicalJson } from "../plain-json.ts";
import { askedAbout, fingerprintOf, toDecision } from "./decisions.ts";
import { type Restored, readLog } from "./restore.ts";
import type { Asked, LaterDecision, ResumeOptions } from "./types.ts";

/** A run that this process has taken over. */
export interface Resumed {
  runId: string;
  restored: Restored;
  lines: string[];
  owner: string;
  options: ResumeOptions;
}

/** Continues a run as an earlier process has left it: with its sums, and with the calls and decisions of its open answer. */
export function sessionPart(run: Run, { restored, options }: Resumed): Part {
  restore(run, restored);
  /** The answer whose actions this process found under way, until they are over. */
  let { open } = restored;

  /** Returns a decision of the caller about this very request. */
  async function bound(request: ApprovalRequest, given: LaterDecision): Promise<Decision | undefined> {
    const { callId } = request;
    const fingerprint = await fingerprintOf(request);
    const asked = restored.pending.find((one) => one.callId === callId);
    if ((given.fingerprint ?? asked?.fingerprint) === fingerprint) return toDecision(callId, given);
    run.warn(
      "agent/decision-refused",
      `The decision about the call ${callId} was made about another tool or input: it does not count, and is asked for again.`,
    );
    return undefined;
  }

  return {
    async settle({ id: callId, name }, mayRepeat) {
      if (open === undefined) return undefined;
      const saved = open.ended.get(callId);
      if (saved) {
        run.ended.add(callId);
        return saved;
      }
      if (!open.started.has(callId)) return undefined;
      const given = options.settle?.[callId];
      if (given === "rerun" || (given === undefined && mayRepeat)) return undefined;
      const named = name === undefined ? { callId } : { callId, name };
      const result: ToolResult = given ?? {
        ...named,
        ...failure({ type: "InDoubt", message: run.wording.inDoubt }),
      };
      if (given === undefined) run.emit({ type: "call-in-doubt", stepIndex: run.stepIndex, ...named });
      open.ended.set(callId, result);
      run.ended.add(callId);
      await run.log.add({ type: "call-end", callId, result });
      return result;
    },
    keptDecision(request) {
      if (open === undefined) return undefined;
      const { callId } = request;
      const kept = restored.decisions.find((one) => one.callId === callId && isSameRequest(one.asked, request));
      // The sums that the run continues from are from before.
      if (kept && isDenial(kept.decision) && restored.from === "action") run.denied += 1;
      return kept?.decision;
    },
    decide(request) {
      const given = open && options.decisions?.[request.callId];
      return given && bound(request, given);
    },
    afterStep() {
      open = undefined;
    },
  };
}

function restore(run: Run, { counts, text, past, open, messages, results, steps, ...saved }: Restored): void {
  const { usage, own, turns, tokens, denied, nextCall } = counts;
  run.results.push(...results);
  run.steps.push(...steps);
  Object.assign(run.usage, usage);
  Object.assign(run, { turns, tokens, denied, nextCall, ...(own && { own: { ...own } }) });
  Object.assign(run, { stepIndex: saved.stepIndex, lastText: text, lastResults: saved.lastResults });
  for (const { parts } of messages) for (const part of parts) if (part.type === "call") run.callIds.add(part.call.id);
  const actions = [...past.map(({ action }) => action), ...(open?.actions ?? [])];
  for (const { callId } of actions.flatMap(expectedCalls)) run.callIds.add(callId);
}

/** Explains a fault of the store: of a run that could not begin, because there is one of its name, its state. */
export async function explainFault({ runId, settings, log }: Run, error: unknown): Promise<unknown> {
  if (log.stored > 0 || !ToolglotError.isInstance(error) || error.code !== "agent/session-busy") return error;
  try {
    const texts = await settings.sessions?.read(runId);
    return texts ? runExists(runId, readLog(texts).restored) : error;
  } catch {
    return error;
  }
}

/** Whether both are about the same: the tool with this input, in whatever order its keys are. */
function isSameRequest(one: Asked, other: Asked): boolean {
  return canonicalJson(askedAbout(one)) === canonicalJson(askedAbout(other));
}

/** Returns the error of a run whose id another one has. */
function runExists(runId: string, { ended, from }: Restored): ToolglotError {
  const open = from === "approval" ? "waits for decisions" : "has not ended, and may be under way elsewhere";
  const state = ended ? "has ended: give" : `${open}: agent.resume goes on with it. Give`;
  const message = `There is a run ${JSON.stringify(runId)} already, which ${state} another runId, or none.`;
  return new ToolglotError(ended ? "agent/session-ended" : "agent/session-busy", message, {
    data: { runId, ...ended },
  });
}
