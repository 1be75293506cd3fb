import type { SessionStore } from "@toolglot/agent";
import { ToolglotError } from "@toolglot/core";

/** A store in memory. `isFenced: false`: one that does not look at the number of lines. */
export function memorySessions(isFenced = true): SessionStore & { logs: Map<string, string[]> } {
  const logs = new Map<string, string[]>();
  return {
    logs,
    async append(runId, lines, at) {
      const log = logs.get(runId) ?? [];
      if (isFenced && log.length !== at) throw new ToolglotError("agent/session-busy", "Somebody else has it.");
      logs.set(runId, [...log, ...lines]);
    },
    async read(runId) {
      return logs.get(runId)?.slice();
    },
  };
}
