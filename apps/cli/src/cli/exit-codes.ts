import type { AgentEvent, RunResult } from "@toolglot/agent";

/** How the command line ends, for scripts. */
export const exitCodes = {
  answered: 0,
  error: 1,
  usage: 2,
  declined: 3,
  denied: 4,
  limit: 5,
  waiting: 6,
  unconfigured: 7,
  cancelled: 130,
} as const;

/** The event as programs read it: an answer that declines has that status in every protocol, not only where documents say so. */
export function asDeclined(event: AgentEvent, declined: boolean): AgentEvent {
  if (!declined || event.type !== "run-end" || event.result.status !== "answered") return event;
  return { ...event, result: { ...event.result, status: "declined", value: undefined } };
}

/**
 * The exit code of a run, the same in every protocol. A denied approval shows also when the model found an answer afterwards.
 * `declined`: the answer declines, although its protocol has no document for declining.
 */
export function exitCodeOf(result: RunResult, declined = false): number {
  if (result.results.some(({ metadata }) => metadata?.program !== undefined)) return exitCodes.waiting;
  switch (result.status) {
    case "answered":
    case "result":
    case "stopped":
      if (result.denied > 0) return exitCodes.denied;
      return declined ? exitCodes.declined : exitCodes.answered;
    case "declined":
      return result.denied > 0 ? exitCodes.denied : exitCodes.declined;
    case "waiting":
      return exitCodes.waiting;
    case "limit":
      return exitCodes.limit;
    case "aborted":
      return exitCodes.cancelled;
    case "error":
      return result.denied > 0 ? exitCodes.denied : exitCodes.error;
  }
}
