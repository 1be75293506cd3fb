import type { ToolDefinition } from "@toolglot/core";
import { checkKeys, errorText } from "@toolglot/internal";
import { toMessages } from "../loop/injected.ts";
import type { Run } from "../loop/run.ts";
import { toDefinitions } from "../loop/tools.ts";
import type { StepSetting } from "../loop/types.ts";
import type { AgentOptions, StepChange } from "../options.ts";
import { plainJson } from "../plain-json.ts";
import type { RunError } from "../result.ts";
import { checkStopped, orStopped } from "../stop.ts";

/** Asks `prepareStep` about the step that begins. Resolves to an error when it throws, or returns what makes no sense. */
export async function prepareStep(
  run: Run,
  prepare: NonNullable<AgentOptions["prepareStep"]>,
): Promise<RunError | undefined> {
  const { runId, stepIndex, usage, turns, lastResults, conversation, tools } = run;
  const messages = [...conversation.dialogue];
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

function changed({ step: own, tools: live }: Run, change: StepChange): StepSetting {
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
