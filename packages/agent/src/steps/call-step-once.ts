import { ToolError } from "@toolglot/core";
import { OnceError, onceCall } from "@toolglot/core/once";
import { textDigest } from "@toolglot/internal";
import { expectedCalls, failAll } from "../loop/act.ts";
import { riskyTools } from "../loop/decide.ts";
import type { Run } from "../loop/run.ts";
import type { Runnable } from "../loop/types.ts";
import type { StepValues } from "./step-values.ts";
import type { StepsOnce } from "./types.ts";

/** Codes of what another attempt at the same step may settle. */
const tryAgain: ReadonlySet<string> = new Set(["once/busy", "once/not-recorded", "once/lost"]);
const maxKey = 512;

/**
 * Makes the calls of a step once: a step that died between its effect and its return, and is run again, gets the result that was written
 * down, or is in doubt. The key is the run's id and the step's name, so that a call that the model means to make twice is made twice.
 */
export async function callStepOnce(
  run: Run,
  { storage, scope, effects, leaseMs }: StepsOnce,
  { name, action }: { name: string; action: Runnable },
  make: () => Promise<StepValues["call"]>,
): Promise<StepValues["call"]> {
  const tool = toolOf(run, action);
  const effect = effects?.[tool] ?? effectOf(run, action);
  if (effect === "pure") return make();
  const key = `${run.runId}/${name}`;
  const short = key.length > maxKey ? await textDigest(key) : key;
  try {
    const { value } = await onceCall(
      action,
      // An attempt that is still alive is waited for, and one that died until its lease is over: the engine has a clock of its own.
      {
        log: storage.operations,
        scope: `${scope}/${tool}`,
        key: () => short,
        effect,
        waitMs: Number.POSITIVE_INFINITY,
        ...(leaseMs !== undefined && { leaseMs }),
      },
      run.signal,
      make,
    );
    return value as StepValues["call"];
  } catch (error) {
    if (run.signal.aborted || !ToolError.isInstance(error) || !OnceError.isInstance(error.cause)) throw error;
    if (tryAgain.has(error.cause.code)) throw error.cause;
    const { message, data } = error;
    return { results: failAll(expectedCalls(action), { type: String(data.type), message }), over: [], asked: [] };
  }
}

/** Names what a step runs: the tool of its call, `plan` of several, or a program's language. What the model made up is `unknown`. */
export function toolOf({ step: { tools } }: Run, action: Runnable): string {
  if (action.kind === "code") return action.language;
  const [first, ...more] = expectedCalls(action);
  if (more.length > 0) return action.kind;
  return tools.some(({ name }) => name === first?.name) ? String(first?.name) : "unknown";
}

/** Returns what running an action twice would do, as far as its tools say. */
function effectOf({ step: { tools } }: Run, action: Runnable): "opaque" | "idempotent" | "pure" {
  const risky = riskyTools(action, tools);
  if (risky.length === 0) return "pure";
  const isIdempotent = (name: string): boolean =>
    tools.some((tool) => tool.name === name && tool.annotations?.idempotentHint === true);
  return action.kind !== "code" && risky.every(isIdempotent) ? "idempotent" : "opaque";
}
