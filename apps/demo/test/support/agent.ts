import { type AgentEvent, createAgent, type RunResult } from "@toolglot/agent";
import { type Message, type Model, type ProtocolMode, textMessage } from "@toolglot/core";
import type { ProtocolName } from "toolglot";
import { agentOptions, type Session } from "toolglot/parts";
import { languageOf } from "../../src/planner/text.ts";

export interface TestRun {
  result: RunResult;
  events: AgentEvent[];
  /** Names of the tools that were called, in order; through a router, those of the capabilities. */
  called: string[];
  /** Codes of all diagnostics. */
  codes: string[];
}

export interface TestRunOptions {
  model: Model;
  protocol: ProtocolName;
  mode?: ProtocolMode;
  /** Default: everything is approved. */
  approve?: (tool: string) => boolean;
  history?: readonly Message[];
}

/** Runs a question through the real agent, toolkit and sandbox. */
export async function runQuestion(session: Session, question: string, options: TestRunOptions): Promise<TestRun> {
  const { model, protocol, mode = "loop", approve = () => true, history = [] } = options;
  const events: AgentEvent[] = [];
  const agent = createAgent(
    await agentOptions({
      session,
      model,
      protocol,
      mode,
      locale: languageOf(question),
      approve: ({ tool }) => approve(tool ?? ""),
      onEvent: (event) => events.push(event),
    }),
  );
  const result = await agent.run([...history, textMessage("user", question)]).result;
  const routed = new Map(
    events.flatMap((event) => {
      if (event.type !== "tool-call-start" || event.name !== "router") return [];
      const { calls } = event.input as { calls: { name: string }[] };
      return [[event.callId, calls.map(({ name }) => name)] as const];
    }),
  );
  return {
    result,
    events,
    called: events.flatMap((event) =>
      event.type === "tool-call-end" ? (routed.get(event.callId) ?? [event.name]) : [],
    ),
    codes: events.flatMap((event) => (event.type === "diagnostic" ? [event.diagnostic.code] : [])),
  };
}
