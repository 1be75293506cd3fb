import { type ApprovalRequest, type Decision, ToolglotError, type ToolResult } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { dropByDefault } from "../context/compaction.ts";
import { take } from "../loop/answer.ts";
import { toDecision } from "../loop/approvals.ts";
import { flawOf } from "../loop/model-parts.ts";
import type { Part } from "../loop/part.ts";
import type { Run } from "../loop/run.ts";
import type { Runnable } from "../loop/types.ts";
import { plainJson } from "../plain-json.ts";
import type { Settings } from "../settings.ts";
import { orStopped } from "../stop.ts";
import { toolOf } from "./call-step-once.ts";
import { askedKey, perform } from "./perform.ts";
import type { StepInputs, StepTask, StepValue, StepValues } from "./step-values.ts";
import type { AgentStep, StepEngine } from "./types.ts";

const kinds = { model: "model", compact: "model", call: "call", wait: "wait" } as const;

/** Returns the settings of one run of steps, with a clock of its own. */
export function withStepClock(settings: Settings): Settings {
  const stepClock = { ms: 0 };
  return { ...settings, stepClock, runtime: { ...settings.runtime, now: () => stepClock.ms } };
}

/** Has everything that a run takes from outside done in steps of an engine, one after another: what follows depends on their values alone. */
export function stepsPart(run: Run, engine: StepEngine): Part {
  const { approve, context, stepClock } = run.settings;
  const names = new Set<string>();
  let fault: { error: unknown } | undefined;

  function uniqueName(wanted: string): string {
    let name = wanted;
    for (let count = 2; names.has(name); count += 1) name = `${wanted}:${count}`;
    names.add(name);
    return name;
  }

  /** Ends the run, because the engine failed. */
  function fail(error: unknown): unknown {
    if (run.signal.aborted) return error;
    fault = { error };
    run.requestStop({ cause: "step" });
    return error;
  }

  async function step<Task extends StepTask>(
    task: Task,
    wanted: string,
    input: StepInputs[Task],
    isValue: (value: Partial<Record<keyof StepValues[Task], unknown>>) => boolean,
  ): Promise<StepValues[Task]> {
    const { runId, stepIndex } = run;
    const name = uniqueName(wanted);
    const about = plainJson({ name, kind: kinds[task], input: { runId, stepIndex, ...input } }) as unknown as AgentStep;
    try {
      const value = plainJson<unknown>(await engine.run(about, () => perform(run, about)));
      if (!isObject(value) || value.runId !== runId || value.name !== name || !isValue(value as never)) {
        const message = `The engine gave the step ${name} of the run ${runId} a value that is not its own: the workflow is not the one that was begun.`;
        throw new ToolglotError("agent/step-mismatch", message, { data: { runId, step: name } });
      }
      if (stepClock) stepClock.ms += Number((value as Partial<StepValue>).ms) || 0;
      return value as unknown as StepValues[Task];
    } catch (error) {
      throw fail(error);
    }
  }

  async function makeCalls(
    action: Runnable,
    ask: (request: ApprovalRequest) => Promise<Decision>,
  ): Promise<ToolResult[]> {
    const name = `call:${run.stepIndex}:${toolOf(run, action)}`;
    const decisions: Record<string, Decision> = {};
    for (let known: ToolResult[] = []; ; ) {
      const made = await step(
        "call",
        name,
        { action, known, decisions: { ...decisions } },
        ({ results, over, asked }) => [results, over, asked].every(Array.isArray),
      );
      const { results, over } = made;
      const open = made.asked.filter((request) => decisions[askedKey(request)] === undefined);
      // An executor that can't leave a call took the word for a denial: nothing of the call has run.
      const isLeft = ({ status }: ToolResult): boolean =>
        status === "pending" || (status === "denied" && action.kind === "calls");
      const waits = open.length > 0 && results.some(isLeft);
      for (const request of waits ? open : []) decisions[askedKey(request)] = await ask(request);
      if (!waits || open.every((request) => decisions[askedKey(request)]?.later)) {
        for (const id of over) run.ended.add(id);
        return results;
      }
      known = results.filter(({ callId }) => over.includes(callId));
    }
  }

  async function decide(request: ApprovalRequest): Promise<Decision> {
    const name = `approval:${request.callId}`;
    let decision: Decision | undefined;
    if (approve && request.kind !== "external-call") {
      const asked = step("wait", name, { request }, (value) => isObject(value.decision));
      ({ decision } = await orStopped(asked, run.signal));
    }
    if (engine.wait === undefined || (decision && !decision.later)) return decision ?? toDecision(run, "later");
    try {
      const given = await orStopped(engine.wait(name, { signal: run.signal }), run.signal);
      return given === undefined ? { approved: false, reason: run.wording.notDecided } : toDecision(run, given);
    } catch (error) {
      throw fail(error);
    }
  }

  return {
    async askModel(request, draft) {
      const { info: model } = run.step.model;
      const asked = step("model", `model:${run.stepIndex}`, { request, model }, ({ parts }) => isParts(parts));
      const { parts, fault: ofModel } = await orStopped(asked, run.signal);
      for (const part of parts) take(run, draft, part);
      return ofModel;
    },
    ...(context.compact !== dropByDefault && {
      async compact({ signal: _, report, ...input }) {
        const made = step("compact", `compact:${run.stepIndex}`, input, ({ messages, used }) =>
          [messages, used].every(Array.isArray),
        );
        const { messages, used, flaw } = await made;
        for (const one of used) report?.(one);
        if (flaw !== undefined) throw new Error(flaw);
        return messages;
      },
    }),
    async execute(action, { approve: ask }) {
      if (action.kind !== "calls") return makeCalls(action, ask);
      const results: ToolResult[] = [];
      for (const call of action.calls) {
        if (run.signal.aborted) break;
        results.push(...(await makeCalls({ ...action, calls: [call] }, ask)));
      }
      return results;
    },
    // A wish for a model's text comes in the middle of a step, and is decided there.
    decide: (request) =>
      request.kind === "sampling" || (engine.wait === undefined && approve === undefined) ? undefined : decide(request),
    fault: () => fault,
  };
}

const isParts = (parts: unknown): boolean => Array.isArray(parts) && parts.every((part) => flawOf(part) === undefined);
