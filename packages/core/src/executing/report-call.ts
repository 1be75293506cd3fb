import { defined } from "@toolglot/internal";
import type { ExecutorContext } from "../action.ts";
import type { ToolCall, ToolResult } from "../tool.ts";

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
