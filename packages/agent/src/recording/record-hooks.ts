import type { ArtifactStore, Usage } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { Compaction } from "../context/compaction.ts";
import { toRunError } from "../loop/run-error.ts";
import type { Output } from "../output/output.ts";
import type { ContextOptions, Price, RunError, StopCondition } from "../types.ts";
import type { Log } from "./record.ts";
import type { Crossing } from "./types.ts";

type Estimate = NonNullable<ContextOptions["estimate"]>;

/** A function of the host's that answers at once, with the crossing for what it gave or threw. */
function recordFunction<Args extends unknown[], Value>(
  hook: (...args: Args) => Value,
  code: string,
  log: Log,
  crossing: (given: { value: Value } | { error: RunError }) => Crossing,
): (...args: Args) => Value {
  return (...args) => {
    try {
      const value = hook(...args);
      log.crossing(crossing({ value }));
      return value;
    } catch (error) {
      log.crossing(crossing({ error: toRunError(error, code) }));
      throw error;
    }
  };
}

export function recordPrice(price: Price, log: Log): Price {
  return recordFunction(price, "agent/price-failed", log, (given) =>
    "error" in given ? { type: "price", ...given } : { type: "price", cost: given.value },
  );
}

export function recordEstimate(estimate: Estimate, log: Log): Estimate {
  return recordFunction(estimate, "agent/estimate-failed", log, (given) =>
    "error" in given ? { type: "estimate", ...given } : { type: "estimate", tokens: given.value },
  );
}

export function recordStore(store: ArtifactStore, log: Log): ArtifactStore {
  return {
    put: recordHook(
      (...args: Parameters<ArtifactStore["put"]>) => store.put(...args),
      log,
      (given) =>
        "error" in given
          ? { type: "artifact-put", ...given }
          : { type: "artifact-put", ...defined({ id: given.value }) },
    ),
    read: recordHook(
      (...args: Parameters<ArtifactStore["read"]>) => store.read(...args),
      log,
      (given) =>
        "error" in given
          ? { type: "artifact-read", ...given }
          : { type: "artifact-read", ...defined({ piece: given.value }) },
    ),
  };
}

/** A hook of the host's, with the crossing for what it gave or threw. */
export function recordHook<Args extends unknown[], Value>(
  hook: (...args: Args) => Value | Promise<Value>,
  log: Log,
  crossing: (given: { value: Value } | { error: RunError }) => Crossing,
): (...args: Args) => Promise<Value> {
  return async (...args) => {
    try {
      const value = await hook(...args);
      log.crossing(crossing({ value }));
      return value;
    } catch (error) {
      log.crossing(crossing({ error: toRunError(error, "agent/hook-failed") }));
      throw error;
    }
  };
}

/** A compaction of the host's; the loop's own gives the same again. */
export function recordCompaction(compact: Compaction, log: Log): Compaction {
  return (input) => {
    const reports: Usage[] = [];
    const report = (usage: Usage): void => {
      input.report?.(usage);
      reports.push({ ...usage });
    };
    return recordHook(compact, log, (given) => ({
      type: "compacted",
      ...("error" in given ? given : { messages: given.value }),
      ...(reports.length > 0 && { used: reports }),
    }))({ ...input, report });
  };
}

export function recordOutput(output: Output, log: Log): Output {
  const validate = recordHook(output.validate, log, (given) =>
    "error" in given ? { type: "validated", ...given } : { type: "validated", validation: given.value },
  );
  return { ...output, validate };
}

export function recordCondition(condition: StopCondition, log: Log): StopCondition {
  return recordHook(condition, log, (given) =>
    "error" in given ? { type: "condition", ...given } : { type: "condition", isTrue: given.value },
  );
}
