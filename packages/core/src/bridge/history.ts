import type { Action } from "../action.ts";
import type { ContentBlock, ToolCall, ToolResult } from "../call.ts";
import type { MessagePart } from "../message.ts";
import { neutralize } from "../text/neutralize.ts";
import { type BridgeSetup, nowhere } from "./setup.ts";
import type { BridgeMessage, EncodedMessage, RefusalPart } from "./types.ts";

type Asked = (MessagePart & { type: "call" }) | RefusalPart;

/** Messages for a model without function calls. */
export function encodeHistory<Other extends { type: string }>(
  messages: readonly BridgeMessage<Other>[],
  setup: BridgeSetup,
): EncodedMessage<Other>[] {
  const encoded: EncodedMessage<Other>[] = [];
  const names = new Map<string, string>();
  let waiting: Asked[] = [];
  let results: ToolResult[] = [];
  const answer = (): void => {
    const parts = answerParts(waiting, results, names, setup);
    if (parts.length > 0) encoded.push({ role: "user", trust: "untrusted", parts });
    [waiting, results] = [[], []];
  };
  for (const message of joinAnswers(messages)) {
    const found = message.parts.flatMap((part) => (isResult(part) ? [part.result] : []));
    results.push(...found);
    const rest = message.parts.filter((part) => !isResult(part));
    if (rest.length === 0 && found.length > 0) continue;
    answer();
    const asked = rest.filter(isAsked);
    waiting = asked;
    for (const part of asked) if (part.type === "call") names.set(part.call.id, part.call.name);
    const untrusted = message.trust === "untrusted" && message.role !== "assistant";
    const parts = asked.length > 0 ? writeCalls(rest, setup) : (rest as EncodedMessage<Other>["parts"]);
    if (parts.length === 0 && rest.length > 0) continue;
    encoded.push({
      ...message,
      role: message.role === "tool" ? "user" : message.role,
      parts: untrusted ? parts.map((part) => (isText(part) ? { ...part, text: neutralize(part.text) } : part)) : parts,
    });
  }
  answer();
  return encoded;
}

/** Messages for a model whose provider takes calls and results as parts: only what was refused becomes a call without input. */
export function asParts<Other extends { type: string }>(
  messages: readonly BridgeMessage<Other>[],
): EncodedMessage<Other>[] {
  return messages.map(({ parts, ...message }) => ({
    ...message,
    parts: parts.map((part): MessagePart | Other => {
      if (part.type !== "refusal") return part as MessagePart | Other;
      const { id, tool } = part as RefusalPart;
      return { type: "call", call: { id, name: tool, input: {}, protocol: "native" } };
    }),
  }));
}

/** Joins messages of one answer: some stacks have each call in a message of its own. Nothing may stand between them. */
function joinAnswers<Other extends { type: string }>(
  messages: readonly BridgeMessage<Other>[],
): BridgeMessage<Other>[] {
  const joined: BridgeMessage<Other>[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const isOne = last?.role === "assistant" && message.role === "assistant";
    if (isOne && [...last.parts, ...message.parts].some(isAsked))
      joined[joined.length - 1] = { ...last, parts: [...last.parts, ...message.parts] };
    else joined.push(message);
  }
  return joined;
}

const isText = (part: { type: string }): part is MessagePart & { type: "text" } => part.type === "text";
const isResult = (part: { type: string }): part is MessagePart & { type: "result" } => part.type === "result";
const isAsked = (part: { type: string }): part is Asked => part.type === "call" || part.type === "refusal";

/** Returns the parts of an answer: calls that follow each other as one block, refused blocks as they were written. */
function writeCalls<Other extends { type: string }>(
  parts: readonly (MessagePart | RefusalPart | Other)[],
  setup: BridgeSetup,
): EncodedMessage<Other>["parts"] {
  const written: EncodedMessage<Other>["parts"] = [];
  const { protocol, shown } = setup;
  const inThought = protocol.carries === "code";
  let calls: ToolCall[] = [];
  /** Parts before this one are blocks, or stand before one. */
  let since = 0;
  const put = (text: string): void => {
    const before = written.at(-1);
    const gap = before && isText(before) && before.text.trim() !== "" ? "\n\n" : "";
    since = written.push({ type: "text", text: gap + text });
  };
  const close = (): void => {
    if (calls.length === 0) return;
    const actions = toActions(calls, setup);
    // Where the format has a place for what was said, it stands there, and not in front of the block.
    const said: string[] = [];
    while (inThought && actions[0]?.kind === "code" && written.length > since) {
      const last = written.at(-1);
      if (!last || !isText(last)) break;
      said.unshift(last.text);
      written.pop();
    }
    put(protocol.formatActions(actions, { tools: shown, text: said.join(""), lossy: true }).trimEnd());
    calls = [];
  };
  for (const part of parts) {
    if (part.type === "call") {
      calls.push((part as MessagePart & { type: "call" }).call);
      continue;
    }
    close();
    if (part.type !== "refusal") written.push(part as MessagePart | Other);
    else if ((part as RefusalPart).text) put((part as RefusalPart & { text: string }).text);
  }
  close();
  return written;
}

/** Programs are actions of their own; other calls that follow each other are one. */
function toActions(calls: readonly ToolCall[], { programs }: BridgeSetup): Action[] {
  const actions: Action[] = [];
  for (const call of calls) {
    const { code } = (typeof call.input === "object" && call.input !== null ? call.input : {}) as { code?: unknown };
    const last = actions.at(-1);
    if (programs?.tool === call.name && typeof code === "string")
      actions.push({ kind: "code", id: call.id, language: programs.language, source: code, span: nowhere });
    else if (last?.kind === "calls") last.calls.push(call);
    else actions.push({ kind: "calls", calls: [call], span: nowhere });
  }
  return actions;
}

/** Returns what the model reads of its calls: results in their order, then what was refused, then files. */
function answerParts(
  asked: readonly Asked[],
  given: readonly ToolResult[],
  names: ReadonlyMap<string, string>,
  { protocol }: BridgeSetup,
): MessagePart[] {
  const refusals = asked.filter((part) => part.type === "refusal");
  const left = new Set(given.filter(({ callId }) => !refusals.some(({ id }) => id === callId)));
  const results: ToolResult[] = [];
  for (const part of asked) {
    if (part.type !== "call") continue;
    const { id: callId, name } = part.call;
    const own = [...left].filter((result) => result.callId === callId);
    for (const result of own) left.delete(result);
    results.push(...(own.length > 0 ? own : [{ callId, name, status: "interrupted" as const, content: [] }]));
  }
  results.push(...left);
  const named = results.map((result): ToolResult => {
    const name = result.name ?? names.get(result.callId);
    return name === undefined ? result : { ...result, name };
  });
  const texts = [
    ...(named.length > 0 ? [protocol.formatResults(named)] : []),
    ...new Set(refusals.map(({ message }) => message)),
  ];
  const files = named.flatMap(({ content }) => content.flatMap(fileOf));
  return [...(texts.length > 0 ? [{ type: "text" as const, text: texts.join("\n") }] : []), ...files];
}

/** Returns a file that came with a result; what has neither data nor address is named in the result's text. */
function fileOf(block: ContentBlock): MessagePart[] {
  if (block.type === "text") return [];
  const { mediaType = "application/octet-stream", data } = block;
  if (block.type === "resource")
    return data === undefined ? [] : [{ type: "file", mediaType, data, ...(block.title && { name: block.title }) }];
  if (data !== undefined) return [{ type: "file", mediaType, data }];
  return block.url === undefined ? [] : [{ type: "file", mediaType, url: block.url }];
}
