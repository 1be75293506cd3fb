import {
  type Action,
  type ApprovalRequest,
  type Decision,
  type ToolCall,
  type ToolDefinition,
  ToolglotError,
  type ToolResult,
} from "@toolglot/core";
import { failure } from "@toolglot/core/executing";
import { defined } from "@toolglot/internal";
import type { Answer } from "../loop/answer.ts";
import { riskyTools } from "../loop/decide.ts";
import type { RunState } from "../loop/run-state.ts";
import { canonicalJson } from "../plain-json.ts";
import type { RunStatus, RunStep } from "../types.ts";
import { askedAbout, fingerprintOf, toDecision } from "./decisions.ts";
import { packActions } from "./pack-actions.ts";
import { type OpenStep, type Restored, readLog } from "./restore.ts";
import { SessionLog } from "./session-log.ts";
import type { Asked, LaterDecision, OpenAnswer, ResumeOptions, RunSnapshot, SessionCounts } from "./types.ts";

/** What a run goes on from, when it was begun before. */
export interface Resumed {
  restored: Restored;
  lines: string[];
  owner: string;
  options: ResumeOptions;
}

/** What a run writes down, and what it finds written by an earlier process. */
export class RunSession {
  readonly #run: RunState;
  readonly #log: SessionLog;
  readonly #resumed: Resumed | undefined;
  /** The answer whose actions this process found under way, until they are over. */
  open: OpenStep | undefined;
  /** What was answered with "later" in the open action. */
  #later: ApprovalRequest[] = [];
  /** Calls of the open action that have come to an end here. */
  readonly #ended = new Set<string>();
  #isBegun = false;
  /** The store has the head. */
  #isWritten = false;
  /** Why the store failed. */
  fault: { error: unknown } | undefined;

  constructor(run: RunState, resumed: Resumed | undefined) {
    this.#run = run;
    this.#resumed = resumed;
    this.open = resumed?.restored.open;
    const { runId, settings } = run;
    const owner = resumed?.owner ?? settings.runtime.newOwner();
    this.#log = new SessionLog({ runId, owner, store: settings.sessions }, resumed?.lines ?? [], (error) => {
      this.fault = { error };
      run.requestStop({ cause: "session" });
    });
  }

  snapshot(): RunSnapshot {
    return this.#log.snapshot();
  }

  /** The head, where the run begins here. */
  async begin(): Promise<void> {
    this.#isBegun = true;
    const { runId, settings, conversation, trace } = this.#run;
    const messages = conversation.takeNew();
    if (this.#resumed) return;
    const { protocol, mode, locale } = settings;
    const about = { runId, protocol: protocol.version, mode, locale, ...defined({ traceparent: trace.traceparent }) };
    await this.#log.add({ type: "head", version: 1, ...about, messages });
    this.#isWritten = true;
  }

  /** What the host has said, before it is asked about. */
  async said(): Promise<void> {
    await this.#log.add({ type: "messages", messages: this.#run.conversation.takeNew() });
  }

  /** An answer, before its actions run. */
  async answered(
    answer: Answer,
    { block, actions, notes }: Pick<OpenAnswer, "block" | "actions" | "notes">,
  ): Promise<void> {
    const { stepIndex, lastText: text, conversation } = this.#run;
    const { finish, usage } = answer;
    await this.#log.add({
      ...{ type: "answer", stepIndex, messages: conversation.takeNew(), counts: this.#counts() },
      ...{ ...packActions(actions), notes, text, finish },
      ...(block && { block }),
      ...(usage && { usage }),
    });
  }

  /** The end of a step that another one follows. */
  async stepped(step: RunStep, repair: boolean): Promise<void> {
    const { conversation, lastText: text } = this.#run;
    this.open = undefined;
    await this.#log.add({ type: "step", step, repair, text, counts: this.#counts(), messages: conversation.takeNew() });
  }

  /** The end; of a run that could not even begin there is nothing to write down. */
  async ended(status: RunStatus, text: string): Promise<void> {
    if (!this.#isBegun) return;
    const messages = this.#run.conversation.takeNew();
    await this.#log.add({ type: "end", status, text, counts: this.#counts(), messages });
  }

  /** A whole action, or a call of an executor without hooks, is about to begin. */
  async starts(callId: string): Promise<void> {
    await this.#log.add({ type: "call-start", callId });
  }

  /** The results of an action that is over. */
  async acted(results: ToolResult[]): Promise<void> {
    this.#ended.clear();
    await this.#log.add({ type: "results", results });
  }

  /** A call that may have an effect is about to begin, and has ended. */
  async callStarts(call: Pick<ToolCall, "id" | "name">, tool: ToolDefinition | undefined): Promise<void> {
    if (!this.#onlyReads(call, tool)) await this.starts(call.id);
  }

  async callEnds(call: ToolCall, result: ToolResult, tool: ToolDefinition | undefined): Promise<void> {
    this.#ended.add(call.id);
    if (!this.#onlyReads(call, tool)) await this.#log.add({ type: "call-end", callId: call.id, result });
  }

  #onlyReads({ name }: Pick<ToolCall, "name">, tool: ToolDefinition | undefined): boolean {
    return (tool ?? this.#toolOf(name))?.annotations?.readOnlyHint === true;
  }

  #toolOf(name: string | undefined): ToolDefinition | undefined {
    return this.#run.step.tools.find((tool) => tool.name === name);
  }

  /**
   * The result of a call that was begun, or had ended, in an earlier process; undefined for one that is to be made. `mayRepeat`: making it
   * again does no harm.
   */
  async settled(call: { id: string; name?: string }, mayRepeat: boolean): Promise<ToolResult | undefined> {
    const { open } = this;
    const { id: callId, name } = call;
    if (open === undefined) return undefined;
    const saved = open.ended.get(callId);
    if (saved) {
      this.#ended.add(callId);
      return saved;
    }
    if (!open.started.has(callId)) return undefined;
    const given = this.#resumed?.options.settle?.[callId];
    if (given === "rerun" || (given === undefined && mayRepeat)) return undefined;
    const message = this.#run.wording.inDoubt;
    const named = name === undefined ? { callId } : { callId, name };
    const result = given ?? { ...named, ...failure({ type: "InDoubt", message }) };
    if (given === undefined) this.#run.emit({ type: "call-in-doubt", stepIndex: this.#run.stepIndex, ...named });
    open.ended.set(callId, result);
    this.#ended.add(callId);
    await this.#log.add({ type: "call-end", callId, result });
    return result;
  }

  /** Whether a call of this tool may be made again when nobody knows whether it was made. */
  isRepeatable(name: string, tool: ToolDefinition | undefined): boolean {
    const { readOnlyHint, idempotentHint } = (tool ?? this.#toolOf(name))?.annotations ?? {};
    return readOnlyHint === true || idempotentHint === true;
  }

  /** Whether a program may be run again. */
  isHarmless(action: Action): boolean {
    return riskyTools(action, this.#run.step.tools).length === 0;
  }

  /** What was decided about this very request, in an earlier process. */
  keptDecision(request: ApprovalRequest): Decision | undefined {
    if (this.open === undefined) return undefined;
    const { callId } = request;
    const { decisions = [] } = this.#resumed?.restored ?? {};
    return decisions.find((one) => one.callId === callId && isSameRequest(one.asked, request))?.decision;
  }

  /** What the resumption says of this very request; undefined, not a promise, where it says nothing: a replay must not wait. */
  givenDecision(request: ApprovalRequest): Promise<Decision | undefined> | undefined {
    const { callId } = request;
    const given = this.open && this.#resumed?.options.decisions?.[callId];
    return given && this.#bound(request, given);
  }

  async #bound(request: ApprovalRequest, given: LaterDecision): Promise<Decision | undefined> {
    const { callId } = request;
    const fingerprint = await fingerprintOf(request);
    const asked = this.#resumed?.restored.pending.find((one) => one.callId === callId);
    if ((given.fingerprint ?? asked?.fingerprint) === fingerprint) return toDecision(callId, given);
    this.#run.warn(
      "agent/decision-refused",
      `The decision about the call ${callId} was made about another tool or input: it does not count, and is asked for again.`,
    );
    return undefined;
  }

  async decided({ callId, kind, tool, input }: ApprovalRequest, decision: Decision): Promise<void> {
    const asked = { kind, input, ...(tool !== undefined && { tool }) };
    await this.#log.add({ type: "decision", callId, asked, decision });
  }

  /** Whether a call of the open action has come to an end. */
  hasEnded(callId: string): boolean {
    return this.#ended.has(callId);
  }

  /** The host decides later. */
  postponed(request: ApprovalRequest): void {
    this.#later.push(request);
  }

  /** What a fault of the store means: of a run that could not begin, because there is one of its name, how that one stands. */
  async faultOf(error: unknown): Promise<unknown> {
    const { runId, settings } = this.#run;
    if (this.#resumed || this.#isWritten || !ToolglotError.isInstance(error)) return error;
    if (error.code !== "agent/session-busy") return error;
    try {
      const texts = await settings.sessions?.read(runId);
      return texts ? runExists(runId, readLog(texts).restored) : error;
    } catch {
      return error;
    }
  }

  /** Requests that wait, of those answered with "later"; the others came to a denial. Without results, all of them wait. */
  takeWaiting(results?: readonly ToolResult[]): ApprovalRequest[] {
    const later = this.#later;
    this.#later = [];
    const waits = ({ callId }: ApprovalRequest): boolean =>
      results?.some(
        (result) => result.status === "pending" && (callId === result.callId || callId.startsWith(`${result.callId}:`)),
      ) ?? true;
    const waiting = later.filter(waits);
    this.#run.denied += later.length - waiting.length;
    return waiting;
  }

  /** Calls of the open action wait; `results`: of those that have run. */
  async waits(pending: ApprovalRequest[], results: ToolResult[]): Promise<void> {
    await this.#log.add({ type: "waiting", pending, results, counts: this.#counts() });
  }

  #counts(): SessionCounts {
    const { turns, tokens, usage, own, denied, nextCall, liveMs: ms } = this.#run;
    return { turns, tokens, usage: { ...usage }, ...(own && { own: { ...own } }), denied, nextCall, ms };
  }
}

/** A decision counts for what was asked about: the tool with this input, in whatever order its keys are. */
function isSameRequest(one: Asked, other: Asked): boolean {
  return canonicalJson(askedAbout(one)) === canonicalJson(askedAbout(other));
}

/** The error of a run whose id another one has. */
function runExists(runId: string, { ended, from }: Restored): ToolglotError {
  const data = { data: { runId, ...ended } };
  const name = `There is a run ${JSON.stringify(runId)} already, which`;
  if (ended) return new ToolglotError("agent/session-ended", `${name} has ended: give another runId, or none.`, data);
  const state = from === "approval" ? "waits for decisions" : "has not ended, and may be under way elsewhere";
  return new ToolglotError(
    "agent/session-busy",
    `${name} ${state}: agent.resume goes on with it. Give another runId, or none.`,
    data,
  );
}
