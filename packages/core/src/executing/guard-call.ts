import { defined, isObject, settleWithin, unsettled } from "@toolglot/internal";
import type { ExecutorContext } from "../action.ts";
import type { ToolCall, ToolResult } from "../call.ts";
import type { BeforeCallAnswer, CallHookContext } from "../call-hooks.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import {
  type CallOutcome,
  copyInput,
  denied,
  failure,
  interrupted,
  isToolResult,
  isUndecided,
  outcomeOf,
} from "./calls.ts";

/** Of an executor's context, what the hooks need. */
type Hooked = Pick<ExecutorContext, "hooks" | "signal" | "runId" | "stepIndex">;

/** How an executor carries one call out; `Ready` is what it makes of an input. */
export interface CallSteps<Ready> {
  /** What is known of the tool. */
  tool?: ToolDefinition | undefined;
  /** Checks an input. When it is not valid, `run` reports that: neither is the host asked, nor a hook. */
  prepare(input: unknown): Prepared<Ready> | Promise<Prepared<Ready>>;
  /** Asks the host, where that is needed. An outcome stands for the run. */
  decide?(ready: Ready): Promise<CallOutcome | undefined>;
  run(ready: Ready): Promise<CallOutcome>;
}

interface Prepared<Ready> {
  ready: Ready;
  isValid: boolean;
}

/**
 * Returns the result of a call that is known already: nothing is to be done with it, and nothing reported. Rejects with what the hook
 * threw.
 */
export async function settledResult(
  context: Hooked,
  call: ToolCall,
  tool?: ToolDefinition,
): Promise<ToolResult | undefined> {
  const known = await context.hooks?.settled?.(call, hookContext(context, tool));
  return known && { ...known, callId: call.id, name: call.name };
}

/** Carries a call out in the order of {@link CallHooks}, with one outcome. Rejects only with what the steps reject with. */
export async function guardCall<Ready>(context: Hooked, call: ToolCall, steps: CallSteps<Ready>): Promise<CallOutcome> {
  const first = await steps.prepare(call.input);
  if (context.hooks === undefined) return carryOut(first, steps, () => undefined);
  const guard = new Guard(context, call, steps.tool);
  let outcome: CallOutcome | undefined;
  let prepared = first;
  if (first.isValid) {
    const answer = await guard.before();
    if (answer && "outcome" in answer) outcome = answer.outcome;
    else if (answer) prepared = await steps.prepare(answer.input);
  }
  outcome ??= await carryOut(prepared, steps, () => guard.start());
  return isUndecided(outcome) ? outcome : guard.after(outcome);
}

async function carryOut<Ready>(
  { ready, isValid }: Prepared<Ready>,
  steps: CallSteps<Ready>,
  start: () => Promise<CallOutcome | undefined> | undefined,
): Promise<CallOutcome> {
  const instead = isValid ? ((await steps.decide?.(ready)) ?? (await start())) : undefined;
  return instead ?? steps.run(ready);
}

function hookContext({ runId, stepIndex, signal }: Hooked, tool: ToolDefinition | undefined): CallHookContext {
  return { runId, stepIndex, signal, ...defined({ tool }) };
}

const failed = (message: string): CallOutcome => failure({ type: "HookFailed", message });
const notRun = (): CallOutcome => failed("The call was not run, because of a fault on this side.");

/** The hooks around one call, failing closed. */
class Guard {
  readonly #context: Hooked;
  readonly #about: CallHookContext;
  #call: ToolCall;

  constructor(context: Hooked, call: ToolCall, tool: ToolDefinition | undefined) {
    this.#context = context;
    this.#about = hookContext(context, tool);
    this.#call = call;
  }

  /** Returns another input, or an outcome in place of the run. */
  async before(): Promise<{ input: unknown } | { outcome: CallOutcome } | undefined> {
    const { hooks, signal } = this.#context;
    if (hooks?.beforeCall === undefined || signal.aborted) return undefined;
    const copy = { ...this.#call, input: copyInput(this.#call.input) };
    let answer: BeforeCallAnswer | typeof unsettled;
    try {
      answer = await settleWithin(hooks.beforeCall(copy, this.#about), { signal });
    } catch {
      return { outcome: notRun() };
    }
    if (answer === undefined) return undefined;
    if (answer === unsettled) return { outcome: failure(interrupted) };
    if (isObject(answer) && "input" in answer) {
      this.#call = { ...this.#call, input: copyInput(answer.input) };
      return { input: this.#call.input };
    }
    if (isObject(answer) && "result" in answer && isToolResult(answer.result)) {
      return { outcome: outcomeOf(answer.result) };
    }
    if (isObject(answer) && "deny" in answer && typeof answer.deny === "string") {
      return { outcome: failure(denied(this.#call.name, { approved: false, reason: answer.deny })) };
    }
    // A hook that means something else than this must not have meant "go on".
    return { outcome: notRun() };
  }

  /** Returns an outcome when the call must not run. */
  async start(): Promise<CallOutcome | undefined> {
    const { hooks, signal } = this.#context;
    if (signal.aborted) return undefined;
    try {
      await hooks?.startCall?.(this.#call, this.#about);
      return undefined;
    } catch {
      return notRun();
    }
  }

  async after(outcome: CallOutcome): Promise<CallOutcome> {
    const { hooks } = this.#context;
    if (hooks?.afterCall === undefined) return outcome;
    const { id: callId, name } = this.#call;
    try {
      // Not cut off by an abort: what the hook has not seen to is not shown.
      const given = await hooks.afterCall(this.#call, { callId, name, ...outcome }, this.#about);
      if (given === undefined) return outcome;
      return isToolResult(given) ? outcomeOf(given) : hiddenOutcome();
    } catch {
      return hiddenOutcome();
    }
  }
}

/** Returns what a call comes to whose result `afterCall` could not see to. */
export const hiddenOutcome = (): CallOutcome =>
  failed("The call has run, but its result can't be shown, because of a fault on this side.");
