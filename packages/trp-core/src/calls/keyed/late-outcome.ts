import type { OperationEnd } from "@toolglot/core";
import { ToolglotError } from "@toolglot/core";
import type { SameTransaction } from "../../store/frame-types.ts";
import type { CallDependencies } from "../dependencies.ts";
import { fromJson } from "./operation-data.ts";
import type { StartedCall } from "./outcome-writer.ts";
import { readOperation } from "./read-operation.ts";

/** How long a router goes on telling what it knows. Milliseconds. */
const tellForMs = 10 * 60_000;
/** The first pause between two attempts, and the longest. Milliseconds. */
const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** What came of telling. `not-now`: another router is just deciding about the operation. */
type Told = "told" | "not-now" | "too-late";

/**
 * An outcome that a router knows, of an operation whose lease it has lost meanwhile: it stood still, or the store was away. Others
 * may have put the operation in doubt. Nobody has run it since, so whoever ran it can end the doubt as a person would, and
 * nobody needs to look.
 */
export class LateOutcome {
  readonly #dependencies: Pick<CallDependencies, "store" | "routerId">;
  readonly #started: Pick<StartedCall, "claim" | "data" | "startedAt">;
  readonly #end: OperationEnd;
  readonly #together: SameTransaction;

  constructor(
    dependencies: Pick<CallDependencies, "store" | "routerId">,
    started: Pick<StartedCall, "claim" | "data" | "startedAt">,
    end: OperationEnd,
    together: SameTransaction,
  ) {
    this.#dependencies = dependencies;
    this.#started = started;
    this.#end = end;
    this.#together = together;
  }

  /** Writes the outcome if the operation is still as this attempt left it, or in doubt about this attempt. Rejects when the store does. */
  async tell(): Promise<Told> {
    const { operations } = this.#dependencies.store;
    const { claim, data, startedAt } = this.#started;
    if (await operations.finish(claim, this.#end, this.#together)) return "told";
    const record = await readOperation(operations, claim);
    if (record === undefined || startedAt === undefined || record.startedAt !== startedAt) return "too-late";
    if (fromJson(record.data)?.attempts !== data.attempts) return "too-late";
    if (record.state === "claimed" || record.state === "started") return "not-now";
    if (record.state !== "in-doubt") return "too-late";
    const { scope, key, fence } = record;
    const by = `the router ${this.#dependencies.routerId}, which ran it`;
    return (await operations.settle({ scope, key, fence }, this.#end, by, this.#together)) ? "told" : "too-late";
  }

  /** Tells it as soon as the store can take it. Doesn't keep the process alive; `onTold` is called once it is written. */
  tellLater(onTold: () => void): void {
    const until = performance.now() + tellForMs;
    const next = (pauseMs: number): void => {
      const timer = setTimeout(async () => {
        const told = await this.tell().catch((error): Told => (mayCome(error) ? "not-now" : "too-late"));
        if (told === "told") onTold();
        else if (told === "not-now" && performance.now() < until) next(Math.min(pauseMs * 2, longestPauseMs));
      }, pauseMs);
      (timer as { unref?(): void }).unref?.();
    };
    next(firstPauseMs);
  }
}

/** Whether a store that has failed so may serve later. */
function mayCome(error: unknown): boolean {
  return ToolglotError.isInstance(error) && error.code !== "trp/store-closed";
}
