import type { AgentEvent } from "@toolglot/agent";
import type { TaskEvent } from "@toolglot/toolkit";

/** What draws a run, for a person or for a program. */
export interface RunView {
  /** Every event of the run, in order. */
  event(event: AgentEvent): void;
  /** The model's raw text, before the events it causes. */
  modelText(text: string): void;
  /** What the tasks in the background do. */
  task(event: TaskEvent): void;
}
