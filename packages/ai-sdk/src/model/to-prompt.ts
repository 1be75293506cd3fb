import { type Message, type MessagePart, messageText, type ToolResult } from "@toolglot/core";
import { resultText, resultTexts } from "@toolglot/core/results";
import { filePart, resultPart } from "../file-parts.ts";
import type { Part, PromptMessage, ProviderData } from "../spec.ts";

/** Which model is asked. */
interface Asked {
  specificationVersion: string;
  provider: string;
}

/** Messages as a provider of a specification takes them. Reasoning goes to the provider that made it: none takes another's. */
export function toPrompt(messages: readonly Message[], model: Asked): PromptMessage[] {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.type === "call") names.set(part.call.id, part.call.name);
  const system = messages
    .filter(({ role }) => role === "system")
    .map(messageText)
    .filter((text) => text !== "");
  const rest = messages.filter(({ role }) => role !== "system").flatMap((message) => toMessages(message, names, model));
  const others = joinNeighbours(rest);
  // Chat templates often refuse a second one.
  return system.length > 0 ? [{ role: "system", content: system.join("\n\n") }, ...others] : others;
}

/** Neighbours of one role as one message of several parts: many chat templates want roles that alternate. */
function joinNeighbours(messages: readonly PromptMessage[]): PromptMessage[] {
  const joined: PromptMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== message.role) joined.push(message);
    else joined[joined.length - 1] = { ...last, content: [...last.content, ...message.content] } as PromptMessage;
  }
  return joined;
}

function toMessages({ role, parts }: Message, names: ReadonlyMap<string, string>, model: Asked): PromptMessage[] {
  if (role === "assistant") {
    const content = parts.flatMap((part) => toPart(part, model));
    return content.length > 0 ? [{ role, content }] : [];
  }
  const results = parts.flatMap((part) =>
    part.type === "result" ? [toResult(part.result, names, model.specificationVersion)] : [],
  );
  const content = parts.flatMap((part) => (part.type === "text" || part.type === "file" ? toPart(part, model) : []));
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, content: results }] : []),
    ...(content.length > 0 ? [{ role: "user" as const, content: joinTexts(content) }] : []),
  ];
}

/** Texts that follow each other as one: many providers have a plainer form for a single one. */
function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.type === "text" && part.type === "text")
      joined[joined.length - 1] = { type: "text", text: `${last.text}${part.text}` };
    else joined.push(part);
  }
  return joined;
}

function toPart(part: MessagePart, { specificationVersion: version, provider }: Asked): Part[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "file":
      return [filePart(part, version)];
    case "call": {
      const { id, name, input } = part.call;
      // Providers require an object; other input that the model wrote goes back to it under one key.
      const object = typeof input === "object" && input !== null && !Array.isArray(input) ? input : { input };
      return [{ type: "tool-call", toolCallId: id, toolName: name, input: object }];
    }
    case "reasoning": {
      const made = part.meta?.provider;
      return made?.name === provider
        ? [{ type: "reasoning", text: part.text, providerOptions: made.options as ProviderData }]
        : [];
    }
    default:
      return [];
  }
}

function toResult(result: ToolResult, names: ReadonlyMap<string, string>, version: string): Part {
  const { callId, name, status, content, data } = result;
  const text = resultText(result, native);
  const isOk = status === "ok" || status === "pending";
  const { isJson } = resultTexts(result, native);
  const files = content.map((block) => resultPart(block, version));
  // What was printed, in words of its own.
  const printed = resultText({ ...result, content: [], data: undefined }, native);
  const output = !isOk
    ? { type: "error-text", value: text || status }
    : files.some(({ type }) => type !== "text")
      ? { type: "content", value: [...files, ...(printed === "" ? [] : [{ type: "text", text: printed }])] }
      : isJson && data !== undefined && printed === ""
        ? { type: "json", value: data }
        : { type: "text", value: text };
  return { type: "tool-result", toolCallId: callId, toolName: name ?? names.get(callId) ?? "unknown", output };
}

/** Results go to providers as parts. */
const native = { native: true };
