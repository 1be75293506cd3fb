import type { Model, ModelPart, ModelRequest, ProgramLanguage, ToolCall } from "@toolglot/core";
import { type Conversation, readConversation } from "./conversation.ts";
import { documentParts, writeDecline, writeDocument } from "./formats/attp.ts";
import { toRouterCalls } from "./formats/router.ts";
import { writeTamBlock } from "./formats/tam.ts";
import { writeToolsBlock } from "./formats/toolsxml.ts";
import type { Outcome } from "./outcome.ts";
import type { Unread } from "./reading/unread.ts";
import { readTask } from "./skills/index.ts";
import {
  attpJavascriptSlips,
  attpSlips,
  misspell,
  pickSlip,
  routerSlips,
  slipNames,
  tamSlips,
  toolsxmlSlips,
} from "./slips/index.ts";
import { type Answer, PlanError, type PlannedCall, type Task } from "./task.ts";
import {
  asksForHelp,
  deniedText,
  failedText,
  helpText,
  missingToolText,
  onlyInLoopText,
  unreadText,
} from "./wording.ts";

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
  /** Told when an answer declines the request: only ATTP has a document that says so, elsewhere a decline is plain text. */
  onDecline?: (message: string) => void;
}

/** What the planner says: text, calls, or a text that ends in the middle. */
interface Reply {
  text: string;
  calls?: PlannedCall[];
  cut?: boolean;
  /** Why the request was declined, when it was. */
  declined?: string;
}

/** The protocols whose calls are code, with its language. */
const programs: Partial<Record<Conversation["protocol"], ProgramLanguage>> = {
  attp: "python",
  "attp-js": "javascript",
};

/** A corrected program may fail this often before the planner gives up. */
const maxAttempts = 2;

/**
 * A model made of rules. It reads the tool list, the protocol and the conversation from the request, as a language model
 * would, and keeps nothing between calls. Throws `TypeError` for an unknown slip.
 */
export function createPlanner(options: PlannerOptions = {}): Model {
  const { messy } = options;
  if (typeof messy === "string" && !slipNames.includes(messy)) {
    throw new TypeError(`There is no slip "${messy}"; there are ${slipNames.join(", ")}.`);
  }
  return async function* planner(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const conversation = readConversation(request);
    const { text, calls = [], cut, declined } = reply(conversation, messy, options.now?.() ?? new Date());
    if (declined !== undefined) options.onDecline?.(declined);
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

function reply(conversation: Conversation, messy: string | number | undefined, now: Date): Reply {
  const { question, language, tools, protocol } = conversation;
  if (asksForHelp(question)) return say(conversation, helpText(conversation));
  const task = readTask(question, language, now);
  if ("unread" in task) return decline(conversation, unreadText(task, language));
  const missing = task.tools.filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0) return decline(conversation, missingToolText(missing, language));
  const written = programs[protocol];
  if (written === undefined) return replyWithCalls(conversation, task.next ? inSteps(task) : task, messy);
  return replyWithCode(conversation, task, written, messy);
}

/** A task whose meaning is looked up first, as one plan. */
function inSteps(task: Task): Task {
  type Known = { following: Unread } | { following: Task; value: unknown };
  return {
    ...task,
    *calls() {
      const value = yield* task.calls();
      const following = task.next?.(value) ?? { unread: [] };
      if ("unread" in following) return { following };
      const whole = following.next ? inSteps(following) : following;
      return { following: whole, value: yield* whole.calls() };
    },
    answer(known) {
      const { following } = known as Known;
      return "unread" in following ? following : following.answer((known as { value: unknown }).value);
    },
  };
}

/** A plain answer; where every answer must be a document, a program that leaves the text. */
function say({ protocol, mode, language }: Conversation, text: string): Reply {
  if (mode === "loop" || programs[protocol] === undefined) return { text };
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
  if (programs[protocol] === undefined) return { text: message, declined: message };
  const thought =
    language === "zh"
      ? "1. 理解用户请求：没有匹配的请求类型\n2. 选择工具：无\n3. 工具验证：✗\n4. 执行计划：说明原因并给出替代方案"
      : "1. Understand the request: it fits no kind I know\n2. Choose tools: none\n3. Verify tools: ✗\n4. Plan: say so, and say what is possible";
  return { text: writeDecline(thought, message), declined: message };
}

function replyWithCode(
  conversation: Conversation,
  first: Task,
  written: ProgramLanguage,
  messy: string | number | undefined,
): Reply {
  const { language, outcomes, answers, requests, protocol, mode } = conversation;
  let task = first;
  let failures = 0;
  for (const outcome of outcomes) {
    if (outcome.status === "denied") return { text: deniedText(outcome, language) };
    if (outcome.status === "error") failures += 1;
    else {
      if (task.next === undefined) return told(conversation, task.answer(outcome.value));
      const following = task.next(outcome.value);
      if ("unread" in following) return decline(conversation, unreadText(following, language));
      task = following;
      failures = 0;
    }
  }
  const last = outcomes.at(-1);
  if (last && failures >= (messy === undefined ? 1 : maxAttempts)) return { text: failedText(last, language) };
  const code = task.code?.[written];
  if (code === undefined) return decline(conversation, unreadText({ unread: [] }, language));
  // The value of the first program would be taken for the answer.
  if (mode === "single" && task.next) return decline(conversation, onlyInLoopText(language));
  const parts = documentParts(task, code, language);
  // The first answer may hold a slip; what is written after a complaint or an error is right.
  if (messy === undefined || answers > 0) return { text: writeDocument(parts) };
  const slips = protocol === "attp-js" ? attpJavascriptSlips : attpSlips;
  const slip = pickSlip(slips, task, turnOf(messy, slips, requests));
  return { text: slip.write(parts, task), ...(slip.cut && { cut: true }) };
}

function told(conversation: Conversation, answer: Answer): Reply {
  return typeof answer === "string"
    ? { text: answer }
    : decline(conversation, unreadText(answer, conversation.language));
}

/** Where the rotation stands: at the slip that was asked for, else each request of the user takes the next one. */
function turnOf(messy: string | number, slips: readonly { id: string }[], requests: number): number {
  return typeof messy === "string" ? slips.findIndex(({ id }) => id === messy) : messy + requests - 1;
}

function replyWithCalls(conversation: Conversation, task: Task, messy: string | number | undefined): Reply {
  const { language, answers } = conversation;
  try {
    const step = advance(task, realOutcomes(conversation, task, messy));
    if ("failed" in step) {
      const { failed } = step;
      return { text: failed.status === "denied" ? deniedText(failed, language) : failedText(failed, language) };
    }
    if ("value" in step) return told(conversation, task.answer(step.value));
    // One answer may hold a slip; what is written after a complaint or an error is right.
    const slips =
      step.takesSlip && conversation.complaint === undefined && (task.slipIn !== undefined || answers === 0);
    return writeCalls(conversation, task, step.calls, slips ? messy : undefined);
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return { text: failedText({ status: "error", errorType: error.code, message: error.message }, language) };
  }
}

/** A wrong tool name earned errors: those calls are made again, and their outcomes are not part of the plan. */
function realOutcomes({ outcomes }: Conversation, task: Task, messy: string | number | undefined): Outcome[] {
  if (messy === undefined || task.tools.length === 0 || outcomes[0]?.status !== "error") return outcomes;
  const first = task.calls().next();
  if (first.done || first.value[0]?.mayFail) return outcomes;
  return outcomes.slice(first.value.length);
}

function writeCalls(
  { protocol, answers, requests, catalog }: Conversation,
  task: Task,
  calls: PlannedCall[],
  messy: string | number | undefined,
): Reply {
  const prose = answers === 0 ? `${task.plan}\n` : "";
  if (protocol === "native") return { text: prose, calls: messy === undefined ? calls : misspell(calls) };
  if (protocol === "trp") {
    const meant = toRouterCalls(calls, catalog);
    const slip = messy === undefined ? undefined : pickSlip(routerSlips, task, turnOf(messy, routerSlips, requests));
    return { text: prose, calls: [{ name: "router", input: { calls: slip ? slip.write(meant, catalog) : meant } }] };
  }
  const slips = protocol === "tam" ? tamSlips : toolsxmlSlips;
  const write = protocol === "tam" ? writeTamBlock : writeToolsBlock;
  if (messy === undefined) return { text: `${prose}\n${write(calls)}` };
  const slip = pickSlip(slips, task, turnOf(messy, slips, requests));
  return { text: slip.write(calls, `${prose}\n`), ...(slip.cut && { cut: true }) };
}

type Step = { failed: Outcome } | { value: unknown } | { calls: PlannedCall[]; takesSlip: boolean };

/** Replays what is known into the plan: what failed, its value, or the calls it needs next. */
function advance(task: Task, known: readonly Outcome[]): Step {
  const plan = task.calls();
  let at = 0;
  let slipped = false;
  let step = plan.next();
  while (!step.done) {
    const calls = step.value;
    const takesSlip: boolean = !slipped && (task.slipIn?.(calls) ?? at === 0);
    if (at + calls.length > known.length) return { calls, takesSlip };
    const outcomes = known.slice(at, at + calls.length);
    const failed = outcomes.find(
      ({ status }, index) => status === "denied" || (status === "error" && !calls[index]?.mayFail),
    );
    if (failed) return { failed };
    step = plan.next(outcomes.map((outcome, index) => (calls[index]?.mayFail ? outcome : outcome.value)));
    at += calls.length;
    slipped ||= takesSlip;
  }
  return { value: step.value };
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
