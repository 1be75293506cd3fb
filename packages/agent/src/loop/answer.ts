import type {
  BlockBase,
  MessagePart,
  ModelPart,
  ModelRequest,
  ParseResult,
  ProtocolEvent,
  ToolDefinition,
} from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { StepEvent } from "../events.ts";
import { canonicalJson, plainJson } from "../plain-json.ts";
import type { RunError } from "../result.ts";
import { ArgumentStream } from "./argument-stream.ts";
import { readArguments } from "./arguments.ts";
import { receive } from "./model-stream.ts";
import type { Run } from "./run.ts";
import { systemText } from "./show-tools.ts";
import type { Answer, Draft } from "./types.ts";
import { countUsage } from "./usage.ts";

/** Asks the model, feeds the parser, and adds the answer to the conversation. */
export async function readAnswer(run: Run): Promise<Answer> {
  const askModel = run.first("askModel");
  const role = askModel ? "kept" : "whole";
  let draft = newDraft(run, role);
  run.turns += 1;
  run.lastText = "";
  let error: RunError | undefined;
  try {
    const isOwn = run.step.messages !== undefined;
    for (const beforeRequest of isOwn ? [] : run.each("beforeRequest")) await beforeRequest();
    for (let mayShorten = !isOwn; ; mayShorten = false) {
      const request = ask(run);
      const fault = await (askModel ? askModel(request, draft) : receive(run, request, draft, take));
      error = fault?.error;
      if (fault?.isOverflow) error = await run.first("onOverflow")?.(fault.error, mayShorten);
      if (!fault?.isOverflow || error) break;
      // Nothing of the failed request is kept.
      draft = newDraft(run, role);
    }
  } catch (stopped) {
    keep(run, draft, undefined, false);
    throw stopped;
  } finally {
    draft.usage = countUsage(run, draft.usage, draft.text.length + draft.reasoning.length);
  }
  const interrupted = run.injected.answerSignal.aborted;
  const parsed = draft.parser.end(error || interrupted ? { finish: "error" } : draft.end);
  const finish = error ? "error" : (draft.end.finish ?? "stop");
  keep(run, draft, parsed, !interrupted && finish !== "error" && finish !== "filter");
  const { text, calls, usage } = draft;
  return { text, parsed, calls, finish, ...defined({ usage, error, interrupted: interrupted || undefined }) };
}

/** Makes the request, and emits its event. */
function ask(run: Run): ModelRequest {
  const { step, conversation } = run;
  const { protocol, maxTokens, declared } = step;
  const { messages, news } = step.isApart
    ? conversation.requestApart(protocol, systemText(run, step), step.messages)
    : conversation.request();
  const request: ModelRequest = { messages };
  warnOfUnpaired(run);
  if (protocol.declaresTools) request.tools = [...declared];
  const areNew = request.tools !== undefined && !isSameList(run.tools.asked, declared);
  if (request.tools !== undefined) run.tools.asked = declared;
  const stop = step.stop.length > 0 ? { stop: [...step.stop] } : {};
  run.emit({ type: "request", stepIndex: run.stepIndex, ...news, ...(areNew && { tools: [...declared] }), ...stop });
  return Object.assign(request, stop, defined({ maxTokens }));
}

/** Warns once of each call that had not exactly one result in the messages that the run was started with. */
function warnOfUnpaired(run: Run): void {
  const { missing, twice } = run.conversation.takeUnpaired();
  const warn = (ids: string[], what: string): void => {
    const fresh = ids.filter((id) => run.isFirst(`${what} ${id}`));
    if (fresh.length > 0) run.warn("agent/unpaired-calls", `${what}: ${fresh.join(", ")}.`);
  };
  warn(missing, "No result was kept of calls in the conversation; the model reads so");
  warn(twice, "Calls or their results stood twice in the conversation, and the fuller result is used");
}

/** Whether both declare the same tools to a provider. */
function isSameList(one: readonly ToolDefinition[] | undefined, other: readonly ToolDefinition[]): boolean {
  return one === other || (one !== undefined && canonicalJson(one) === canonicalJson(other));
}

/** Returns an empty draft. One that is only `shown` changes nothing in the run, one that is only `kept` emits nothing. */
export function newDraft(run: Run, role: "whole" | "shown" | "kept"): Draft {
  const { reasoning, reasoningTags, startsInReasoning } = run.settings;
  const { protocol, tools } = run.step;
  const draft: Omit<Draft, "parser"> = {
    text: "",
    visible: "",
    reasoning: "",
    signed: [],
    calls: [],
    inputs: new Map(),
    end: {},
    usage: undefined,
    received: false,
    emit: (event) => void (role === "kept" || run.emit(event)),
    idOf: (given) => (role === "shown" ? given : run.uniqueCallId(given)),
  };
  const onEvent = (event: ProtocolEvent): void => {
    if (event.phase === "text") draft.visible += event.text;
    draft.emit(toRunEvent(event, run.stepIndex));
  };
  const parser = protocol.createParser({ tools, reasoning, startsInReasoning, ...defined({ reasoningTags }), onEvent });
  return Object.assign(draft, { parser });
}

/** Adds a part to the draft. */
export function take(run: Run, draft: Draft, part: ModelPart): void {
  if (typeof part === "string") {
    if (part === "") return;
    draft.text += part;
    draft.parser.feed(part);
    return;
  }
  switch (part.type) {
    case "reasoning":
      draft.reasoning += part.text;
      if (part.meta) draft.signed.push({ type: "reasoning", text: unsigned(draft), meta: plainJson(part.meta) });
      if (part.text !== "") draft.emit({ type: "reasoning-delta", stepIndex: run.stepIndex, text: part.text });
      return;
    case "call": {
      const call = plainJson(part.call);
      const reading = typeof call.input === "string" ? readArguments(call.input) : {};
      const input = "input" in reading ? reading.input : call.input;
      draft.calls.push({ ...call, input, id: draft.idOf(call.id) });
      return;
    }
    case "call-delta":
      showArguments(run, draft, part);
      return;
    case "finish": {
      const { reason, stopSequence, usage } = part;
      draft.end = { finish: reason, ...(stopSequence !== undefined && { stopSequence }) };
      if (usage) draft.usage = { ...draft.usage, ...plainJson(usage) };
      return;
    }
  }
}

/** Emits the arguments of a native call while they come, as text protocols emit those of theirs. Nothing is run of that. */
function showArguments(
  run: Run,
  { inputs, emit }: Draft,
  { id, name, text }: Extract<ModelPart, { type: "call-delta" }>,
): void {
  if (!run.step.protocol.declaresTools) return;
  const { stepIndex } = run;
  let stream = inputs.get(id);
  if (stream === undefined) {
    const about = { type: "block-delta" as const, stepIndex, field: "input", call: inputs.size };
    emit({ ...about, text: "", ...defined({ tool: name }) });
    stream = new ArgumentStream((param, piece) => emit({ ...about, text: piece, param }));
    inputs.set(id, stream);
  }
  stream.feed(text);
}

/** Returns the reasoning behind the last stretch that the provider wants back. */
const unsigned = ({ reasoning, signed }: Omit<Draft, "parser">): string =>
  reasoning.slice(signed.reduce((length, { text }) => length + text.length, 0));

/** Adds what was received to the conversation. Calls that were never run are left out, or they would wait for a result. */
function keep(run: Run, draft: Draft, parsed: ParseResult<BlockBase> | undefined, withCalls: boolean): void {
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

/** Returns a parser's event as an event of the run. Reads nothing but what all protocols have in common. */
function toRunEvent(event: ProtocolEvent, stepIndex: number): StepEvent {
  switch (event.phase) {
    case "text":
      return { type: "text-delta", stepIndex, text: event.text };
    case "reasoning":
      return { type: "reasoning-delta", stepIndex, text: event.text };
    case "block-start":
      return { type: "block-start", stepIndex, start: event.start };
    case "delta":
      return {
        ...{ type: "block-delta", stepIndex, field: event.type.replace(/-delta$/, ""), text: event.text },
        ...defined({ call: event.call, tool: event.tool, param: event.param }),
      };
    case "block-end":
      return { type: "block-end", stepIndex, block: plainJson(event.block) };
    default:
      return { type: "diagnostic", stepIndex, diagnostic: plainJson(event.diagnostic) };
  }
}
