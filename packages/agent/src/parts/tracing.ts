import { defined } from "@toolglot/internal";
import type { Part, SafeRequestTrace } from "../loop/part.ts";
import type { Run } from "../loop/run.ts";
import type { AgentTracing, RequestTrace } from "../tracing.ts";

/** Traces a run with the host's tracing, which may throw whenever it likes. `resumedFrom`: name of the run in earlier traces. */
export function tracing(run: Run, host: AgentTracing, resumedFrom: string | undefined): Part {
  const { runId, conversation, settings } = run;
  const { maxTokens, protocol, model } = settings;
  const stop = protocol.stop.length > 0 ? protocol.stop : undefined;
  const about = defined({ model: model.info, maxTokens, stop, resumedFrom });
  const trace = quietly(() => host.startRun({ runId, messages: conversation.messages, ...about }));
  if (trace === undefined) return {};
  run.traceparent = quietly(() => trace.traceparent);
  run.observers.push((event) => {
    if (event.type === "run-end") quietly(() => trace.end(event.result));
    if (event.type !== "tool-call-end") return;
    const { name, status, ms, error } = event;
    const isKnown = run.tools.current.some((tool) => tool.name === name);
    quietly(() => trace.toolCall({ name, isKnown, status, ms, ...defined({ errorType: error?.type }) }));
  });
  return {
    within: (work) => once(trace, work),
    traceRequest(request): SafeRequestTrace {
      const found = quietly(() => trace.startRequest(request));
      return {
        within: (work) => once(found, work),
        firstPart: () => quietly(() => found?.firstPart()),
        end: (answer) => quietly(() => found?.end(answer)),
      };
    },
  };
}

/** Does the work once, whatever the tracing around it does. */
function once<Result>(trace: Pick<RequestTrace, "within"> | undefined, work: () => Result): Result {
  if (trace === undefined) return work();
  let outcome: { result: Result } | { error: unknown } | undefined;
  const doIt = (): void => {
    if (outcome) return;
    try {
      outcome = { result: work() };
    } catch (error) {
      outcome = { error };
    }
  };
  quietly(() => trace.within(doIt));
  doIt();
  const done = outcome as unknown as { result: Result } | { error: unknown };
  if ("error" in done) throw done.error;
  return done.result;
}

function quietly<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
