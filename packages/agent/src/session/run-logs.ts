import type { Storage } from "@toolglot/core/storage";
import { checkKeys } from "@toolglot/internal";
import { sessionBusy } from "./lines.ts";

/** The logs of runs in a storage. */
export interface RunLogs {
  /** Adds lines behind the first `at` ones. Rejects with `agent/session-busy` when another process was faster. */
  append(runId: string, lines: string[], at: number): Promise<void>;
  /** All lines; undefined when there is no such run. */
  read(runId: string): Promise<string[] | undefined>;
}

const nameOf = (runId: string): string => `agent/runs/${runId}`;

/** What the names of artifacts begin with. */
export const artifactsFolder = "agent/artifacts/";

/** What the names of a run's artifacts begin with. */
export const artifactsOf = (runId: string): string => `${artifactsFolder}${runId}/`;

/** Returns the logs of runs in a storage. */
export function runLogs({ logs }: Pick<Storage, "logs">): RunLogs {
  return {
    async append(runId, lines, at) {
      if (!(await logs.append(nameOf(runId), lines, at))) throw sessionBusy(runId);
    },
    read: (runId) => logs.read(nameOf(runId)),
  };
}

/**
 * Removes a run and its artifacts from a storage. A run that is under way elsewhere ends there, with `agent/session-busy`.
 *
 * @throws `TypeError` when there is no storage.
 * @example
 * ```ts
 * const storage = folderStorage(folder);
 * await forgetRun({ storage, runId: "run_1" });
 * ```
 */
export async function forgetRun(options: { storage: Storage; runId: string }): Promise<void> {
  checkKeys("forgetRun", options, "storage:object runId:text", ["storage", "runId"]);
  const { storage, runId } = options;
  if (storage === undefined || runId === undefined) throw new TypeError("forgetRun needs { storage, runId }.");
  await storage.logs.delete(nameOf(runId));
  for await (const name of storage.blobs.list(artifactsOf(runId))) await storage.blobs.delete(name);
}
