import type { AgentEvent } from "@toolglot/agent";
import type { RunView } from "./run-view.ts";

/** Writes every event as one line of JSON. */
export function jsonView(write: (text: string) => void): RunView {
  return {
    event: (event: AgentEvent) => write(`${JSON.stringify(event)}\n`),
    modelText: () => undefined,
    task: (event) => write(`${JSON.stringify(event)}\n`),
  };
}
