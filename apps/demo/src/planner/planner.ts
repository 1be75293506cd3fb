import { setTimeout as sleep } from "node:timers/promises";
import type { Model, ModelPart, ModelRequest, ToolCall } from "@toolglot/core";
import { type Conversation, nameOfValue, readConversation } from "./conversation.ts";
import { routedProgram, writeDecline, writeDocument } from "./formats/attp.ts";
import { writeTamBlock } from "./formats/tam.ts";
import { writeToolsBlock } from "./formats/toolsxml.ts";
import type { CallPlan, PlannedCall } from "./plan.ts";
import { says } from "./reading/requests.ts";
import { readTask } from "./skills/index.ts";
import { readRecall } from "./skills/recall.ts";
import { pickSlip, slipNames, slipsOf } from "./slips.ts";
import type { Answer, Outcome, Task } from "./task.ts";
import { failedText, helpText, unreadText } from "./wording.ts";

export interface PlannerOptions {
  /** Make slips: the name of one, or the number the rotation starts at. Default: none. */
  messy?: string | number;
  /** Milliseconds between two chunks, so that a person can follow. Default 0. */
  delayMs?: number;
  /** The moment that "last week" is counted from. Default: now. */
  now?: () => Date;
  /** Called when an answer declines the request: only ATTP has a document that says so, elsewhere a decline is plain text. */
  onDecline?: (message: string) => void;
}

/** What the planner says: text, calls, a text that ends in the middle, or why it declines. */
type Reply = { text: string; calls?: PlannedCall[]; cut?: boolean; declined?: string };

/**
 * A model made of rules. It reads the tool list, the protocol and the conversation from the request, as a language model
 * would, and keeps nothing between calls. Throws `TypeError` for an unknown slip.
 */
export function createPlanner(options: PlannerOptions = {}): Model {
  const { messy, delayMs = 0 } = options;
  if (typeof messy === "string" && !slipNames.includes(messy)) {
    throw new TypeError(`There is no slip "${messy}"; there are ${slipNames.join(", ")}.`);
  }
  return async function* planner(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const conversation = readConversation(request);
    const { text, calls = [], cut, declined } = reply(conversation, messy, options.now?.() ?? new Date());
    if (declined !== undefined) options.onDecline?.(declined);
    for (const chunk of text.match(/[\s\S]{1,12}/g) ?? []) {
      signal.throwIfAborted();
      if (delayMs > 0) await sleep(delayMs, undefined, { signal });
      yield chunk;
    }
    for (const [index, { name, input }] of calls.entries()) {
      const call: ToolCall = { id: `call_${conversation.answers + 1}_${index + 1}`, name, input, protocol: "native" };
      yield { type: "call", call };
    }
    yield { type: "finish", reason: cut ? "length" : calls.length > 0 ? "calls" : "stop" };
  };
}

function reply(conversation: Conversation, messy: string | number | undefined, now: Date): Reply {
  const { question, say, tools, language, loops, outcomes } = conversation;
  const decline = (declined: string): Reply => ({ text: language ? writeDecline(declined, say) : declined, declined });
  if (says("help", question)) {
    const text = helpText(say, tools);
    // Where every answer must be a document, a program leaves the text.
    const isPlain = loops || language === undefined;
    return { text: isPlain ? text : writeDocument(question, [], `__result__ = ${JSON.stringify(text)}`, say) };
  }
  const task = readRecall(conversation) ?? readTask(question, say.zh ? "zh" : "en", now);
  if ("unread" in task) return decline(unreadText(task, say));
  const missing = task.tools.filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0)
    return decline(
      say`The list of available tools has no ${missing.join(" and no ")}, so I can't do this. ‖ 可用工具列表中没有 ${missing.join("、")}，所以做不了。`,
    );
  if (language && task.code === undefined) return decline(unreadText({ unread: [] }, say));
  // The value of the first program would be taken for the answer.
  if (language && task.looksUp && !loops && outcomes.length === 0)
    return decline(
      say`I would have to look a name up in the data first, which takes two programs: use --mode loop. ‖ 要先在数据里查一下其中的名字，需要两个程序：请用 --mode loop。`,
    );
  const step = advance(task.run(language), task.tools.includes("edit"), outcomes, messy !== undefined);
  if ("calls" in step) return writeCalls(conversation, task, step.calls, step.takesSlip ? messy : undefined);
  if ("status" in step) return { text: failedText(step, say) };
  return typeof step.answer === "string" ? { text: step.answer } : decline(unreadText(step.answer, say));
}

type Step = Outcome | { answer: Answer } | { calls: PlannedCall[]; takesSlip: boolean };

/** Replays what is known into the plan: what failed, its answer, or the calls it needs next. A slip is in the first calls or edit. */
function advance(plan: CallPlan<Answer>, edits: boolean, known: readonly Outcome[], messy: boolean): Step {
  const outcomes = [...known];
  let takesSlip = messy;
  for (let step = plan.next(); ; ) {
    if (step.done) return { answer: step.value };
    const calls = step.value;
    const isPlace = takesSlip && (!edits || calls.some(({ name }) => name === "edit"));
    takesSlip &&= !isPlace;
    // What failed where a slip may have been is made again, and is right then.
    const isAgain = isPlace && outcomes[0]?.status === "error" && (edits || !calls[0]?.mayFail);
    if (isAgain) outcomes.splice(0, calls.length);
    const own = outcomes.splice(0, calls.length);
    const failed = own.find(({ status, exit }, index) => {
      const { name, mayFail } = calls[index] as PlannedCall;
      return status === "denied" || (status === "error" && !(mayFail && (name !== "command" || exit !== undefined)));
    });
    if (failed) return failed;
    if (own.length < calls.length) return { calls, takesSlip: isPlace && !isAgain };
    step = plan.next(own.map((outcome, index) => (calls[index]?.mayFail ? outcome : outcome.value)));
  }
}

/** Writes calls in the conversation's protocol. One answer may hold a slip; what follows a complaint or an error is right. */
function writeCalls(conversation: Conversation, task: Task, calls: PlannedCall[], messy?: string | number): Reply {
  const { protocol, language, answers, requests, catalog, complained, question, say, isRouted, keepsValues } =
    conversation;
  const prose = answers === 0 ? say`I use ${say.list(task.tools)}.\n ‖ 使用 ${say.list(task.tools)}。\n` : "";
  const slips = slipsOf[protocol];
  // The slip that was asked for, else each request of the user takes the next one.
  const turn = typeof messy === "string" ? slips.findIndex(({ id }) => id === messy) : (messy ?? 0) + requests - 1;
  const taken = messy !== undefined && !complained && (answers === 0 || task.tools.includes("edit"));
  const slip = taken ? pickSlip(slips, task, turn) : undefined;
  if (protocol === "native" || protocol === "trp") {
    const own = calls.map(({ name, input: args }) => {
      const call = { idx: catalog.find((line) => line.name === name)?.idx ?? -1, name, args };
      return { ...call, ...slip?.call?.(call, catalog.length) };
    });
    const named = own.map(({ name, args }) => ({ name, input: args }));
    return { text: prose, calls: protocol === "trp" ? [{ name: "router", input: { calls: own } }] : named };
  }
  const write = protocol === "tam" ? writeTamBlock : writeToolsBlock;
  const code = calls[0]?.name ?? "";
  const kept = keepsValues ? `${code}\n${nameOfValue(requests)} = __result__` : code;
  const program = isRouted ? routedProgram(code) : kept;
  const text = language ? writeDocument(question, task.tools, program, say) : `${prose}\n${write(calls)}`;
  return { text: slip?.text?.(text) ?? text, cut: slip?.id === "cut-off" };
}
