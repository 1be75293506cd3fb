import {
  type ApprovalRequest,
  contentText,
  type Message,
  type ToolResult,
  textMessage,
  toJsonText,
} from "@toolglot/core";
import { defined, errorText } from "@toolglot/internal";
import { ownSetting, prepareStep } from "../hooks/prepare-step.ts";
import { decideOutput, refusedAnswer, retakeFinalAnswer } from "../output/answers.ts";
import { fingerprintOf } from "../session/decisions.ts";
import { type OpenStep, resultMessage } from "../session/restore.ts";
import { checkStopped, orStopped } from "../stop.ts";
import type { LimitKind } from "../types.ts";
import { runAction } from "./act.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { decide, type Verdict } from "./decide.ts";
import { guardEcho } from "./echo.ts";
import { Repeats } from "./repeats.ts";
import type { Outcome, RunState } from "./run-state.ts";
import { instruct, refreshTools } from "./show-tools.ts";

/** What a step leaves behind: the end of the run, or nothing. `repair` when the model is to correct itself. */
type StepEnd = { outcome: Outcome } | { repair: boolean };

/** Model → parse → act → report, until something ends the run. */
export async function runSteps(run: RunState): Promise<Outcome> {
  const { session, resumed, settings } = run;
  await session.begin();
  checkStopped(run.signal);
  run.step = ownSetting(run);
  instruct(run);
  const repeats = new Repeats(settings.limits.repeats);
  for (const { action, results } of resumed?.restored.past ?? []) repeats.note(action, results);
  let repairs = resumed?.restored.repairs ?? 0;
  for (; ; run.stepIndex += 1) {
    const { open } = session;
    const limit = open ? undefined : limitReached(run);
    if (limit) return { status: "limit", limit, text: run.lastText };
    const { stepIndex } = run;
    run.final = undefined;
    const began = open ? run.at : run.emit({ type: "step-start", stepIndex, repair: repairs > 0 });
    // A step that an earlier process began goes on where that was.
    const { end, finish, usage } = open
      ? { ...open, end: await act(run, open, repairs, repeats) }
      : await answerStep(run, repairs, repeats);
    if ("outcome" in end && end.outcome.status === "waiting") return end.outcome;
    const ended = run.emit({ type: "step-end", stepIndex, finish, ...defined({ usage }) });
    const { info: model } = run.step.model;
    const step = { stepIndex, finish, ms: (ended ?? 0) - (began ?? 0), ...defined({ usage, model }) };
    run.steps.push(step);
    if ("outcome" in end && !(await goesOn(run, end.outcome))) return end.outcome;
    const isRepair = "repair" in end && end.repair;
    repairs = isRepair ? repairs + 1 : 0;
    await session.stepped(step, isRepair);
  }
}

async function verdictOn(run: RunState, answer: Answer): Promise<Verdict> {
  const verdict = decide(run, answer);
  const { output } = run.settings;
  return output ? decideOutput(run, output, answer, verdict) : verdict;
}

/** A whole step: a request, and what follows from its answer. */
async function answerStep(
  run: RunState,
  repairs: number,
  repeats: Repeats,
): Promise<Pick<Answer, "finish" | "usage"> & { end: StepEnd }> {
  const isFirst = run.stepIndex === 0;
  const hasCut = await run.artifacts.cutNew();
  if (!isFirst || hasCut) refreshTools(run, { isSame: isFirst });
  await inject(run, false);
  const flaw = await prepareStep(run);
  if (flaw) return { finish: "error", end: { outcome: { status: "error", text: run.lastText, error: flaw } } };
  const answer = await readAnswer(run);
  checkStopped(run.signal);
  const end: StepEnd = answer.interrupted
    ? { repair: false }
    : await follow(run, answer, await verdictOn(run, answer), repairs, repeats);
  return { finish: answer.finish, ...defined({ usage: answer.usage }), end };
}

/** Whether the host has more to say to a model that is done. */
async function goesOn(run: RunState, { status }: Outcome): Promise<boolean> {
  if (run.injected.isEmpty || (status !== "answered" && status !== "declined")) return false;
  await inject(run, true);
  return true;
}

/** What the host said joins the conversation. */
async function inject(run: RunState, isEnd: boolean): Promise<void> {
  for (const { kind, messages } of run.injected.take(isEnd)) {
    run.conversation.add(...messages);
    run.emit({ type: "message-injected", stepIndex: run.stepIndex, kind, messages });
    await run.session.said();
  }
}

/** The limit that forbids another step, if one does. Time is watched by the run's deadline. */
function limitReached(run: RunState): LimitKind | undefined {
  const { turns, tokens, cost } = run.settings.limits;
  if (run.turns >= turns) return "turns";
  if (run.tokens >= tokens) return "tokens";
  if ((run.usage.cost ?? 0) >= cost) return "cost";
  return undefined;
}

async function follow(
  run: RunState,
  answer: Answer,
  verdict: Verdict,
  repairs: number,
  repeats: Repeats,
): Promise<StepEnd> {
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
      await run.session.answered(answer, asked);
      return act(run, asked, repairs, repeats);
    }
  }
}

/** Sends the answer back, unless the model has used up its repair turns. */
function repair(run: RunState, verdict: Verdict & { kind: "repair" }, repairs: number): StepEnd {
  const { reason, text, keptAnswer, issues } = verdict;
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
  if (!verdict.isTold) run.conversation.add(hostMessage(text));
  return { repair: true };
}

/** Runs what an answer asks for, or what is left of it when an earlier process had begun that. */
async function act(
  run: RunState,
  asked: Pick<OpenStep, "actions" | "notes" | "block"> & { results?: ToolResult[][] },
  repairs: number,
  repeats: Repeats,
): Promise<StepEnd> {
  const { actions, block } = asked;
  const notes = [...asked.notes];
  const decision = block ? await guardEcho(run, block, actions) : undefined;
  if (decision?.later) return waiting(run, run.session.takeWaiting(), []);
  const denial = decision?.approved === false ? run.wording.echoDenied(decision.reason) : undefined;
  const results: ToolResult[] = (asked.results ?? []).flat();
  for (const [at, action] of actions.slice(0, asked.results?.length ?? 0).entries()) {
    if (action.kind !== "decline") await retakeFinalAnswer(run, action, asked.results?.[at] ?? []);
  }
  for (const action of actions.slice(asked.results?.length)) {
    if (action.kind === "decline") {
      if (denial !== undefined) return repair(run, { kind: "repair", reason: "unreadable", text: denial }, repairs);
      run.lastText = action.message;
      return { outcome: { status: "declined", text: action.message } };
    }
    if (denial === undefined && repeats.exceededBy(action)) {
      return { outcome: { status: "limit", limit: "repeats", text: run.lastText } };
    }
    const { results: given, pending } = await runAction(run, action, denial, results);
    if (pending.length > 0) return waiting(run, pending, given);
    results.push(...given);
    const spent = denial === undefined ? repeats.note(action, given) : [];
    if (spent.length > 0) notes.push(run.wording.repeated(spent, run.settings.limits.repeats));
    if (run.signal.aborted) break;
  }
  run.lastResults = results;
  run.conversation.add(resultMessage(results));
  // The session has the results already.
  run.conversation.takeNew();
  checkStopped(run.signal);
  if (run.final) {
    const { value } = run.final;
    return { outcome: { status: "answered", text: toJsonText(value), value } };
  }
  if (run.settings.mode === "single") return { outcome: outcomeOfResults(results) };
  if (await isEnough(run, results)) return { outcome: { status: "stopped", text: run.lastText } };
  if (notes.length > 0) run.conversation.add(hostMessage(notes.join("\n\n")));
  const wrong = refusedAnswer(run, results);
  return wrong ? repair(run, wrong, repairs) : { repair: false };
}

/** The run ends for now: calls wait for decisions. */
async function waiting(run: RunState, asked: ApprovalRequest[], results: ToolResult[]): Promise<StepEnd> {
  const pending = await Promise.all(
    asked.map(async (request) => ({ ...request, fingerprint: await fingerprintOf(request) })),
  );
  await run.session.waits(pending, results);
  const { session, lastText: text } = run;
  return { outcome: { status: "waiting", text, pending, snapshot: session.snapshot() } };
}

/** Whether the host's conditions end the run here; one that throws does. */
async function isEnough(run: RunState, results: readonly ToolResult[]): Promise<boolean> {
  const { stepIndex, turns, lastText: text, conversation } = run;
  for (const condition of run.settings.stopWhen) {
    try {
      const state = { stepIndex, turns, usage: { ...run.usage }, results, text, messages: conversation.messages };
      if (await orStopped(condition(state), run.signal)) return true;
    } catch (error) {
      checkStopped(run.signal);
      run.warn("agent/hook-failed", `stopWhen threw, and the run stops: ${errorText(error)}`);
      return true;
    }
  }
  return false;
}

/** `single` mode: the results are the outcome. */
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

/** A message of the host to the model, outside every tool's output. */
function hostMessage(text: string): Message {
  return textMessage("user", text, "host");
}
