import type { Model, ModelPart, ModelRequest, ToolCall } from "@toolglot/core";
import { type Conversation, readConversation } from "./conversation.ts";
import { documentParts, writeDecline, writeDocument } from "./document.ts";
import { readTask } from "./skills/index.ts";
import { pickSlip, slips } from "./slips.ts";
import { type CallPlan, PlanError, type PlannedCall, type Task } from "./task.ts";
import { asksForHelp, deniedText, failedText, helpText, missingToolText, unknownText } from "./wording.ts";

/** Options of {@link createPlanner}. */
export interface PlannerOptions {
  /** Make slips: the name of one, or the number the rotation starts at. Default: none. */
  messy?: string | number;
  /** Milliseconds between two chunks, so that a person can follow. Default 0. */
  delayMs?: number;
  /** Characters in a chunk. Default 12. */
  chunkSize?: number;
}

/** What the planner says: text, calls, or a text that ends in the middle. */
interface Reply {
  text: string;
  calls?: PlannedCall[];
  cut?: boolean;
}

/** A corrected program may fail this often before the planner gives up. */
const maxAttempts = 2;

/**
 * A model made of rules. It reads the tool list, the protocol and the conversation from the request, as a language model
 * would, and keeps nothing between calls. Throws `TypeError` for an unknown slip.
 */
export function createPlanner(options: PlannerOptions = {}): Model {
  const { messy } = options;
  if (typeof messy === "string" && !slips.some(({ id }) => id === messy)) {
    throw new TypeError(`There is no slip "${messy}"; there are ${slips.map(({ id }) => id).join(", ")}.`);
  }
  return async function* planner(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const conversation = readConversation(request);
    const { text, calls = [], cut } = reply(conversation, messy);
    for (const chunk of chunks(text, options.chunkSize ?? 12)) {
      await pause(options.delayMs ?? 0, signal);
      yield chunk;
    }
    for (const [index, { name, input }] of calls.entries()) {
      const call: ToolCall = { id: `call_${conversation.answers + 1}_${index + 1}`, name, input, protocol: "native" };
      yield { type: "call", call };
    }
    yield { type: "finish", reason: cut ? "length" : calls.length > 0 ? "calls" : "stop" };
  };
}

function reply(conversation: Conversation, messy: string | number | undefined): Reply {
  const { question, language, tools, protocol } = conversation;
  if (asksForHelp(question)) return say(conversation, helpText(conversation));
  const task = readTask(question, language);
  if (!task) return decline(conversation, unknownText(language));
  const missing = task.tools.filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0) return decline(conversation, missingToolText(missing, language));
  return protocol === "native" ? replyWithCalls(conversation, task, messy) : replyWithCode(conversation, task, messy);
}

/** A plain answer; where every answer must be a document, a program that leaves the text. */
function say({ mode, language }: Conversation, text: string): Reply {
  if (mode === "loop") return { text };
  const code = `__result__ = ${JSON.stringify(text)}`;
  return {
    text: writeDocument({
      thought: language === "zh" ? "直接回答。" : "A plain answer is enough.",
      target: "answer",
      code,
    }),
  };
}

function decline({ protocol, language }: Conversation, message: string): Reply {
  if (protocol === "native") return { text: message };
  const thought =
    language === "zh"
      ? "1. 理解用户请求：没有匹配的请求类型\n2. 选择工具：无\n3. 工具验证：✗\n4. 执行计划：说明原因并给出替代方案"
      : "1. Understand the request: it fits no kind I know\n2. Choose tools: none\n3. Verify tools: ✗\n4. Plan: say so, and say what is possible";
  return { text: writeDecline(thought, message) };
}

function replyWithCode(conversation: Conversation, task: Task, messy: string | number | undefined): Reply {
  const { language, outcomes, answers, requests } = conversation;
  const last = outcomes.at(-1);
  if (last?.status === "ok") return { text: task.answer(last.value) };
  if (last?.status === "denied") return { text: deniedText(last, language) };
  const failures = outcomes.length;
  if (last && failures >= (messy === undefined ? 1 : maxAttempts)) return { text: failedText(last, language) };
  const parts = documentParts(task, language);
  // The first answer may hold a slip; what is written after a complaint or an error is right.
  if (messy === undefined || answers > 0) return { text: writeDocument(parts) };
  const first = typeof messy === "string" ? slips.findIndex(({ id }) => id === messy) : messy + requests - 1;
  const slip = pickSlip(task, first);
  return { text: slip.write(parts, task), ...(slip.cut && { cut: true }) };
}

function replyWithCalls(
  { language, outcomes, answers }: Conversation,
  task: Task,
  messy: string | number | undefined,
): Reply {
  // A wrong tool name earned an error: that call is made again, and the error is not part of the plan.
  const slipped = messy !== undefined && task.tools.length > 0;
  const real = slipped && outcomes[0]?.status === "error" ? outcomes.slice(1) : outcomes;
  const failed = real.find(({ status }) => status !== "ok");
  if (failed) {
    return { text: failed.status === "denied" ? deniedText(failed, language) : failedText(failed, language) };
  }
  try {
    const step = advance(
      task.calls(),
      real.map(({ value }) => value),
    );
    if ("value" in step) return { text: task.answer(step.value) };
    const calls = slipped && answers === 0 ? step.calls.map(misspell) : step.calls;
    return { text: answers === 0 ? `${task.plan}\n` : "", calls };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return { text: failedText({ status: "error", errorType: "ValueError", message: error.message }, language) };
  }
}

/** Replays what is known into the plan: its value, or the calls it needs next. */
function advance(plan: CallPlan<unknown>, known: readonly unknown[]): { value: unknown } | { calls: PlannedCall[] } {
  let at = 0;
  let step = plan.next();
  while (!step.done) {
    const { length } = step.value;
    if (at + length > known.length) return { calls: step.value };
    step = plan.next(known.slice(at, at + length));
    at += length;
  }
  return { value: step.value };
}

function misspell({ name, input }: PlannedCall): PlannedCall {
  return { name: `${name}s`, input };
}

function* chunks(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
