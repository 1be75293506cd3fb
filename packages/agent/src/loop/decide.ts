import {
  type Action,
  type BlockBase,
  bindNames,
  concernsCalls,
  type Diagnostic,
  isRunnable,
  type PlanStep,
  type Segment,
  type Span,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
} from "@toolglot/core";
import type { CallFinding, GuardedCall } from "@toolglot/core/check-call";
import { failure } from "@toolglot/core/executing";
import { fabricatedResult, foreignCall, foreignFormat, likeCalls } from "../codes.ts";
import type { RepairReason } from "../events.ts";
import { readArguments } from "./arguments.ts";
import type { Run } from "./run.ts";
import type { Answer, Repair, Runnable, Verdict } from "./types.ts";

type BlockSegment = Segment<BlockBase> & { type: "block" };

/** Reads an answer as a whole; nothing is run before its message has ended. */
export function decide(run: Run, answer: Answer): Verdict {
  const { protocol } = run.step;
  if (answer.error) return { kind: "fail", error: answer.error };
  if (answer.finish === "error") return fail("agent/model-failed", "The model ended its answer with an error.");
  if (answer.finish === "filter")
    return fail("agent/filtered", "The provider's content filter ended the answer; nothing of it was run.");
  if (protocol.declaresTools && answer.calls.length > 0) return actOnCalls(answer.calls);
  const [first, ...rest] = answer.parsed.segments.filter(isSent);
  if (!first) return decideText(run, answer);
  if (!isRunnable(first.block)) return unreadable(run, answer, first.block);
  return actOnBlock(run, answer, first, rest.length);
}

/** Whether a segment is a block that was sent: one that was only thought, or is only shown, decides nothing. */
export function isSent(segment: Segment<BlockBase>): segment is BlockSegment {
  return segment.type === "block" && !segment.block.inReasoning && !segment.block.shown;
}

const fail = (code: string, message: string): Verdict => ({ kind: "fail", error: { code, message } });

const repair = (reason: RepairReason, text: string): Repair => ({ kind: "repair", reason, text });

function actOnCalls(calls: ToolCall[]): Verdict {
  return { kind: "act", actions: [{ kind: "calls", calls, span: { start: 0, end: 0 } }], notes: [] };
}

/** Decides about a text without a block: an answer, or what should have been a block. */
function decideText(run: Run, answer: Answer): Verdict {
  const { mode } = run.settings;
  const { protocol } = run.step;
  const { wording } = run;
  const text = visibleText(answer);
  if (answer.calls.length > 0) return repair("undeclared-call", wording.undeclaredCall(protocol.id.toUpperCase()));
  const explanation = protocol.explain(answer.parsed);
  const { diagnostics, blocks } = answer.parsed;
  const shown = blocks.filter((block) => block.shown);
  let next = 0;
  // Findings are in order, and so are blocks.
  const isOfShown = ({ span }: Diagnostic): boolean => {
    while ((shown[next]?.span.end ?? span.start) < span.start) next += 1;
    const block = shown[next];
    return block !== undefined && overlap(span, block.span);
  };
  if (diagnostics.some((finding) => finding.severity === "error" && !isOfShown(finding)))
    return repair("unreadable", explanation ?? wording.unreadable);
  // Lesser findings (a reasoning tag that was never opened) must not turn a good answer into a repair turn.
  const likeCall = diagnostics.find(({ code }) => likeCalls.has(code));
  if (likeCall) {
    const isForeign = likeCall.code === foreignFormat || likeCall.code === foreignCall;
    const reason = isForeign ? "foreign-format" : "not-sent";
    return { ...repair(reason, explanation ?? wording.unreadable), ...(mode === "loop" && { keptAnswer: text }) };
  }
  if (text === "" && answer.finish === "length") return repair("truncated", wording.truncated);
  if (text === "") return repair("empty", explanation ?? wording.empty);
  if (mode === "single" && !protocol.declaresTools)
    return repair("no-block", explanation ?? wording.noBlock(protocol.id.toUpperCase()));
  return { kind: "answer", text };
}

/** Returns what the model wrote, less reasoning and the blocks that it sent. */
export function visibleText({ parsed, text }: Answer): string {
  const texts = parsed.segments.map((segment) => {
    if (segment.type === "text") return segment.text;
    return segment.type === "block" && segment.block.shown ? text.slice(segment.span.start, segment.span.end) : "";
  });
  return texts.join("").trim();
}

function unreadable(run: Run, answer: Answer, block: BlockBase): Verdict {
  const { wording } = run;
  const explanation = run.step.protocol.explain(answer.parsed);
  if (block.afterFabricatedResult) return repair("unreadable", explanation ?? wording.fabricatedResult);
  if (block.status !== "truncated") return repair("unreadable", explanation ?? wording.unreadable);
  const text = answer.finish === "length" ? [wording.truncated, explanation] : [explanation ?? wording.truncated];
  return repair("truncated", text.filter((part) => part !== undefined).join("\n\n"));
}

function actOnBlock(run: Run, answer: Answer, segment: BlockSegment, extraBlocks: number): Verdict {
  const { protocol } = run.step;
  const { wording } = run;
  const { block } = segment;
  const actions = withUniqueIds(run, protocol.actions(block), protocol.declaresTools === true);
  if (actions.length === 0) return unreadable(run, answer, block);
  const held = holdBack(run, answer, segment, actions);
  if (held !== undefined) return repair("held-back", held);
  const notes: string[] = [];
  const explanation = protocol.explain(answer.parsed);
  const fabricated = answer.parsed.diagnostics.some(({ code }) => code === fabricatedResult);
  if (explanation !== undefined) notes.push(explanation);
  else {
    if (extraBlocks > 0) notes.push(wording.extraBlocks(extraBlocks));
    if (fabricated) notes.push(wording.fabricatedResult);
  }
  if (answer.calls.length > 0) notes.push(wording.undeclaredCall(protocol.id.toUpperCase()));
  return { kind: "act", actions, block, notes };
}

/**
 * Returns actions with ids that are unique in the run and the same when it is replayed: the loop's, or the calls' own, as those of calls
 * that came as parts.
 */
function withUniqueIds(run: Run, actions: readonly Action[], keepsIds: boolean): Action[] {
  return actions.map((action) => {
    switch (action.kind) {
      case "calls":
        return {
          ...action,
          calls: action.calls.map((call) => ({ ...call, id: run.uniqueCallId(keepsIds ? call.id : undefined) })),
        };
      case "plan": {
        const steps = action.plan.steps.map((step) => ({ ...step, callId: run.uniqueCallId() }));
        return { ...action, plan: { ...action.plan, steps } };
      }
      case "code":
        return { ...action, id: run.uniqueCallId() };
      default:
        return action;
    }
  });
}

/**
 * Returns the message to the model when a block must not run, because a repair affects a value in a call to a tool that is not
 * known to be read-only. Then nothing of the block runs. For code it is enough that the source names such a tool. A
 * tool that is not declared counts as one with effects.
 */
function holdBack(
  run: Run,
  answer: Answer,
  { block, span }: BlockSegment,
  actions: readonly Action[],
): string | undefined {
  const { diagnostics } = answer.parsed;
  const repairs = diagnostics.filter(
    (found) => found.affects === "value" && overlap(found.span, span) && concernsCalls(found, block),
  );
  if (repairs.length === 0) return undefined;
  const risky = [...new Set(actions.flatMap((action) => riskyTools(action, run.step.tools, repairs)))];
  if (risky.length === 0) return undefined;
  const findings = repairs.map(({ message, hint }) => (hint ? `${message} ${hint}` : message));
  return run.wording.heldBack(risky, findings);
}

/** Returns the tools that may change things and that an action calls; with repairs, only those of calls that a repair lies in. */
export function riskyTools(
  action: Action,
  tools: readonly ToolDefinition[],
  repairs: readonly Diagnostic[] = [],
): string[] {
  const readOnly = new Set(tools.filter((tool) => tool.annotations?.readOnlyHint === true).map((tool) => tool.name));
  return calledTools(action, tools, repairs).filter((name) => !readOnly.has(name));
}

/** Returns what a call of a tool does, as far as it is known: nothing but reading, or nothing more when it is made again. */
export function hintsOf(run: Run, name: string, tool?: ToolDefinition): { onlyReads: boolean; mayRepeat: boolean } {
  const { annotations } = tool ?? run.step.tools.find((one) => one.name === name) ?? {};
  const onlyReads = annotations?.readOnlyHint === true;
  return { onlyReads, mayRepeat: onlyReads || annotations?.idempotentHint === true };
}

function calledTools(action: Action, tools: readonly ToolDefinition[], repairs: readonly Diagnostic[]): string[] {
  switch (action.kind) {
    case "calls":
      return touched(action.calls, repairs).map((call) => call.name);
    case "plan":
      return touched(action.plan.steps, repairs).map((step) => step.tool);
    case "code":
      return namedTools(action.source, action.language, tools);
    default:
      return [];
  }
}

/** Returns the calls that a repair lies in; all of them when one lies between calls or when places aren't known. */
function touched<Call extends { span?: Span }>(
  calls: readonly Call[],
  repairs: readonly Diagnostic[],
): readonly Call[] {
  const hits = repairs.map((repair) => calls.filter(({ span }) => !span || overlap(repair.span, span)));
  return hits.length === 0 || hits.some((hit) => hit.length === 0) ? calls : [...new Set(hits.flat())];
}

/** Returns the tools whose identifier is anywhere in the source, strings and comments included: too many rather than too few. */
function namedTools(source: string, language: "python" | "javascript", tools: readonly ToolDefinition[]): string[] {
  // Python compares identifiers in NFKC, so `ｄelete` is `delete`.
  const text = language === "python" ? source.normalize("NFKC") : source;
  const words = new Set(text.match(/[\p{ID_Continue}$]+/gu));
  return bindNames(tools, language)
    .tools.filter(({ identifier }) => words.has(identifier))
    .map(({ name }) => name);
}

function overlap(a: Span, b: Span): boolean {
  return a.start <= b.end && b.start <= a.end;
}

/** An action whose calls were looked at. */
interface CheckedAction {
  /** Steps of a plan that must not run have their error. */
  action: Runnable;
  /** Results of calls that must not run. */
  refused: ToolResult[];
  /** What was found about calls that run all the same, by their id. */
  findings: ReadonlyMap<string, CallFinding[]>;
}

/**
 * Looks for calls that arrived damaged, and for arguments that are still text: those were no JSON. Of an action that an earlier
 * process began, nothing is refused as damaged: it may have run.
 */
export function checkCalls(run: Run, action: Runnable, isRestored: boolean): CheckedAction {
  const refused: ToolResult[] = [];
  const findings = new Map<string, CallFinding[]>();
  const refusalOf = (call: GuardedCall & { id: string }): string | undefined => {
    const tool = run.step.tools.find(({ name }) => name === call.name);
    const verdict = isRestored ? undefined : run.guard?.check(call, tool);
    if (verdict && verdict.refusal === undefined) findings.set(call.id, verdict.findings);
    return verdict?.refusal;
  };
  const refuse = (call: GuardedCall & { id: string }, type: string, message: string): void => {
    refused.push({ callId: call.id, name: call.name, ...failure({ type, message }) });
  };
  if (action.kind === "calls") {
    for (const call of action.calls) {
      const refusal = refusalOf(call);
      if (refusal !== undefined) refuse(call, damaged, refusal);
      else if (typeof call.input === "string") {
        const reading = readArguments(call.input);
        const fault = "fault" in reading ? reading.fault : "a string instead of an object";
        refuse(call, "InvalidInput", run.wording.badArguments(fault));
      }
    }
    return { action, refused, findings };
  }
  if (action.kind === "code") return { action, refused, findings };
  const steps = action.plan.steps.map((step): PlanStep => {
    const message = refusalOf({ id: step.callId, name: step.tool, input: step.params });
    return message === undefined ? step : { ...step, errors: [...step.errors, { type: damaged, message }] };
  });
  return { action: { ...action, plan: { ...action.plan, steps } }, refused, findings };
}

const damaged = "DamagedCall";
