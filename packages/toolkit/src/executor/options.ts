import type { Storage } from "@toolglot/core/storage";
import type { ResourceSchemes } from "../resource.ts";
import type { Tasks } from "../tasks/tasks.ts";

/** Options of `toolkitExecutor`. */
export interface ToolkitExecutorOptions {
  /** Calls that may run at one time. Default 8. */
  maxConcurrency?: number;
  /** Where asynchronous tools run on, and where their events come. Default: tasks of this executor's own. */
  tasks?: Tasks;
  /**
   * What makes a plan with a `request_id` run once: only the storage's operations are used. Default: in memory, for this
   * executor. Pass a durable one (and the same to every process) where a plan must not run twice after a crash.
   */
  storage?: Pick<Storage, "operations">;
  /** Whose request ids these are: two executors with the same storage and scope share them. Default `plan`. */
  operationScope?: string;
  /** What reads `uri_` parameters, by scheme. Default: `data:` only. */
  resources?: ResourceSchemes;
}
