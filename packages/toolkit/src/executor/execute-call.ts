import {
  contentText,
  type ExecutorContext,
  requiresApproval,
  type ToolCall,
  type ToolDefinition,
  type ToolErrorInfo,
  type ToolResult,
  toJsonText,
} from "@toolglot/core";
import {
  type ApprovalQueue,
  type CallOutcome,
  CallReport,
  denied,
  guardCall,
  outsideOutcome,
  settledResult,
  undecided,
} from "@toolglot/core/executing";
import { defined, isObject, settleWithin, sleep, unsettled } from "@toolglot/internal";
import { shownValues } from "../call/prepare.ts";
import type { Prepared } from "../call/prepared.ts";
import { ToolResponse } from "../call/response.ts";
import { errorTypes } from "../errors.ts";
import type { Tasks } from "../tasks/tasks.ts";
import type { Toolkit } from "../toolkit.ts";
import type { CallOptions, ToolMiddleware } from "../types.ts";

/** Setting of a call, besides the executor's context. */
export interface CallSetting {
  approvals: ApprovalQueue;
  /** Where asynchronous tools run on. */
  tasks: Tasks;
  /** Values that are not text, and that the model did not write: resources and bytes. */
  given?: Readonly<Record<string, unknown>>;
  /** Extra attempts after a failure. */
  retry?: number;
  step?: number;
  /** Asked right before the tool runs: why it must not, or nothing. */
  begin?(): Promise<ToolErrorInfo | undefined>;
  /** The call waits for a decision that comes later. */
  onLater?(): void;
}

/** An input as the toolkit has read it: the call as it is run. */
interface Ready {
  call: ToolCall;
  prepared: Prepared;
}

/** Runs one call: validates, asks the host if need be, runs the tool or starts its task, with the host's hooks. Exactly one result. */
export async function executeCall(
  toolkit: Toolkit,
  call: ToolCall,
  context: ExecutorContext,
  setting: CallSetting,
): Promise<ToolResult> {
  const tool = toolkit.registered.get(call.name)?.definition;
  const known = await settledResult(context, call, tool);
  if (known) return known;
  const shown = setting.given && shownValues(setting.given);
  const whole = shown ? { ...call, input: { ...(call.input as object), ...shown } } : call;
  const report = new CallReport(context, whole);
  const run = new CallRun(toolkit, call, context, setting, report, shown);
  const outcome = await guardCall<Ready>(context, whole, {
    tool,
    prepare: (input) => run.prepare(input === whole.input ? call.input : input),
    decide: (ready) => run.decide(ready),
    run: (ready) => run.run(ready),
  });
  const { id: callId, name } = call;
  return { callId, name, ...outcome, metadata: { ...outcome.metadata, ms: report.end(outcome) } };
}

/** One call on its way. */
class CallRun {
  readonly #toolkit: Toolkit;
  readonly #original: ToolCall;
  readonly #context: ExecutorContext;
  readonly #setting: CallSetting;
  readonly #report: CallReport;
  readonly #shown: Readonly<Record<string, unknown>> | undefined;

  constructor(
    toolkit: Toolkit,
    original: ToolCall,
    context: ExecutorContext,
    setting: CallSetting,
    report: CallReport,
    shown: Readonly<Record<string, unknown>> | undefined,
  ) {
    this.#toolkit = toolkit;
    this.#original = original;
    this.#context = context;
    this.#setting = setting;
    this.#report = report;
    this.#shown = shown;
  }

  async prepare(input: unknown): Promise<{ ready: Ready; isValid: boolean }> {
    const { signal } = this.#context;
    const [call, given] = this.#read(input);
    const preparing = await settleWithin(this.#toolkit.prepareCall(call, given), { signal });
    // Stopped: the run below ends at once, as interrupted.
    const prepared: Prepared = preparing === unsettled ? { ok: false, error: { type: "", message: "" } } : preparing;
    return { ready: { call, prepared }, isValid: prepared.ok && !signal.aborted };
  }

  /** Reads an input that a hook has changed: the call, and what it left of the values that are no JSON. */
  #read(input: unknown): [call: ToolCall, given: CallSetting["given"]] {
    const { given } = this.#setting;
    if (input === this.#original.input) return [this.#original, given];
    const call = { ...this.#original, input };
    const shown = this.#shown;
    if (given === undefined || shown === undefined || !isObject(input)) return [call, undefined];
    const isKept = (name: string): boolean =>
      Object.hasOwn(shown, name) && Object.hasOwn(input, name) && toJsonText(input[name]) === toJsonText(shown[name]);
    const rest = Object.entries(input).filter(([name]) => !isKept(name));
    const kept = Object.entries(given).filter(([name]) => isKept(name));
    return [{ ...call, input: Object.fromEntries(rest) }, kept.length > 0 ? Object.fromEntries(kept) : undefined];
  }

  async decide({ prepared }: Ready): Promise<CallOutcome | undefined> {
    if (!prepared.ok) return undefined;
    const { definition } = prepared.tool;
    const isExternal = definition.external === true;
    if (!isExternal && !requiresApproval(definition)) return undefined;
    const { id: callId, name } = this.#original;
    const kind = isExternal ? ("external-call" as const) : ("tool-call" as const);
    const question = { kind, callId, name, input: prepared.asked, reason: reasonToAsk(definition) };
    const decision = await this.#setting.approvals.ask(this.#context, question);
    this.#report.restart();
    const outside = outsideOutcome(decision);
    if (outside) return outside;
    if (this.#context.signal.aborted || (decision?.approved === true && !isExternal)) return undefined;
    if (decision?.later) {
      this.#setting.onLater?.();
      return undecided(name);
    }
    const error = denied(name, decision);
    const metadata = defined({ deniedBy: decision?.by });
    return this.#outcome(new ToolResponse({ content: error.message, status: "denied", error, metadata }));
  }

  async run({ call, prepared }: Ready): Promise<CallOutcome> {
    const { signal, wait, hooks, runId, stepIndex } = this.#context;
    const hooked = hooks && { hooks, runId, stepIndex };
    const { step, begin, retry } = this.#setting;
    const { requestId } = call;
    const obstacle = prepared.ok && !signal.aborted ? await begin?.() : undefined;
    if (obstacle) return this.#outcome(new ToolResponse({ content: `Error: ${obstacle.message}`, error: obstacle }));
    if (prepared.ok && prepared.tool.definition.annotations?.async && !signal.aborted) {
      const taskId = this.#setting.tasks.start({
        call,
        step,
        requestId,
        runId,
        run: (own) => this.#toolkit.runPrepared(prepared, call, { signal: own, runId, ...defined({ step, hooked }) }),
        toResult: (response) => ({ callId: call.id, name: call.name, ...this.#outcome(response) }),
      });
      return this.#outcome(
        new ToolResponse({ content: `Started as ${taskId}.`, status: "pending", data: { task_id: taskId } }),
      );
    }
    let final: ToolResponse | undefined;
    const tries = { attempts: 0 };
    const ask = askOf(this.#context, call);
    const options: CallOptions = { signal, runId, ...defined({ step, wait, ask, hooked }) };
    if (prepared.ok && retry) options.around = retrying(prepared, retry, signal, this.#report, tries);
    for await (const response of this.#toolkit.runPrepared(prepared, call, options)) {
      if (response.isLast) final = response;
      else this.#report.progress(response.data ?? contentText(response.content));
    }
    return this.#outcome(final as ToolResponse, tries.attempts > 1 ? { attempts: tries.attempts } : {});
  }

  #outcome(response: ToolResponse, facts: Record<string, unknown> = {}): CallOutcome {
    const { step } = this.#setting;
    const { requestId } = this.#original;
    return toOutcome(response, { ...facts, ...defined({ step, requestId }) });
  }
}

/** Returns how a server that runs this call asks the host. */
function askOf({ ask }: ExecutorContext, { id: callId, name: tool }: ToolCall): CallOptions["ask"] {
  return ask === undefined ? undefined : (question) => ask(question, { callId, tool });
}

/** Goes on again after a failure. What is around it, as the span of a trace, sees one call. */
function retrying(
  prepared: Prepared & { ok: true },
  retry: number,
  signal: AbortSignal,
  report: CallReport,
  tries: { attempts: number },
): ToolMiddleware {
  return async function* (_, next) {
    for (;;) {
      tries.attempts += 1;
      let final: ToolResponse | undefined;
      for await (const response of next()) {
        if (response.isLast) final = response;
        else yield response;
      }
      if (final === undefined) return;
      if (tries.attempts > retry || signal.aborted || !mayRetry(prepared, final)) return yield final;
      report.progress({ attempt: tries.attempts, error: final.error?.message ?? contentText(final.content) });
      await sleep(Math.min(maxPauseMs, firstPauseMs * 2 ** (tries.attempts - 1)), signal);
    }
  };
}

/**
 * A failure may be tried again when the tool said so itself: nothing else is known of what ran out of time, or lost its
 * answer, so only a tool that may run twice is run twice then.
 */
function mayRetry({ tool }: Prepared & { ok: true }, { status, error }: ToolResponse): boolean {
  if (status !== "error") return false;
  const { idempotentHint, readOnlyHint } = tool.definition.annotations ?? {};
  const isKnown = error?.type !== errorTypes.timeout && error?.type !== errorTypes.inDoubt;
  return isKnown || idempotentHint === true || readOnlyHint === true;
}

const firstPauseMs = 100;
const maxPauseMs = 5000;

function toOutcome(response: ToolResponse, facts: Record<string, unknown>): CallOutcome {
  const { status, content, data, metadata } = response;
  const failed = status !== "ok" && status !== "pending";
  const error = response.error ?? (failed ? { type: "ToolError", message: contentText(content) } : undefined);
  return { status, content, ...defined({ data, error }), metadata: { ...metadata, ...facts } };
}

/** Returns one sentence for the person who decides. */
function reasonToAsk({ name, annotations, external }: ToolDefinition): string {
  if (external) return `The tool ${name} is run elsewhere: its result is waited for.`;
  return annotations?.destructiveHint
    ? `The tool ${name} may destroy something.`
    : `The tool ${name} asks before each call.`;
}
