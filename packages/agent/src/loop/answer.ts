import type {
  BlockBase,
  EndOptions,
  FinishReason,
  MessagePart,
  ModelPart,
  ModelRequest,
  ParseResult,
  Parser,
  ProtocolEvent,
  ToolCall,
  Usage,
} from "@toolglot/core";
import { isContextOverflow, ToolglotError } from "@toolglot/core";
import { defined, errorText } from "@toolglot/internal";
import { readArguments } from "../arguments.ts";
import type { StepEvent } from "../events.ts";
import { plainJson } from "../plain-json.ts";
import { checkStopped, orStopped } from "../stop.ts";
import type { RunError } from "../types.ts";
import { tokensOf } from "./conversation.ts";
import { estimateOf, makeRoom, makeRoomIfNeeded, windowOf } from "./make-room.ts";
import { toRunError } from "./run-error.ts";
import type { RunState } from "./run-state.ts";

/** One answer of the model, read to its end or as far as it came. */
export interface Answer {
  /** Everything the model wrote but reasoning parts. */
  text: string;
  parsed: ParseResult<BlockBase>;
  calls: ToolCall[];
  finish: FinishReason;
  usage?: Usage;
  /** The host ended it; its calls don't run. */
  interrupted?: boolean;
  /** The model's stream failed; what was received before is kept. */
  error?: RunError;
}

/** What has been received while the stream goes on. */
interface Draft {
  text: string;
  /** Visible text: what the parser gave as text. */
  visible: string;
  reasoning: string;
  /** The stretches of it that the provider wants back as its own. */
  signed: (MessagePart & { type: "reasoning" })[];
  calls: ToolCall[];
  end: EndOptions;
  usage: Usage | undefined;
  /** Whether any part came. */
  received: boolean;
  parser: Parser<BlockBase>;
}

/** Asks the model, feeds the parser, and adds the answer to the conversation. */
export async function readAnswer(run: RunState): Promise<Answer> {
  let draft = newDraft(run);
  run.turns += 1;
  run.lastText = "";
  let error: RunError | undefined;
  try {
    await makeRoomIfNeeded(run);
    let fault = await receive(run, ask(run), draft);
    if (fault?.isOverflow && (await makeRoom(run, "overflow", Math.ceil(estimateOf(run) / 2)))) {
      // Nothing of the failed request is kept.
      draft = newDraft(run);
      fault = await receive(run, ask(run), draft);
    }
    error = fault?.isOverflow ? overflowError(run, fault.error) : fault?.error;
  } catch (stopped) {
    keep(run, draft, undefined, false);
    throw stopped;
  } finally {
    count(run, draft);
  }
  const interrupted = run.injected.answerSignal.aborted;
  const parsed = draft.parser.end(error || interrupted ? { finish: "error" } : draft.end);
  const finish = error ? "error" : (draft.end.finish ?? "stop");
  keep(run, draft, parsed, !interrupted && finish !== "error" && finish !== "filter");
  return {
    text: draft.text,
    parsed,
    calls: draft.calls,
    finish,
    ...(draft.usage && { usage: draft.usage }),
    ...(error && { error }),
    ...(interrupted && { interrupted }),
  };
}

/** Makes the request, and emits its event. */
function ask(run: RunState): ModelRequest {
  const { protocol, maxTokens } = run.settings;
  const { messages, news } = run.conversation.request();
  const request: ModelRequest = { messages };
  const { declared } = run.tools;
  if (protocol.declaresTools) request.tools = [...declared];
  const areNew = request.tools !== undefined && run.declared !== declared;
  run.declared = declared;
  const stop = protocol.stop.length > 0 ? { stop: [...protocol.stop] } : {};
  const { stepIndex } = run;
  run.emit({ type: "request", stepIndex, ...news, ...(areNew && { tools: [...declared] }), ...stop });
  Object.assign(request, stop);
  if (maxTokens !== undefined) request.maxTokens = maxTokens;
  return request;
}

function newDraft(run: RunState): Draft {
  const { protocol, reasoning, startsInReasoning } = run.settings;
  const draft: Omit<Draft, "parser"> = {
    text: "",
    visible: "",
    reasoning: "",
    signed: [],
    calls: [],
    end: {},
    usage: undefined,
    received: false,
  };
  const onEvent = (event: ProtocolEvent): void => {
    if (event.phase === "text") draft.visible += event.text;
    run.emit(toRunEvent(event, run.stepIndex));
  };
  const parser = protocol.createParser({ tools: run.tools.current, reasoning, startsInReasoning, onEvent });
  return Object.assign(draft, { parser });
}

interface ModelFault {
  error: RunError;
  /** The request was longer than the model's context. */
  isOverflow: boolean;
}

function overflowError(run: RunState, { message }: RunError): RunError {
  const data = { estimate: estimateOf(run), ...defined({ window: windowOf(run) }) };
  return { code: "agent/context-overflow", message: `The conversation is too long for the model: ${message}`, data };
}

/** Reads the model's stream; a stream that fails before its first part is read a second time. */
async function receive(run: RunState, request: ModelRequest, draft: Draft): Promise<ModelFault | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    const fault = await readStream(run, request, draft);
    if (!fault) return undefined;
    const isOverflow = isContextOverflow(fault.error);
    const retry = attempt === 0 && !draft.received && !isOverflow && !ToolglotError.isInstance(fault.error);
    const error = toRunError(fault.error, "agent/model-failed");
    if (!retry) return { error, isOverflow };
    run.warn(
      "agent/model-retried",
      `The model failed before it said anything, and is asked once more: ${error.message}`,
    );
  }
}

async function readStream(run: RunState, request: ModelRequest, draft: Draft): Promise<{ error: unknown } | undefined> {
  const { answerSignal } = run.injected;
  if (answerSignal.aborted) return undefined;
  const signal = AbortSignal.any([run.signal, answerSignal]);
  let iterator: AsyncIterator<ModelPart>;
  try {
    iterator = run.settings.model(request, signal)[Symbol.asyncIterator]();
  } catch (error) {
    return { error };
  }
  for (;;) {
    let next: IteratorResult<ModelPart>;
    try {
      checkStopped(signal);
      next = await orStopped(iterator.next(), signal);
    } catch (error) {
      if (!signal.aborted) return { error };
      // Not awaited: a stream that hangs would hang here too.
      Promise.resolve(iterator.return?.()).catch(() => undefined);
      if (!run.signal.aborted) return undefined;
      throw error;
    }
    if (next.done) return undefined;
    draft.received = true;
    take(run, draft, next.value);
  }
}

function take(run: RunState, draft: Draft, part: ModelPart): void {
  if (typeof part === "string") {
    if (part === "") return;
    draft.text += part;
    draft.parser.feed(part);
    return;
  }
  switch (part?.type) {
    case "reasoning":
      draft.reasoning += part.text;
      if (part.meta) draft.signed.push({ type: "reasoning", text: unsigned(draft), meta: plainJson(part.meta) });
      if (part.text !== "") run.emit({ type: "reasoning-delta", stepIndex: run.stepIndex, text: part.text });
      return;
    case "call": {
      const call = plainJson(part.call);
      const reading = readArguments(call.input);
      const input = "input" in reading ? reading.input : call.input;
      draft.calls.push({ ...call, input, id: run.uniqueCallId(call.id) });
      return;
    }
    case "finish": {
      const { reason, stopSequence, usage } = part;
      draft.end = { finish: reason, ...(stopSequence !== undefined && { stopSequence }) };
      if (usage) draft.usage = { ...draft.usage, ...plainJson(usage) };
      return;
    }
    default:
      run.warn("agent/unknown-part", "The model's stream held a part of an unknown type; it was left out.");
  }
}

/** Reasoning behind the last stretch that the provider wants back. */
const unsigned = ({ reasoning, signed }: Omit<Draft, "parser">): string =>
  reasoning.slice(signed.reduce((length, { text }) => length + text.length, 0));

/** Adds what was received to the conversation. Calls that were never run are left out, or they would wait for a result. */
function keep(run: RunState, draft: Draft, parsed: ParseResult<BlockBase> | undefined, withCalls: boolean): void {
  const hidden = (parsed?.segments ?? []).filter((segment) => segment.type === "reasoning");
  let text = "";
  let from = 0;
  for (const { span } of hidden) {
    text += draft.text.slice(from, span.start);
    from = span.end;
  }
  text += draft.text.slice(from);
  const reasoning = unsigned(draft) + hidden.map((segment) => ("text" in segment ? segment.text : "")).join("");
  const parts: MessagePart[] = [...draft.signed];
  if (reasoning !== "") parts.push({ type: "reasoning", text: reasoning });
  if (text.trim() !== "") parts.push({ type: "text", text });
  if (withCalls) parts.push(...draft.calls.map((call) => ({ type: "call" as const, call })));
  run.lastText = draft.visible.trim();
  if (parts.length > 0) run.conversation.add({ role: "assistant", trust: "user", parts });
}

/** Adds a step's tokens, and what they cost, to the run's. */
function count(run: RunState, draft: Draft): void {
  const usage = draft.usage && priced(run, draft.usage);
  for (const key of Object.keys(usage ?? {}) as (keyof Usage)[]) {
    const given = usage?.[key];
    if (typeof given === "number") run.usage[key] = (run.usage[key] ?? 0) + given;
  }
  draft.usage = usage;
  const window = windowOf(run);
  if (window !== undefined && (usage?.inputTokens ?? 0) > window) {
    run.warn(
      "agent/context-exceeded",
      `The model read ${usage?.inputTokens} tokens, its context is ${window}: it may have left some out.`,
    );
  }
  run.tokens += stepTokens(usage, run.conversation.requestLength + draft.text.length + draft.reasoning.length);
}

function priced(run: RunState, usage: Usage): Usage {
  const { price, model } = run.settings;
  if (price === undefined) return usage;
  try {
    const cost = price(usage, { stepIndex: run.stepIndex, ...(model.info && { model: model.info }) });
    if (Number.isFinite(cost) && cost >= 0) return { ...usage, cost };
    run.warn("agent/price-failed", `price must give a number from 0, not ${String(cost)}; the step has no cost.`);
  } catch (error) {
    run.warn("agent/price-failed", `price threw; the step has no cost: ${errorText(error)}`);
  }
  return usage;
}

/** Tokens of one step: the provider's count, or an estimate from the characters. */
function stepTokens(usage: Usage | undefined, characters: number): number {
  if (usage?.inputTokens !== undefined || usage?.outputTokens !== undefined) {
    return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  }
  return tokensOf(characters);
}

/** A parser's event as an event of the run. Reads nothing but what all protocols have in common. */
function toRunEvent(event: ProtocolEvent, stepIndex: number): StepEvent {
  switch (event.phase) {
    case "text":
      return { type: "text-delta", stepIndex, text: event.text };
    case "reasoning":
      return { type: "reasoning-delta", stepIndex, text: event.text };
    case "block-start":
      return { type: "block-start", stepIndex, start: event.start };
    case "delta":
      return { type: "block-delta", stepIndex, field: event.type.replace(/-delta$/, ""), text: event.text };
    case "block-end":
      return { type: "block-end", stepIndex, block: plainJson(event.block) };
    default:
      return { type: "diagnostic", stepIndex, diagnostic: plainJson(event.diagnostic) };
  }
}
