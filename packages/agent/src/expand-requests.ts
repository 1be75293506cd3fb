import type { Message, ToolDefinition } from "@toolglot/core";
import type { AgentEvent } from "./events.ts";

/** The whole request of one step. */
export interface ExpandedRequest {
  stepIndex: number;
  messages: Message[];
  tools?: ToolDefinition[];
  stop?: string[];
}

/**
 * Returns the whole requests of a run, in order, from its events: each `request` event holds only what is new.
 *
 * @example
 * ```ts
 * for await (const event of agent.run("What is 19 + 23?")) events.push(event);
 * const requests = expandRequests(events);
 * ```
 */
export function expandRequests(events: Iterable<AgentEvent>): ExpandedRequest[] {
  const requests: ExpandedRequest[] = [];
  for (const event of events) {
    if (event.type !== "request") continue;
    const { stepIndex, from, messages, stop } = event;
    const before = requests.at(-1);
    const tools = event.tools ?? before?.tools;
    requests.push({
      stepIndex,
      messages: [...(before?.messages.slice(0, from) ?? []), ...messages],
      ...(tools && { tools }),
      ...(stop && { stop }),
    });
  }
  return requests;
}
