import type {
  ApprovalRequest,
  CallHooks,
  ExecutorContext,
  JsonObject,
  JsonValue,
  ModelPart,
  ToolResult,
  Usage,
} from "@toolglot/core";
import { CallGuard } from "@toolglot/core/check-call";
import { checkKeys, defined, errorText, onAbort } from "@toolglot/internal";
import { hostHooks } from "../hooks/host-hooks.ts";
import { contextOf, expectedCalls, failAll } from "../loop/act.ts";
import { newDraft, take } from "../loop/answer.ts";
import { decisionOf } from "../loop/approvals.ts";
import { receive } from "../loop/model-stream.ts";
import { Run } from "../loop/run.ts";
import { readTools } from "../loop/show-tools.ts";
import type { AgentOptions } from "../options.ts";
import { canonicalJson, plainJson } from "../plain-json.ts";
import { toSettings } from "../settings.ts";
import { checkStopped } from "../stop.ts";
import type { RunOptions } from "../types.ts";
import { callStepOnce } from "./call-step-once.ts";
import type { StepInputs, StepValue, StepValues } from "./step-values.ts";
import type { AgentStep } from "./types.ts";

/** Names a question, so that a decision about it counts for nothing else. */
export const askedKey = ({ kind, callId, tool, input }: ApprovalRequest): string =>
  canonicalJson([callId, kind, tool ?? null, input ?? null]);

/**
 * Carries a step out, for engines whose steps are registered functions without closures. `options`: those of the agent, which may lack
 * `steps` here; tools, models and hooks are needed here alone. Events of the step go to its `onEvent`. Resolves to what `run` of the engine is to
 * resolve to. Rejects with `TypeError` for what is no step, and with `OnceError` where the engine should try again.
 *
 * @example
 * ```ts
 * const agentStep = (step: AgentStep) => performStep(options, step); // an activity
 * ```
 */
export async function performStep(
  options: AgentOptions,
  step: AgentStep,
  { signal }: Pick<RunOptions, "signal"> = {},
): Promise<JsonValue> {
  const { name, kind, input } = Object(step) as Pick<AgentStep, "name" | "kind"> & { input: JsonObject };
  checkKeys("performStep", { name, kind, input }, 'name:text kind:"model"|"call"|"wait" input:object');
  const { runId, stepIndex, model } = Object(input) as Partial<StepInputs["model"]> & {
    runId?: unknown;
    stepIndex?: unknown;
  };
  if (typeof name !== "string" || typeof runId !== "string" || typeof stepIndex !== "number")
    throw new TypeError("performStep: this is no step of a run. Pass on the step that steps.run was given.");
  const { steps, ...rest } = options;
  checkKeys("performStep", { steps }, "steps:{run}");
  const settings = toSettings(rest);
  if (model !== undefined && canonicalJson(model) !== canonicalJson(settings.model.info ?? null))
    throw new TypeError(
      `performStep: prepareStep gave this step another model. Pass the one with the info ${JSON.stringify(model)} as model.`,
    );
  const { action } = input as Partial<StepInputs["call"]>;
  // The loop has looked at these calls where it was: what it let through, nobody is to take for damaged here.
  const guard = settings.checkCalls === "off" ? undefined : new CallGuard({ mode: "report" });
  if (action?.kind === "calls") for (const call of action.calls) guard?.check(call);
  const run = new Run(settings, { runId, messages: [] });
  run.stepIndex = stepIndex;
  run.parts = [hostHooks(run)];
  readTools(run);
  run.step = run.ownStep();
  const stopListening = onAbort(signal, () => run.requestStop({ cause: "signal" }));
  try {
    return await perform(run, step);
  } finally {
    stopListening();
    run.deadline.close();
  }
}

/** Carries a step out, with the run's events. */
export async function perform(run: Run, { name, input }: AgentStep): Promise<JsonValue> {
  const began = performance.now();
  const task = name.slice(0, name.indexOf(":"));
  const made = await (task === "model"
    ? askModel(run, input as never)
    : task === "compact"
      ? compact(run, input as never)
      : task === "call"
        ? makeCall(run, name, input as never)
        : askHost(run, input as never));
  const { runId } = run;
  const value: StepValue = { runId, name, ms: Math.round(performance.now() - began), ...made };
  return plainJson(value) as unknown as JsonValue;
}

async function askModel(run: Run, { request }: StepInputs["model"]): Promise<StepValues["model"]> {
  const shown = newDraft(run, "shown");
  const parts: ModelPart[] = [];
  const asked = { ...request, messages: [...request.messages], ...(request.tools && { tools: [...request.tools] }) };
  const fault = await receive(run, asked, shown, (...given) => {
    keepPart(parts, given[2]);
    take(...given);
  });
  shown.parser.end(fault ? { finish: "error" } : shown.end);
  return { parts, ...defined({ fault }) };
}

/** Adds a part: neighbouring texts are one, and pieces of what comes whole later are none. */
function keepPart(parts: ModelPart[], part: ModelPart): void {
  const last = parts.at(-1);
  if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
  else if (typeof part === "string" || part.type !== "call-delta") parts.push(part);
}

async function compact(run: Run, input: StepInputs["compact"]): Promise<StepValues["compact"]> {
  const used: Usage[] = [];
  const report = (usage: Usage): void => void used.push(usage);
  try {
    const messages = await run.settings.context.compact({ ...input, signal: run.signal, report });
    return { messages, used };
  } catch (error) {
    checkStopped(run.signal);
    return { messages: [], used, flaw: errorText(error) };
  }
}

async function askHost(run: Run, { request }: StepInputs["wait"]): Promise<StepValues["wait"]> {
  return { decision: await decisionOf(run, request) };
}

async function makeCall(run: Run, name: string, input: StepInputs["call"]): Promise<StepValues["call"]> {
  const { action, known, decisions } = input;
  const { executor } = run.settings;
  const over = new Set(known.map(({ callId }) => callId));
  const asked: ApprovalRequest[] = [];
  const state = { open: true };
  // A program that can't go on later is not left: it waits for its decisions within the step.
  const waitsHere = action.kind === "code" && executor.resumes?.(action) !== true;
  const context: ExecutorContext = {
    ...contextOf(run, action, state),
    async approve(given) {
      const request = plainJson(given);
      const decision = decisions[askedKey(request)];
      if (decision ?? waitsHere) return decision ?? (await decisionOf(run, request));
      asked.push(request);
      return { approved: false, reason: run.wording.decidesLater, later: true };
    },
    hooks: hooksOf(run, known, over, () => state.open),
  };
  const make = async (): Promise<StepValues["call"]> => {
    try {
      const results = plainJson(await executor.execute(action, context));
      if (!Array.isArray(results)) throw new TypeError("execute() must give an array of results");
      const ended = executor.honoursHooks ? [] : results.filter(({ status }) => status !== "pending");
      return { results, over: [...over, ...ended.map(({ callId }) => callId)], asked };
    } catch (error) {
      if (!run.signal.aborted) run.warn("agent/executor-failed", `The executor failed: ${errorText(error)}`);
      throw error;
    } finally {
      state.open = false;
    }
  };
  const { once } = run.settings;
  if (once) return callStepOnce(run, once, { name, action }, make);
  return make().catch((error: unknown) => {
    if (run.signal.aborted) throw error;
    const fault = { type: "ExecutorFault", message: run.wording.executorFailed };
    return { results: failAll(expectedCalls(action), fault), over: [], asked: [] };
  });
}

/** Returns the hooks of a step's calls: those of the host. What is known is not done again, and what has ended is noted. */
function hooksOf(run: Run, known: readonly ToolResult[], over: Set<string>, isOpen: () => boolean): CallHooks {
  const [beforeCall, afterCall] = [run.first("beforeCall"), run.first("afterCall")];
  const check = (): void => {
    if (!isOpen()) throw new Error("The action has ended.");
  };
  return {
    async settled({ id }) {
      check();
      return known.find(({ callId }) => callId === id);
    },
    ...(beforeCall && {
      async beforeCall(...given) {
        check();
        return beforeCall(...given, isOpen);
      },
    }),
    async startCall() {
      check();
    },
    async afterCall(...given) {
      const shown = afterCall && (await afterCall(...given, isOpen));
      check();
      over.add(given[0].id);
      return shown;
    },
  };
}
