import { createAgent, type RunResult } from "@toolglot/agent";
import { type Message, type Model, textMessage } from "@toolglot/core";
import { agentOptions } from "../../src/cli/agent-options.ts";
import type { ProtocolName } from "../../src/cli/protocol-names.ts";
import type { Session } from "../../src/cli/session.ts";

/** Asks a question through the real agent. */
export async function ask(
  session: Session,
  question: string,
  options: {
    model: Model;
    protocol: ProtocolName;
    history?: readonly Message[];
    approve?: (tool: string) => boolean;
  },
): Promise<RunResult> {
  const { model, protocol, history = [], approve = () => true } = options;
  const agent = await agentOptions({
    ...{ session, model, protocol, mode: "loop", locale: "en" },
    approve: ({ tool }) => approve(tool ?? ""),
    onEvent: () => undefined,
  });
  return createAgent(agent).run([...history, textMessage("user", question)]).result;
}
