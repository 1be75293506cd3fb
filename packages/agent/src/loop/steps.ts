import {
  type ApprovalRequest,
  contentText,
  type Decision,
  type Message,
  type ToolResult,
  textMessage,
  toJsonText,
} from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { LimitKind } from "../result.ts";
import { fingerprintOf } from "../session/decisions.ts";
import type { OpenStep, Restored } from "../session/restore.ts";
import { checkStopped } from "../stop.ts";
import { runAction, takeWaiting } from "./act.ts";
import { readAnswer } from "./answer.ts";
import { resultMessage } from "./conversation.ts";
import { decide } from "./decide.ts";
import { packActions } from "./pack-actions.ts";
import type { Run } from "./run.ts";
import { instruct } from "./show-tools.ts";
import type { Answer, AskedActions, Outcome, Repair, Verdict } from "./types.ts";

/** How a step ends: with the end of the run, or not. `repair` when the model is to correct itself. */
type StepEnd = { outcome: Outcome } | { repair: boolean };

/** Model → parse → act → report, until something ends the run. */
export async function runSteps(run: Run, restored: Restored | undefined): Promise<Outcome> {
  await begin(run, restored);
  checkStopped(run.signal);
  run.step = run.ownStep();
  instruct(run);
  let repairs = restored?.repairs ?? 0;
  for (let open = restored?.open; ; run.stepIndex += 1, open = undefined) {
    const limit = open ? undefined : limitReached(run);
    if (limit) return { status: "limit", limit, text: run.lastText };
    const { stepIndex } = run;
    const began = open ? run.at : run.emit({ type: "step-start", stepIndex, repair: repairs > 0 });
    // A step that an earlier process began continues where that was.
    const { end, finish, usage } = open
      ? { ...open, end: await act(run, open, repairs) }
      : await answerStep(run, repairs);
    if ("outcome" in end && end.outcome.status === "waiting") return end.outcome;
    const ended = run.emit({ type: "step-end", stepIndex, finish, ...defined({ usage }) });
    const { info: model } = run.step.model;
    const step = { stepIndex, finish, ms: (ended ?? 0) - (began ?? 0), ...defined({ usage, model }) };
    run.steps.push(step);
    if ("outcome" in end && !(await continues(run, end.outcome))) return end.outcome;
    const repair = "repair" in end && end.repair;
    repairs = repair ? repairs + 1 : 0;
    for (const afterStep of run.each("afterStep")) afterStep();
    const { lastText: text, counts, conversation } = run;
    await run.log.add({ type: "step", step, repair, text, counts, messages: conversation.takeNew() });
  }
}

/** Writes the head of the log, or shows the parts what an earlier process has done. */
async function begin(run: Run, restored: Restored | undefined): Promise<void> {
  const { runId, traceparent, settings } = run;
  const messages = run.conversation.takeNew();
  if (restored === undefined) {
    const { protocol, mode, locale } = settings;
    const about = { runId, protocol: protocol.version, mode, locale, ...defined({ traceparent }) };
    return run.log.add({ type: "head", version: 1, ...about, messages });
  }
  const { past, open } = restored;
  const over = past.length - (open?.results.length ?? 0);
  for (const [at, { action, results }] of past.entries()) {
    for (const restore of run.each("restore")) await restore(action, results, at >= over);
  }
}

/** Runs a whole step: a request, and what follows from its answer. */
async function answerStep(run: Run, repairs: number): Promise<Pick<Answer, "finish" | "usage"> & { end: StepEnd }> {
  for (const beforeStep of run.each("beforeStep")) {
    const error = await beforeStep();
    if (error) return { finish: "error", end: { outcome: { status: "error", text: run.lastText, error } } };
  }
  const answer = await readAnswer(run);
  checkStopped(run.signal);
  const { finish, usage, interrupted } = answer;
  const about = { finish, ...defined({ usage }) };
  if (interrupted) return { ...about, end: { repair: false } };
  let verdict = decide(run, answer);
  for (const afterAnswer of run.each("afterAnswer")) verdict = await afterAnswer(answer, verdict);
  return { end: await follow(run, answer, verdict, repairs), ...about };
}

/** Whether the host has more messages for a model that is done. */
async function continues(run: Run, { status }: Outcome): Promise<boolean> {
  if (run.injected.isEmpty || (status !== "answered" && status !== "declined")) return false;
  await deliver(run, true);
  return true;
}

/** Adds the host's messages to the conversation; at its end also those that wait for that. */
export async function deliver(run: Run, isEnd: boolean): Promise<undefined> {
  for (const { kind, messages } of run.injected.take(isEnd)) {
    run.conversation.add(...messages);
    run.emit({ type: "message-injected", stepIndex: run.stepIndex, kind, messages });
    await run.log.add({ type: "messages", messages: run.conversation.takeNew() });
  }
}

/** Returns the limit that forbids another step. Time is watched by the run's deadline. */
function limitReached(run: Run): LimitKind | undefined {
  const { turns, tokens, cost } = run.settings.limits;
  if (run.turns >= turns) return "turns";
  if (run.tokens >= tokens) return "tokens";
  if ((run.usage.cost ?? 0) >= cost) return "cost";
  return undefined;
}

async function follow(run: Run, answer: Answer, verdict: Verdict, repairs: number): Promise<StepEnd> {
  switch (verdict.kind) {
    case "answer":
      if (answer.finish === "length") run.warn("agent/answer-cut", "The answer was cut at the model's token limit.");
      return { outcome: { status: "answered", text: verdict.text, ...defined({ value: verdict.value }) } };
    case "fail":
      return { outcome: { status: "error", text: run.lastText, error: verdict.error } };
    case "repair":
      return repair(run, verdict, repairs);
    default: {
      const { actions, notes, block } = verdict;
      const written = block && { text: answer.text.slice(block.span.start, block.span.end), span: block.span };
      const asked = { actions, notes, ...defined({ block: written }) };
      await logAnswer(run, answer, asked);
      return act(run, asked, repairs);
    }
  }
}

/** Writes an answer down, before its actions run. */
function logAnswer(run: Run, { finish, usage }: Answer, { actions, notes, block }: AskedActions): Promise<void> {
  const { stepIndex, lastText: text, conversation, counts } = run;
  const packed = actions.some(({ kind }) => kind === "plan") ? packActions(actions) : { actions: [...actions] };
  return run.log.add({
    ...{ type: "answer", stepIndex, messages: conversation.takeNew(), counts, notes, text, finish, ...packed },
    ...defined({ block, usage }),
  });
}

/** Sends the answer back, unless the model has used up its repair turns. */
function repair(run: Run, { reason, text, keptAnswer, issues, isKnown }: Repair, repairs: number): StepEnd {
  const { maxRepairTurns } = run.settings;
  if (repairs >= maxRepairTurns && keptAnswer !== undefined) {
    run.warn(
      reason,
      "The answer looks like a call that can't be read as one; the model was asked about it, and repeated it.",
    );
    return { outcome: { status: "answered", text: keptAnswer } };
  }
  if (repairs >= maxRepairTurns) {
    const message = `The model's answer could not be used (${reason}), after ${repairs} repair turns.`;
    const data = { reason, ...defined({ issues }) };
    return { outcome: { status: "error", text: run.lastText, error: { code: "agent/bad-output", message, data } } };
  }
  run.emit({ type: "repair-turn", stepIndex: run.stepIndex, reason, text });
  if (!isKnown) run.conversation.add(hostMessage(text));
  return { repair: true };
}

/** Runs what an answer asks for, or what is left of it when an earlier process had begun that. */
async function act(
  run: Run,
  asked: AskedActions & Partial<Pick<OpenStep, "results">>,
  repairs: number,
): Promise<StepEnd> {
  const notes = [...asked.notes];
  let decision: Decision | undefined;
  for (const beforeActions of run.each("beforeActions")) decision ??= await beforeActions(asked);
  if (decision?.later) return waiting(run, takeWaiting(run), []);
  const denial = decision?.approved === false ? run.wording.echoDenied(decision.reason) : undefined;
  const results: ToolResult[] = (asked.results ?? []).flat();
  for (const action of asked.actions.slice(asked.results?.length)) {
    if (action.kind === "decline") {
      if (denial !== undefined) return repair(run, { kind: "repair", reason: "unreadable", text: denial }, repairs);
      run.lastText = action.message;
      return { outcome: { status: "declined", text: action.message } };
    }
    for (const beforeAction of denial === undefined ? run.each("beforeAction") : []) {
      const outcome = beforeAction(action);
      if (outcome) return { outcome };
    }
    const { results: given, pending } = await runAction(run, action, denial, results, asked.results !== undefined);
    if (pending.length > 0) return waiting(run, pending, given);
    results.push(...given);
    for (const afterAction of denial === undefined ? run.each("afterAction") : []) {
      const note = afterAction(action, given);
      if (note !== undefined) notes.push(note);
    }
    if (run.signal.aborted) break;
  }
  run.lastResults = results;
  run.conversation.add(resultMessage(results));
  // The log has the results already.
  run.conversation.takeNew();
  checkStopped(run.signal);
  return report(run, results, notes, repairs);
}

/** Ends the run by its results, or lets the model read them. */
async function report(run: Run, results: ToolResult[], notes: readonly string[], repairs: number): Promise<StepEnd> {
  if (run.settings.mode === "single") return { outcome: outcomeOfResults(results) };
  let wrong: Repair | undefined;
  for (const afterActions of run.each("afterActions")) {
    const found = await afterActions(results);
    if (found && "status" in found) return { outcome: found };
    wrong ??= found;
  }
  if (notes.length > 0) run.conversation.add(hostMessage(notes.join("\n\n")));
  return wrong ? repair(run, wrong, repairs) : { repair: false };
}

/** Ends the run for now: calls wait for decisions. */
async function waiting(run: Run, asked: ApprovalRequest[], results: ToolResult[]): Promise<StepEnd> {
  const pending = await Promise.all(
    asked.map(async (request) => ({ ...request, fingerprint: await fingerprintOf(request) })),
  );
  const { log, counts, lastText: text } = run;
  await log.add({ type: "waiting", pending, results, counts });
  return { outcome: { status: "waiting", text, pending, snapshot: log.snapshot() } };
}

/** Returns the outcome of `single` mode. */
function outcomeOfResults(results: readonly ToolResult[]): Outcome {
  const failed = results.find(({ status }) => status !== "ok" && status !== "pending");
  const text = results.map(textOf).join("\n\n");
  if (failed) {
    const error = failed.error ?? { type: failed.status, message: text };
    const code = failed.status === "denied" ? "agent/denied" : "agent/action-failed";
    return { status: "error", text, error: { code, message: error.message, data: { ...error } } };
  }
  const values = results.map((result) => result.data);
  return { status: "result", text, value: values.length === 1 ? values[0] : values };
}

function textOf({ content, error, data }: ToolResult): string {
  if (content.length > 0) return contentText(content);
  if (error) return error.message;
  return typeof data === "string" ? data : data === undefined ? "" : toJsonText(data);
}

/** Returns a message of the host to the model, outside every tool's output. */
function hostMessage(text: string): Message {
  return textMessage("user", text, "host");
}
