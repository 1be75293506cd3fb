import type { ToolCall } from "@toolglot/core";
import { type CallOutcome, failure } from "@toolglot/core/executing";
import { errorInfo } from "../results/texts.ts";

/** The edits of a block, which are made together once the host's hooks have let all of them pass, or not at all. */
export class EditBatch {
  readonly #calls: readonly ToolCall[];
  readonly #make: (calls: readonly ToolCall[]) => Promise<CallOutcome[]>;
  readonly #arrived = new Map<ToolCall, ToolCall>();
  readonly #left = new Set<ToolCall>();
  #fault: { error: unknown } | undefined;
  #settle: (outcomes: ReadonlyMap<ToolCall, CallOutcome>) => void = () => {};
  readonly #outcomes: Promise<ReadonlyMap<ToolCall, CallOutcome>>;

  /** `make` makes the edits, and returns one outcome for each. */
  constructor(calls: readonly ToolCall[], make: (calls: readonly ToolCall[]) => Promise<CallOutcome[]>) {
    this.#calls = calls;
    this.#make = make;
    this.#outcomes = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Adds a call that may be made, with the input of `asked`, or can't be. Resolves once all are decided about. */
  async arrive(call: ToolCall, asked: ToolCall, fault: unknown): Promise<CallOutcome> {
    this.#arrived.set(call, asked);
    if (fault !== undefined) this.#fault ??= { error: fault };
    this.#makeIfDue();
    return (await this.#outcomes).get(call) as CallOutcome;
  }

  /** Removes a call that has its outcome; when it did not arrive before, it is not made. */
  leave(call: ToolCall): void {
    if (this.#arrived.has(call)) return;
    this.#left.add(call);
    this.#makeIfDue();
  }

  #makeIfDue(): void {
    if (this.#arrived.size + this.#left.size === this.#calls.length) void this.#end().then(this.#settle);
  }

  async #end(): Promise<Map<ToolCall, CallOutcome>> {
    const waiting = this.#calls.filter((call) => this.#arrived.has(call));
    const failAll = (failed: (index: number) => CallOutcome): Map<ToolCall, CallOutcome> =>
      new Map(waiting.map((call, index) => [call, failed(index)]));
    if (this.#left.size > 0 && this.#fault === undefined) {
      const message = "Nothing was written: another edit of this block was not allowed.";
      return failAll(() => failure({ type: "NotRun", message }));
    }
    try {
      if (this.#fault) throw this.#fault.error;
      const outcomes = await this.#make(waiting.map((call) => this.#arrived.get(call) as ToolCall));
      return new Map(waiting.map((call, index) => [call, outcomes[index] as CallOutcome]));
    } catch (error) {
      const { type } = errorInfo(error);
      const message = "Nothing was written: see the first edit of this block.";
      return failAll((index) => failure(index === 0 ? errorInfo(error) : { type, message }));
    }
  }
}
