import { isContextOverflow, type ModelPart, type ModelRequest } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { plainJson } from "../plain-json.ts";
import type { Settings } from "../settings.ts";
import { checkStopped, orStopped } from "../stop.ts";
import { flawOf, iteratorOf } from "./model-parts.ts";
import type { SafeRequestTrace } from "./part.ts";
import { adviceOf, delayBefore, waitFor } from "./retry.ts";
import type { Run } from "./run.ts";
import { toRunError } from "./run-error.ts";
import type { Draft, ModelFault } from "./types.ts";

/** A request, and its answer as it comes. */
interface Reading {
  request: ModelRequest;
  draft: Draft;
  trace: SafeRequestTrace | undefined;
  /** Called with each part. */
  take(run: Run, draft: Draft, part: ModelPart): void;
}

/** Reads the model's stream, as one request for traces. `take` is called with each part that is one. */
export async function receive(
  run: Run,
  request: ModelRequest,
  draft: Draft,
  take: Reading["take"],
): Promise<ModelFault | undefined> {
  const { stepIndex, step } = run;
  const about = { stepIndex, request, tools: step.tools, ...defined({ model: step.model.info }) };
  const trace = run.first("traceRequest")?.(about);
  let code: string | undefined = "aborted";
  try {
    const fault = await readAgain(run, { request, draft, trace, take });
    code = fault?.isOverflow ? "agent/context-overflow" : fault?.error.code;
    if (draft.end.finish === "error") code ??= "agent/model-failed";
    return fault;
  } finally {
    const { text, reasoning, calls, end, usage } = draft;
    const error = code === undefined ? undefined : { code };
    trace?.end({ text, reasoning, calls, ...defined({ finish: end.finish, usage, error }) });
  }
}

/** Reads a stream; one that fails before its first part, for a cause that may pass, is requested again. */
async function readAgain(run: Run, reading: Reading): Promise<ModelFault | undefined> {
  const { retry, runtime } = run.settings;
  for (let attempt = 1; ; attempt += 1) {
    const fault = await readStream(run, reading);
    if (!fault) return undefined;
    const isOverflow = meansOverflow(run.settings, fault.error);
    const error = toRunError(fault.error, "agent/model-failed");
    const advice = reading.draft.received || isOverflow ? undefined : adviceOf(fault.error, runtime.now());
    const delayMs = advice && delayBefore(advice, attempt, retry);
    if (delayMs === undefined) return { error, isOverflow };
    const { stepIndex } = run;
    run.warn("agent/model-retried", `The model failed before it said anything, and is asked again: ${error.message}`);
    run.emit({ type: "model-retried", stepIndex, attempt, delayMs, reason: error.message });
    if (!(await passed(run, delayMs))) return undefined;
  }
}

/** Waits. Resolves to false when the host has ended the answer meanwhile. */
async function passed(run: Run, ms: number): Promise<boolean> {
  const { answerSignal } = run.injected;
  try {
    await waitFor(run, ms, AbortSignal.any([run.signal, answerSignal]));
    return true;
  } catch (error) {
    if (run.signal.aborted || !answerSignal.aborted) throw error;
    return false;
  }
}

/** Whether an error means that the request was too long: by the host's judgement, else by what is known of servers. */
export function meansOverflow({ context }: Pick<Settings, "context">, error: unknown): boolean {
  let judged: boolean | undefined;
  try {
    judged = context.isContextOverflow?.(error);
  } catch {
    // As if it had no judgement.
  }
  return judged ?? isContextOverflow(error);
}

async function readStream(run: Run, { request, draft, trace, take }: Reading): Promise<{ error: unknown } | undefined> {
  const { answerSignal } = run.injected;
  if (answerSignal.aborted) return undefined;
  const within = <Result>(work: () => Result): Result => (trace ? trace.within(work) : work());
  const signal = AbortSignal.any([run.signal, answerSignal]);
  let iterator: AsyncIterator<ModelPart>;
  try {
    iterator = within(() => iteratorOf(run.step.model(request, signal)));
  } catch (error) {
    return { error };
  }
  // Not awaited: a stream that hangs would hang here too.
  const leave = (): void => void Promise.resolve(iterator.return?.()).catch(() => undefined);
  for (;;) {
    let next: IteratorResult<ModelPart>;
    try {
      checkStopped(signal);
      next = await orStopped(
        within(() => iterator.next()),
        signal,
      );
    } catch (error) {
      if (!signal.aborted) return { error };
      leave();
      if (!run.signal.aborted) return undefined;
      throw error;
    }
    if (next.done) return undefined;
    if (!draft.received) trace?.firstPart();
    draft.received = true;
    // As a recording keeps it.
    const part = plainJson(next.value);
    const flaw = flawOf(part);
    if (flaw && "fault" in flaw) {
      leave();
      run.warn("agent/unknown-part", `${flaw.fault} Nothing of the answer is run.`);
      return { error: new TypeError(flaw.fault) };
    }
    if (flaw === undefined) take(run, draft, part);
    else if (run.isFirst(`part ${flaw.unknown}`)) {
      run.warn("agent/unknown-part", `A part of the model's stream was left out: ${flaw.unknown}.`);
    }
  }
}
