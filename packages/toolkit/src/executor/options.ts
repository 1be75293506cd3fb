import type { OperationLog } from "@toolglot/core";
import type { ResourceSchemes } from "../resource.ts";
import type { Tasks } from "../tasks/tasks.ts";

/** Options of `toolkitExecutor`. */
export interface ToolkitExecutorOptions {
  /** Calls that may run at one time. Default 8. */
  maxConcurrency?: number;
  /** Where asynchronous tools run on, and where their events come. Default: tasks of this executor's own. */
  tasks?: Tasks;
  /**
   * What makes a plan with a `request_id` run once. Default: in memory, for this executor. Give a durable one (and the same
   * to every process) where a plan must not run twice after a crash.
   */
  operationLog?: OperationLog;
  /** Whose request ids these are: two executors with the same log and scope share them. Default `plan`. */
  operationScope?: string;
  /** What reads `uri_` parameters, by scheme. Default: `data:` only. */
  resources?: ResourceSchemes;
}
