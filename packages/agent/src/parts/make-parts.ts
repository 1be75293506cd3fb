import { hostHooks } from "../hooks/host-hooks.ts";
import type { Part } from "../loop/part.ts";
import type { Run } from "../loop/run.ts";
import { refreshTools } from "../loop/show-tools.ts";
import { deliver } from "../loop/steps.ts";
import { outputPart } from "../output/output-part.ts";
import { type Resumed, sessionPart } from "../session/session-part.ts";
import { stepsPart } from "../steps/steps-part.ts";
import { Artifacts } from "./artifacts.ts";
import { afterOverflow, makeRoomIfNeeded } from "./compaction.ts";
import { guardEcho } from "./echo.ts";
import { repeats } from "./repeats.ts";
import { tracing } from "./tracing.ts";

/**
 * Makes the parts of a run that its options ask for. This list is their order, in everything that a step does:
 *
 * 1. Tracing is around all others.
 * 2. A session answers for calls and decisions of an earlier process before anybody is asked.
 * 3. A durable engine comes in place of the model, the executor and the host.
 * 4. Artifacts may offer a tool, so they come before the tools of the step are read; the host's messages come after those, because a
 *    model reads of new tools first.
 * 5. Output ends a run before repeats or conditions of the host's do.
 * 6. The host's hooks are last: they see what a step is made with, and their word is final.
 *
 * Compaction has moments of its own, when the setting of the step is known.
 */
export function makeParts(run: Run, resumed: Resumed | undefined): readonly Part[] {
  const { settings, tools } = run;
  const { output, limits, prepareStep, beforeCall, afterCall, stopWhen, steps } = settings;
  const isHooked = prepareStep ?? beforeCall ?? afterCall ?? stopWhen[0];
  const artifacts = new Artifacts(run);
  const keepAll: Artifacts["keepAll"] = (messages) => artifacts.keepAll(messages);
  const parts: (Part | false | undefined)[] = [
    settings.tracing && tracing(run, settings.tracing, resumed?.restored.head.traceparent),
    resumed && sessionPart(run, resumed),
    steps && stepsPart(run, steps),
    { beforeStep: () => artifacts.cutNew() },
    {
      beforeStep() {
        const isRead = run.stepIndex === 0;
        if (!isRead || tools.isStale) refreshTools(run, { isRead });
        run.step = run.ownStep();
        return undefined;
      },
    },
    { beforeStep: () => deliver(run, false) },
    output && outputPart(run, output),
    limits.repeats < Number.POSITIVE_INFINITY && repeats(run),
    { beforeActions: async ({ block, actions }) => block && guardEcho(run, block, actions) },
    {
      beforeRequest: () => (run.window === undefined ? undefined : makeRoomIfNeeded(run, keepAll)),
      onOverflow: (error, mayShorten) => afterOverflow(run, error, mayShorten, keepAll),
    },
    isHooked !== undefined && hostHooks(run),
  ];
  return parts.filter((part) => part !== undefined && part !== false);
}
