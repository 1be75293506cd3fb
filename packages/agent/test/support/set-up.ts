import { type Agent, type AgentOptions, createAgent } from "@toolglot/agent";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { bracketProtocol } from "./bracket-protocol.ts";
import { definitions, recordingExecutor } from "./tools.ts";

/** An agent with a scripted model over the bracket protocol. */
export function setUp(
  turns: readonly ScriptedTurn[],
  options: Partial<AgentOptions> = {},
): { agent: Agent; model: ScriptedModel; executor: ReturnType<typeof recordingExecutor> } {
  const model = scriptedModel(turns);
  const executor = recordingExecutor();
  const agent = createAgent({ model, protocol: bracketProtocol(), executor, tools: definitions, ...options });
  return { agent, model, executor };
}
