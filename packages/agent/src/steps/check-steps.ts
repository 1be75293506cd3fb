import { checkKeys } from "@toolglot/internal";
import type { AgentOptions } from "../options.ts";
import type { StepsOnce } from "./types.ts";

/** Throws `TypeError` for options that can't go with `steps`: what they take from outside is in no step. */
export function checkSteps(options: AgentOptions): void {
  const { steps, once } = options;
  if (once) {
    const known = "storage:object scope:text effects:object leaseMs:number";
    checkKeys("createAgent: once", once, known);
    const { storage, scope } = once as Partial<StepsOnce>;
    if (typeof storage?.operations?.claim !== "function" || scope === undefined)
      throw new TypeError(
        "once needs a storage with operations, as openSqlite() of @toolglot/sqlite gives it, and a scope.",
      );
    if (storage.operations.durability === "none")
      throw new TypeError(
        "once.storage forgets everything at exit, and effects then happen again: take a durable one.",
      );
  }
  for (const [name, effect] of Object.entries(once?.effects ?? {})) {
    if (!["opaque", "idempotent", "pure"].includes(effect))
      throw new TypeError(
        `once.effects.${name} must be "opaque", "idempotent" or "pure", not ${JSON.stringify(effect)}.`,
      );
  }
  if (steps === undefined) return;
  checkKeys("createAgent: steps", { run: steps.run, wait: steps.wait }, "run:function wait:function", ["run"]);
  const cure = flaws.find(([isThere]) => isThere(options))?.[1];
  if (cure !== undefined) throw new TypeError(cure);
}

const flaws: readonly [isThere: (options: AgentOptions) => unknown, cure: string][] = [
  [({ storage }) => storage, "steps and storage are two journals of one run: leave one of them out."],
  [
    ({ tools }) => !Array.isArray(tools),
    "steps need a list of tools, which stays the same: toolkit.definitions() gives one.",
  ],
  [
    ({ limits }) => limits?.timeMs !== undefined && limits.timeMs !== Number.POSITIVE_INFINITY,
    "limits.timeMs needs a clock, which is not the same when steps are played again: the engine has time-outs.",
  ],
  [
    ({ context }) => context?.artifacts,
    "context.artifacts must be memory (leave it out) or false with steps: a store is outside of them.",
  ],
  [
    ({ runtime }) => runtime?.now ?? runtime?.startTimer,
    "runtime.now and runtime.startTimer can't go with steps, whose time is that of the run.",
  ],
];
