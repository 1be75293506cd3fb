import type { Message, ToolDefinition, Usage } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import { type Compaction, dropOldResults, dropOldTurns, flawOf } from "../context/compaction.ts";
import { lengthOf, tokensOf } from "../context/estimate.ts";
import { plainJson, textLength } from "../plain-json.ts";
import { checkStopped, orStopped } from "../stop.ts";
import { fitted } from "./call-parts.ts";
import { addChild } from "./child-usage.ts";
import type { RunState } from "./run-state.ts";
import { refreshTools } from "./show-tools.ts";

/** The model's context, in tokens; undefined when nobody knows. */
export function windowOf({ settings: { context }, step: { model } }: RunState): number | undefined {
  return context.window ?? model.info?.contextWindow;
}

/** Makes the conversation shorter when the next request would not fit the model's context. */
export async function makeRoomIfNeeded(run: RunState): Promise<void> {
  const window = windowOf(run);
  if (window === undefined) return;
  const { context } = run.settings;
  const { maxTokens } = run.step;
  const reserve = context.reserve ?? maxTokens ?? Math.min(8192, Math.floor(window / 4));
  const target = Math.max(1, window - reserve);
  if (estimateOf(run) > target) await makeRoom(run, "estimate", target);
}

/** Tokens of the next request, reckoned: messages, and tools where they are declared. */
export function estimateOf(run: RunState): number {
  const { protocol, declared } = run.step;
  const tools = protocol.declaresTools ? declared : [];
  return hostEstimate(run, run.conversation.encoded, tools) ?? run.conversation.tokens + tokensOf(textLength(tools));
}

/** The same of one message. */
function estimateOne(run: RunState, message: Message): number {
  const encoded = run.settings.protocol.encodeMessages([message], fitted);
  return hostEstimate(run, encoded, []) ?? tokensOf(encoded.reduce((sum, one) => sum + lengthOf(one), 0));
}

function hostEstimate(
  run: RunState,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): number | undefined {
  const { estimate } = run.settings.context;
  if (estimate === undefined) return undefined;
  try {
    const tokens = estimate(messages, tools);
    if (Number.isFinite(tokens) && tokens >= 0) return Math.ceil(tokens);
    throw new TypeError(`it must give a number from 0, not ${String(tokens)}`);
  } catch (error) {
    run.warn(
      "agent/estimate-failed",
      `context.estimate failed, and tokens are reckoned by characters: ${errorText(error)}`,
    );
    return undefined;
  }
}

/** Makes the conversation shorter. False when less than a tenth was saved. */
export async function makeRoom(run: RunState, reason: "estimate" | "overflow", target: number): Promise<boolean> {
  const { conversation, settings, signal } = run;
  const messages = (await run.artifacts.keepAll(conversation.shown)).map(plainJson);
  const before = estimateOf(run);
  const report = (used: Usage): void => addChild(run, used as Record<string, unknown>);
  const input = { messages, estimate: before, target, reason, signal, report };
  conversation.show((await compact(run, settings.context.compact, input)) ?? (await dropOldResults()(input)));
  const over = estimateOf(run) - target;
  if (over > 0) {
    const sizeOf = (message: Message): number => estimateOne(run, message);
    const total = conversation.shown.reduce((sum, message) => sum + sizeOf(message), 0);
    conversation.show(dropOldTurns(conversation.shown, total - over, sizeOf));
  }
  refreshTools(run, { isSame: true });
  const after = estimateOf(run);
  run.emit({
    type: "compaction",
    stepIndex: run.stepIndex,
    reason,
    before,
    after,
    messagesBefore: messages.length,
    messagesAfter: conversation.shown.length,
  });
  run.compactions.push({ stepIndex: run.stepIndex, reason });
  return after <= before * 0.9;
}

async function compact(run: RunState, compaction: Compaction, input: Parameters<Compaction>[0]) {
  let flaw: string | undefined;
  try {
    const shorter = await orStopped(compaction(input), run.signal);
    flaw = flawOf(input.messages, shorter);
    if (flaw === undefined) return shorter;
  } catch (error) {
    checkStopped(run.signal);
    flaw = errorText(error);
  }
  run.warn("agent/compaction-invalid", `The compaction can't be used, and old results are left out instead: ${flaw}.`);
  return undefined;
}
