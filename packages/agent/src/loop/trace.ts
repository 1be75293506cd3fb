import type { AgentTracing, RequestTrace, RunTrace, TracedAnswer, TracedRequest, TracedRun } from "../tracing.ts";
import type { RunResult } from "../types.ts";

/** The host's tracing of one run, which may throw whenever it likes. */
export class Trace {
  readonly #run: RunTrace | undefined;

  constructor(tracing: AgentTracing | undefined, run: () => TracedRun) {
    this.#run = tracing && quietly(() => tracing.startRun(run()));
  }

  /** Names the run in other traces. */
  get traceparent(): string | undefined {
    return quietly(() => this.#run?.traceparent);
  }

  within<Result>(work: () => Result): Result {
    return once(this.#run, work);
  }

  startRequest(request: () => TracedRequest): SafeRequest {
    const run = this.#run;
    const trace = run && quietly(() => run.startRequest(request()));
    return {
      within: (work) => once(trace, work),
      firstPart: () => quietly(() => trace?.firstPart()),
      end: (answer) => quietly(() => trace?.end(answer())),
    };
  }

  toolCall(call: Parameters<RunTrace["toolCall"]>[0]): void {
    quietly(() => this.#run?.toolCall(call));
  }

  end(result: RunResult): void {
    quietly(() => this.#run?.end(result));
  }
}

/** A request whose tracing can't do harm. */
export interface SafeRequest {
  within<Result>(work: () => Result): Result;
  firstPart(): void;
  end(answer: () => TracedAnswer): void;
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
