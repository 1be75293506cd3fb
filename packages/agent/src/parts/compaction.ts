import type { Message, ToolDefinition, Usage } from "@toolglot/core";
import { defined, errorText } from "@toolglot/internal";
import { type Compaction, dropOldResults, dropOldTurns, flawOf } from "../context/compaction.ts";
import { fitted } from "../loop/call-parts.ts";
import { lengthOf, tokensOf } from "../loop/estimate.ts";
import type { Run } from "../loop/run.ts";
import { refreshTools } from "../loop/show-tools.ts";
import { addChild } from "../loop/usage.ts";
import { plainJson, textLength } from "../plain-json.ts";
import type { RunError } from "../result.ts";
import { checkStopped, orStopped } from "../stop.ts";

/** Returns the messages, with all their results kept as artifacts but the newest turn's. */
export type KeepAll = (messages: readonly Message[]) => Promise<readonly Message[]>;

/** Replaces the conversation with a shorter one when the next request would not fit the model's context. `keep`: keeps old results as artifacts. */
export async function makeRoomIfNeeded(run: Run, keep: KeepAll): Promise<void> {
  const { window } = run;
  if (window === undefined) return;
  const { context } = run.settings;
  const { maxTokens } = run.step;
  const reserve = context.reserve ?? maxTokens ?? Math.min(8192, Math.floor(window / 4));
  const target = Math.max(1, window - reserve);
  if (estimateOf(run) > target) await makeRoom(run, "estimate", target, keep);
}

/** Does the same after a request that was refused as too long. Resolves to the run's error when that does not help. */
export async function afterOverflow(
  run: Run,
  { message }: RunError,
  mayShorten: boolean,
  keep: KeepAll,
): Promise<RunError | undefined> {
  if (mayShorten && (await makeRoom(run, "overflow", Math.ceil(estimateOf(run) / 2), keep))) return undefined;
  const data = { estimate: estimateOf(run), ...defined({ window: run.window }) };
  return { code: "agent/context-overflow", message: `The conversation is too long for the model: ${message}`, data };
}

/** Estimates the tokens of the next request: messages, and tools where they are declared. */
function estimateOf(run: Run): number {
  const { protocol, declared } = run.step;
  const tools = protocol.declaresTools ? declared : [];
  return hostEstimate(run, run.conversation.encoded, tools) ?? run.conversation.tokens + tokensOf(textLength(tools));
}

/** Estimates the tokens of one message. */
function estimateOne(run: Run, message: Message): number {
  const encoded = run.settings.protocol.encodeMessages([message], fitted);
  return hostEstimate(run, encoded, []) ?? tokensOf(encoded.reduce((sum, one) => sum + lengthOf(one), 0));
}

function hostEstimate(run: Run, messages: readonly Message[], tools: readonly ToolDefinition[]): number | undefined {
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

/** Replaces the conversation with a shorter one. Resolves to false when less than a tenth was saved. */
async function makeRoom(run: Run, reason: "estimate" | "overflow", target: number, keep: KeepAll): Promise<boolean> {
  const { conversation, settings, signal } = run;
  const messages = (await keep(conversation.shown)).map(plainJson);
  const before = estimateOf(run);
  const report = (used: Usage): void => addChild(run, used as Record<string, unknown>);
  const input = { messages, estimate: before, target, reason, signal, report };
  conversation.show(
    (await compact(run, run.first("compact") ?? settings.context.compact, input)) ?? (await dropOldResults()(input)),
  );
  const over = estimateOf(run) - target;
  if (over > 0) {
    const sizeOf = (message: Message): number => estimateOne(run, message);
    const total = conversation.shown.reduce((sum, message) => sum + sizeOf(message), 0);
    conversation.show(dropOldTurns(conversation.shown, total - over, sizeOf));
  }
  refreshTools(run, { isRead: true });
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

async function compact(run: Run, compaction: Compaction, input: Parameters<Compaction>[0]) {
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
