import type { MessagePart, ToolResult } from "@toolglot/core";
import type { Bridge, BridgeMessage, EncodedMessage } from "@toolglot/core/bridge";
import { defined } from "@toolglot/internal";
import { filePart } from "./file-parts.ts";
import { blockOf } from "./result-content.ts";
import type { Part, PromptMessage, SpecificationVersion } from "./spec.ts";

/** A part that stays as it is. */
interface Kept {
  type: "kept";
  part: Part;
}

/** A text that stays as it is, unless it becomes part of a block. */
type KeptText = MessagePart & { type: "text"; part?: Part };

/** A message with what it was made of. */
export type DecodedMessage = BridgeMessage<Kept> & { source: PromptMessage };

/** Messages of the AI SDK as the bridge takes them. */
export function decodePrompt(prompt: readonly PromptMessage[]): DecodedMessage[] {
  const provided = new Set<unknown>();
  const asked = new Map<unknown, Part>();
  const answered = new Set<unknown>();
  for (const { content } of prompt)
    for (const part of typeof content === "string" ? [] : content) {
      if (part.type === "tool-call" && part.providerExecuted === true) provided.add(part.toolCallId);
      if (part.type === "tool-approval-request") asked.set(part.approvalId, part);
      if (part.type === "tool-result") answered.add(part.toolCallId);
    }
  const decode = (part: Part, role: PromptMessage["role"]): DecodedMessage["parts"] => {
    const kept: Kept[] = [{ type: "kept", part }];
    if (role === "user") return kept;
    const ofClient = !provided.has(part.toolCallId);
    if (part.type === "text") return [{ type: "text", text: part.text as string, part } as KeptText];
    if (part.type === "tool-call" && ofClient) return [callOf(part)];
    if (part.type === "tool-approval-request" && ofClient) return [];
    if (part.type === "tool-result" && ofClient)
      return [
        { type: "result", result: resultOf(part.toolCallId as string, part.toolName as string, part.output as Output) },
      ];
    if (part.type !== "tool-approval-response") return kept;
    const call = asked.get(part.approvalId)?.toolCallId;
    if (call === undefined || provided.has(call)) return kept;
    if (part.approved === true || answered.has(call)) return [];
    return [{ type: "result", result: denied(call as string, part.reason) }];
  };
  return prompt.map((source) => ({
    role: source.role,
    trust: source.role === "system" ? "host" : "user",
    parts: typeof source.content === "string" ? [] : source.content.flatMap((part) => decode(part, source.role)),
    source,
  }));
}

function callOf(part: Part): DecodedMessage["parts"][number] {
  const {
    toolCallId: id,
    toolName,
    input,
  } = part as unknown as { toolCallId: string; toolName: string; input: unknown };
  const { message, text } = part.providerOptions?.toolglot ?? {};
  if (typeof message !== "string") return { type: "call", call: { id, name: toolName, input, protocol: "ai-sdk" } };
  return { type: "refusal", id, tool: toolName, message, ...(typeof text === "string" && { text }) };
}

/** Returns how many of the last answers held nothing but refusals, with no word of the user between them. */
export function refusalsInARow(messages: readonly DecodedMessage[]): number {
  let count = 0;
  for (const { role, parts } of messages.toReversed()) {
    if (role === "tool") continue;
    const asked = parts.filter((part) => part.type === "call" || part.type === "refusal");
    if (role !== "assistant" || asked.length === 0 || asked.some((part) => part.type === "call")) break;
    count += 1;
  }
  return count;
}

/** Returns the messages with calls and results as text. */
export function encodePrompt(
  messages: readonly DecodedMessage[],
  bridge: Bridge,
  version: SpecificationVersion,
): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  let lastIsMade = false;
  for (const message of bridge.encode<Kept>(messages) as (EncodedMessage<Kept> & { source?: PromptMessage })[]) {
    const made = message.source === undefined;
    const next = toPrompt(message, version);
    const last = prompt.at(-1);
    // The model is given one message where there is one more only because of us.
    if (last && last.role === "user" && next.role === "user" && (made || lastIsMade))
      prompt[prompt.length - 1] = {
        ...last,
        ...defined({ providerOptions: next.providerOptions }),
        content: [...(last.content as Part[]), ...(next.content as Part[])],
      };
    else prompt.push(next);
    lastIsMade = made;
  }
  return prompt;
}

function toPrompt(
  { source, role, parts }: EncodedMessage<Kept> & { source?: PromptMessage },
  version: SpecificationVersion,
): PromptMessage {
  if (source && (typeof source.content === "string" || source.role === "user")) return source;
  const content = parts.flatMap((part) => toPart(part, version));
  // What a provider ran itself is answered by its own kind of message.
  const shown = source?.role === "tool" ? "tool" : role;
  return { ...source, role: shown, content };
}

function toPart(part: MessagePart | Kept, version: SpecificationVersion): Part[] {
  if (part.type === "kept") return [part.part];
  if (part.type === "text") return [(part as KeptText).part ?? { type: "text", text: part.text }];
  return part.type === "file" ? [filePart(part, version)] : [];
}

/** The result of a call, as the AI SDK has it. */
interface Output {
  type: string;
  value?: unknown;
  reason?: unknown;
}

const denied = (callId: string, reason: unknown, name?: string): ToolResult => ({
  callId,
  ...(name !== undefined && { name }),
  status: "denied",
  content: [],
  ...(typeof reason === "string" && reason !== "" && { error: { type: "ToolError", message: reason } }),
});

function resultOf(callId: string, name: string, { type, value, reason }: Output): ToolResult {
  const text = (of: unknown): string => (typeof of === "string" ? of : JSON.stringify(of));
  if (type === "execution-denied") return denied(callId, reason, name);
  if (type === "error-text" || type === "error-json")
    return { callId, name, status: "error", content: [], error: { type: "ToolError", message: text(value) } };
  if (type === "json") return { callId, name, status: "ok", content: [], data: value };
  const content = type === "content" ? (value as Part[]).map(blockOf) : [{ type: "text" as const, text: text(value) }];
  return { callId, name, status: "ok", content };
}
