import { defined, settleWithin, unsettled } from "@toolglot/internal";
import type { ApprovalRequest, Decision, ExecutorContext, WaitOutcome, WaitRequest } from "../action.ts";
import { toJsonText } from "../json.ts";
import type { ToolCall, ToolErrorInfo, ToolResult } from "../tool.ts";

/** Reports one call to the host: its start at once, then its progress, and its end. */
export class CallReport {
  readonly #context: Pick<ExecutorContext, "emit">;
  readonly #facts: { callId: string; name: string; requestId?: string };
  #began: number;

  /** `input`: what the tool gets, when it is not what the model wrote. */
  constructor(
    context: Pick<ExecutorContext, "emit">,
    call: Pick<ToolCall, "id" | "name" | "input" | "requestId">,
    input: unknown = call.input,
  ) {
    this.#context = context;
    this.#facts = { callId: call.id, name: call.name, ...defined({ requestId: call.requestId }) };
    context.emit({ type: "tool-call-start", ...this.#facts, input });
    this.#began = performance.now();
  }

  /** Counts the call's time from now on: what a person takes to decide is not the call's. */
  restart(): void {
    this.#began = performance.now();
  }

  /** Something that the call gives before its end. */
  progress(data: unknown): void {
    this.#context.emit({ type: "tool-call-progress", ...this.#facts, data });
  }

  /** The end. `ms`: how long it took, by default since the start. Returns it. */
  end(
    { status, data, error }: Pick<ToolResult, "status" | "data" | "error">,
    ms: number = performance.now() - this.#began,
  ): number {
    this.#context.emit({ type: "tool-call-end", ...this.#facts, status, ms, ...defined({ data, error }) });
    return ms;
  }
}

/** Waits for a person, with an event before and one after it. Settles as the work does. */
export async function reportWait<Result extends { outcome: WaitOutcome }>(
  { emit, signal }: Pick<ExecutorContext, "emit" | "signal">,
  request: WaitRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  emit({ type: "wait-start", ...request });
  let outcome: WaitOutcome = "cancelled";
  try {
    const result = await work();
    ({ outcome } = result);
    return result;
  } finally {
    emit({ type: "wait-end", ...request, outcome: signal.aborted ? "aborted" : outcome });
  }
}

/** Questions to the host, one at a time. */
export class ApprovalQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Asks about a call, with a copy of its input, so that what is decided about can't change on its way. Undefined when the call
   * was aborted, or nobody decided: the host threw, or gave no decision. Then the call must not run. Never rejects.
   */
  ask(
    context: Pick<ExecutorContext, "approve" | "signal">,
    call: { callId: string; name: string; input: unknown; reason: string },
  ): Promise<Decision | undefined> {
    const ask = async (): Promise<Decision | undefined> => {
      const { signal } = context;
      if (signal.aborted) return undefined;
      const { callId, name: tool, input, reason } = call;
      const request: ApprovalRequest = { kind: "tool-call", callId, tool, input: copyInput(input), reason };
      try {
        const decision = await settleWithin(context.approve(request), { signal });
        if (decision === unsettled || typeof decision !== "object" || decision === null) return undefined;
        return { ...decision, approved: decision.approved === true };
      } catch {
        return undefined;
      }
    };
    const asked = this.#last.then(ask);
    this.#last = asked;
    return asked;
  }
}

/** Input from a model is JSON, and can be copied; what a host added may be anything. */
function copyInput(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch {
    return JSON.parse(toJsonText(input)) as unknown;
  }
}

/** The error of a call that the host did not approve. `undefined`: nobody decided. */
export function denied(name: string, decision: Decision | undefined): ToolErrorInfo {
  const reason = decision === undefined ? "the host did not decide" : decision.reason;
  const why = reason === undefined ? "" : `: ${reason}`;
  return { type: "Denied", message: `The call of the tool "${name}" was denied${why}. It did not run.` };
}
