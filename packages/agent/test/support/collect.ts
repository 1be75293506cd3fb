import type { AgentEvent, AgentRun } from "@toolglot/agent";

/** All events of a run, in order. */
export async function collect(run: AgentRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** The events of one type. */
export function only<Type extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: Type,
): Extract<AgentEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}
