import type { ProtocolEvent } from "@toolglot/core";
import type { StepEvent } from "../events.ts";
import { plainJson } from "../plain-json.ts";

/** A parser's event as an event of the run. Reads nothing but what all protocols have in common. */
export function toRunEvent(event: ProtocolEvent, stepIndex: number): StepEvent {
  switch (event.phase) {
    case "text":
      return { type: "text-delta", stepIndex, text: event.text };
    case "reasoning":
      return { type: "reasoning-delta", stepIndex, text: event.text };
    case "block-start":
      return { type: "block-start", stepIndex, start: event.start };
    case "delta":
      return { type: "block-delta", stepIndex, field: event.type.replace(/-delta$/, ""), text: event.text };
    case "block-end":
      return { type: "block-end", stepIndex, block: plainJson(event.block) };
    default:
      return { type: "diagnostic", stepIndex, diagnostic: plainJson(event.diagnostic) };
  }
}
