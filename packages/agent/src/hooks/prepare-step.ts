import type { Message, Model, ToolDefinition, ToolProtocol } from "@toolglot/core";
import { checkKeys, errorText } from "@toolglot/internal";
import { toDefinitions } from "../loop/live-tools.ts";
import type { RunState } from "../loop/run-state.ts";
import { plainJson } from "../plain-json.ts";
import { checkStopped, orStopped } from "../stop.ts";
import { toMessages } from "../to-messages.ts";
import type { RunError, StepChange } from "../types.ts";

/** What one step is made with: the run's own, or what `prepareStep` has put in its place. */
export interface StepSetting {
  model: Model;
  protocol: ToolProtocol;
  /** What the model is shown, as whole definitions, and as they are declared to a provider. */
  tools: readonly ToolDefinition[];
  declared: readonly ToolDefinition[];
  system: string | undefined;
  maxTokens: number | undefined;
  stop: readonly string[];
  /** In place of the conversation, in the requests of this step. */
  messages: readonly Message[] | undefined;
  /** Its requests are not the next ones of the conversation: all messages are encoded for them. */
  isApart: boolean;
}

/** The setting of a step that nothing changes. */
export function ownSetting({ settings, tools }: RunState): StepSetting {
  const { model, protocol, system, maxTokens } = settings;
  const { current, declared } = tools;
  return {
    ...{ model, protocol, system, maxTokens, tools: current, declared, stop: protocol.stop },
    ...{ messages: undefined, isApart: false },
  };
}

/** Asks `prepareStep` about the step that begins. An error when it throws, or says what makes no sense. */
export async function prepareStep(run: RunState): Promise<RunError | undefined> {
  run.step = ownSetting(run);
  const { prepareStep: prepare } = run.settings;
  if (prepare === undefined) return undefined;
  const { runId, stepIndex, usage, turns, lastResults, conversation, tools } = run;
  const messages = [...conversation.said];
  try {
    const state = { runId, stepIndex, messages, tools: tools.current, usage: { ...usage }, turns, lastResults };
    const change = await orStopped(prepare(state), run.signal);
    if (change !== undefined) run.step = changed(run, change);
    return undefined;
  } catch (error) {
    checkStopped(run.signal);
    const message = `prepareStep failed: ${errorText(error)}`;
    run.warn("agent/hook-failed", message);
    return { code: "agent/hook-failed", message };
  }
}

function changed({ step: own, tools: live }: RunState, change: StepChange): StepSetting {
  checkKeys(
    "prepareStep",
    change,
    "model:function protocol:object tools:object[] messages:object[] system:string maxTokens:size stop:string[]",
  );
  const { model = own.model, protocol = own.protocol, system = own.system, maxTokens = own.maxTokens } = change;
  if (typeof protocol?.createParser !== "function") throw new TypeError("protocol must be a ToolProtocol");
  const { stop = protocol.stop } = change;
  if (stop.some((text) => typeof text !== "string")) throw new TypeError("stop must be a list of texts");
  const given = change.tools && toDefinitions(change.tools);
  // The loop's own tools stay; programs can't call them.
  const isOwn = ({ name }: ToolDefinition): boolean => live.ownTool(name) !== undefined;
  const others =
    given?.filter((tool) => !isOwn(tool)) ??
    (protocol === own.protocol ? undefined : own.tools.filter((tool) => !isOwn(tool)));
  const tools = others && (protocol.carries === "code" ? others : [...others, ...live.offered]);
  const messages = change.messages && toMessages(change.messages).map((message) => plainJson(message));
  const isApart = messages !== undefined || protocol !== own.protocol || system !== own.system || tools !== undefined;
  return {
    ...{ model, protocol, system, maxTokens, stop, messages, isApart },
    tools: tools ?? own.tools,
    declared: tools
      ? tools.map(({ name, description, inputSchema }) => plainJson({ name, description, inputSchema }))
      : own.declared,
  };
}
