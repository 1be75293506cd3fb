import { setTimeout as sleep } from "node:timers/promises";
import type { Model, ModelPart, ModelRequest, ProgramLanguage, ToolCall } from "@toolglot/core";
import { type Conversation, readConversation } from "./conversation.ts";
import { writeDecline, writeDocument } from "./formats/attp.ts";
import { toRouterCalls } from "./formats/router.ts";
import { writeTamBlock } from "./formats/tam.ts";
import { writeToolsBlock } from "./formats/toolsxml.ts";
import { readTask } from "./skills/index.ts";
import { pickSlip, slipNames, slipped, slipsOf } from "./slips.ts";
import type { CallPlan, Outcome, PlannedCall, Task, Unread } from "./task.ts";
import { asksForHelp, failedText, helpText, missingToolText, unreadText } from "./wording.ts";

/** Options of {@link createPlanner}. */
export interface PlannerOptions {
  /** Make slips: the name of one, or the number the rotation starts at. Default: none. */
  messy?: string | number;
  /** Milliseconds between two chunks, so that a person can follow. Default 0. */
  delayMs?: number;
  /** Characters in a chunk. Default 12. */
  chunkSize?: number;
  /** The moment that "last week" is counted from. Default: now. */
  now?: () => Date;
  /** Called when an answer declines the request: only ATTP has a document that says so, elsewhere a decline is plain text. */
  onDecline?: (message: string) => void;
}

/** What the planner says: text, calls, a text that ends in the middle, or why it declines. */
type Reply = { text: string; calls?: PlannedCall[]; cut?: boolean; declined?: string };

/** The protocols whose calls are code, with its language. */
const programs: Partial<Record<Conversation["protocol"], ProgramLanguage>> = {
  attp: "python",
  "attp-js": "javascript",
};

/**
 * A model made of rules. It reads the tool list, the protocol and the conversation from the request, as a language model
 * would, and keeps nothing between calls. Throws `TypeError` for an unknown slip.
 */
export function createPlanner(options: PlannerOptions = {}): Model {
  const { messy, chunkSize = 12, delayMs = 0 } = options;
  if (typeof messy === "string" && !slipNames.includes(messy)) {
    throw new TypeError(`There is no slip "${messy}"; there are ${slipNames.join(", ")}.`);
  }
  return async function* planner(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const conversation = readConversation(request);
    const { text, calls = [], cut, declined } = reply(conversation, messy, options.now?.() ?? new Date());
    if (declined !== undefined) options.onDecline?.(declined);
    for (let at = 0; at < text.length; at += chunkSize) {
      signal.throwIfAborted();
      if (delayMs > 0) await sleep(delayMs, undefined, { signal });
      yield text.slice(at, at + chunkSize);
    }
    for (const [index, { name, input }] of calls.entries()) {
      const call: ToolCall = { id: `call_${conversation.answers + 1}_${index + 1}`, name, input, protocol: "native" };
      yield { type: "call", call };
    }
    yield { type: "finish", reason: cut ? "length" : calls.length > 0 ? "calls" : "stop" };
  };
}

function reply(conversation: Conversation, messy: string | number | undefined, now: Date): Reply {
  const { question, say, tools, protocol, mode } = conversation;
  if (asksForHelp(question)) return plainAnswer(conversation, helpText(say, tools));
  const task = readTask(question, say.zh ? "zh" : "en", now);
  if ("unread" in task) return decline(conversation, unreadText(task, say));
  const missing = task.tools.filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0) return decline(conversation, missingToolText(missing, say));
  const language = programs[protocol];
  if (language && task.code === undefined) return decline(conversation, unreadText({ unread: [] }, say));
  // The value of the first program would be taken for the answer.
  if (language && task.next && mode === "single" && conversation.outcomes.length === 0)
    return decline(
      conversation,
      say`I would have to look a name up in the data first, which takes two programs: use --mode loop. ‖ 要先在数据里查一下其中的名字，需要两个程序：请用 --mode loop。`,
    );
  const step = advance(wholePlan(task, language), task, conversation.outcomes, messy !== undefined);
  if ("failed" in step) return { text: failedText(step.failed, say) };
  if ("calls" in step) return writeCalls(conversation, task, step.calls, step.takesSlip ? messy : undefined);
  const { answer } = step;
  return typeof answer === "string" ? { text: answer } : decline(conversation, unreadText(answer, say));
}

/** A plain answer; where every answer must be a document, a program that leaves the text. */
function plainAnswer({ protocol, mode, question, say }: Conversation, text: string): Reply {
  if (mode === "loop" || programs[protocol] === undefined) return { text };
  return { text: writeDocument(question, [], `__result__ = ${JSON.stringify(text)}`, say) };
}

function decline({ protocol, say }: Conversation, message: string): Reply {
  return { text: programs[protocol] === undefined ? message : writeDecline(message, say), declined: message };
}

/** The calls of a task, or its program as the one call, and of those that follow from its value; then the answer. */
function* wholePlan(first: Task, language: ProgramLanguage | undefined): CallPlan<string | Unread> {
  for (let task = first; ; ) {
    const code = language && task.code?.[language];
    const value: unknown = code === undefined ? yield* task.calls() : (yield [{ name: code, input: {} }])[0];
    if (task.next === undefined) return task.answer(value);
    const following = task.next(value);
    if ("unread" in following) return following;
    task = following;
  }
}

type Step = { failed: Outcome } | { answer: string | Unread } | { calls: PlannedCall[]; takesSlip: boolean };

/** Whether a plan can't go on after a call. */
function endsPlan({ status, exit }: Outcome, call: PlannedCall | undefined): boolean {
  const expected = call?.mayFail && (call.name !== "command" || exit !== undefined);
  return status === "denied" || (status === "error" && !expected);
}

/** Replays what is known into the plan: what failed, its answer, or the calls it needs next. */
function advance(plan: CallPlan<string | Unread>, { slipIn }: Task, known: readonly Outcome[], messy: boolean): Step {
  let step = plan.next();
  let slipped = false;
  let at = 0;
  // Calls that failed because of a slip were made again.
  const isSlip = messy && known[0]?.status === "error" && !step.done && !step.value[0]?.mayFail;
  const outcomes = isSlip && !step.done ? known.slice(step.value.length) : known;
  while (!step.done) {
    const calls = step.value;
    const takesSlip: boolean = !slipped && (slipIn?.(calls) ?? at === 0);
    const own = outcomes.slice(at, at + calls.length);
    const failed = own.find((outcome, index) => endsPlan(outcome, calls[index]));
    if (failed) return { failed };
    if (own.length < calls.length) return { calls, takesSlip };
    step = plan.next(own.map((outcome, index) => (calls[index]?.mayFail ? outcome : outcome.value)));
    at += calls.length;
    slipped ||= takesSlip;
  }
  return { answer: step.value };
}

/** Writes calls in the conversation's protocol. One answer may hold a slip; what follows a complaint or an error is right. */
function writeCalls(
  { protocol, answers, requests, catalog, complained, question, say }: Conversation,
  task: Task,
  calls: readonly PlannedCall[],
  messy: string | number | undefined,
): Reply {
  const tools = say.list(task.tools);
  const prose = answers === 0 ? say`I use ${tools}.\n ‖ 使用 ${tools}。\n` : "";
  const slips = slipsOf[protocol];
  const taken = messy !== undefined && !complained && (task.slipIn !== undefined || answers === 0);
  // The slip that was asked for, else each request of the user takes the next one.
  const turn = typeof messy === "string" ? slips.findIndex(({ id }) => id === messy) : (messy ?? 0) + requests - 1;
  const slip = taken ? pickSlip(slips, task, turn) : undefined;
  const cut = slip?.cut && { cut: true };
  const meant = slip?.calls?.(calls) ?? [...calls];
  switch (protocol) {
    case "native":
      return { text: prose, calls: meant };
    case "trp": {
      const routed = toRouterCalls(calls, catalog).map((call) => ({
        ...call,
        ...slip?.routed?.(call, catalog.length),
      }));
      return { text: prose, calls: [{ name: "router", input: { calls: routed } }] };
    }
    case "tam":
      return { text: slipped(slip, writeTamBlock(meant), `${prose}\n`), ...cut };
    case "toolsxml":
      return { text: slipped(slip, writeToolsBlock(meant, slip?.body), `${prose}\n`), ...cut };
    default: {
      const document = writeDocument(question, task.tools, calls[0]?.name ?? "", say);
      const words = slip?.answer ? "Sure, here is the program:\n\n" : "";
      return { text: slipped(slip, document, words, task.tools[0]), ...cut };
    }
  }
}
