import type { ApprovalRequest, Decision, ExecutorContext, ExecutorEvent } from "@toolglot/core";

/** Answers a question to the host. */
export type Answering = (request: ApprovalRequest) => Decision | Promise<Decision>;

/** An executor's context that keeps what it was told and asked. */
export interface ListeningContext {
  readonly given: ExecutorContext;
  readonly events: ExecutorEvent[];
  readonly asked: ApprovalRequest[];
}

/** The host approves nothing unless told otherwise. */
export function listeningContext(
  answer: Answering = () => ({ approved: false, reason: "The host says no." }),
  signal: AbortSignal = new AbortController().signal,
): ListeningContext {
  const events: ExecutorEvent[] = [];
  const asked: ApprovalRequest[] = [];
  return {
    events,
    asked,
    given: {
      signal,
      emit: (event) => events.push(event),
      approve: async (request) => {
        asked.push(request);
        return answer(request);
      },
      runId: "run_test",
      stepIndex: 0,
    },
  };
}
