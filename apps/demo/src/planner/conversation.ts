import { type Message, type ModelRequest, messageText, type ProtocolMode, type ToolResult } from "@toolglot/core";
import { readAttpResults } from "./formats/attp.ts";
import { readCatalog, readRouterResult } from "./formats/router.ts";
import { readTamResults } from "./formats/tam.ts";
import { readToolsResults } from "./formats/toolsxml.ts";
import type { Outcome } from "./task.ts";
import { languageOf, parseJson, sayIn } from "./text.ts";

/** A tool as a prompt lists it: with the first line of its description. */
export type ListedTool = { name: string; description: string };

const heading = /^### (?<name>\S+)[^\n]*\n(?<description>[^\n]*)/gm;
const stub = /^def (?<name>\w+)\([\s\S]*?\)(?: -> [^\n]+)?:\n\s+"""\s*(?<description>[^\n]*)/gm;
const declared =
  /(?:^\/\*\*\n \* (?<description>[^@\n][^\n]*)\n(?: \*[^\n]*\n)*)?^declare function (?<name>[\w$]+)\(/gm;

/**
 * The protocols: what stands in every prompt that teaches one, and in none of those that come later; what stands in prompts that
 * say that results come back; how its tools are listed.
 */
const formats = [
  { protocol: "tam", promptMark: /^# TAM /m, resultMark: "<|[TOOL_RESULT]|>", listing: heading },
  { protocol: "toolsxml", promptMark: /^# ToolsXML /m, resultMark: "<results>", listing: heading },
  {
    protocol: "attp-js",
    promptMark: /^declare function |^3\. .*JavaScript/m,
    resultMark: "[tool_result]",
    listing: declared,
  },
  { protocol: "attp", promptMark: /(?:)/, resultMark: "[tool_result]", listing: stub },
] as const;

/** What a request to the planner holds. */
export type Conversation = ReturnType<typeof readConversation>;

/** Reads a request as a model would: everything is in its messages and its tool list. */
export function readConversation({ messages, tools: offered }: ModelRequest) {
  const asked = messages.findLastIndex(isQuestion);
  const question = messages[asked] ? messageText(messages[asked]).trim() : "";
  const since = messages.slice(asked + 1);
  const system = messages.flatMap((message) => (message.role === "system" ? messageText(message) : [])).join("\n");
  const last = since.at(-1);
  const catalog = readCatalog(offered);
  const format = formats.find(({ promptMark }) => promptMark.test(system)) ?? formats[3];
  const mode: ProtocolMode = offered || system.includes(format.resultMark) ? "loop" : "single";
  return {
    protocol: catalog ? ("trp" as const) : offered ? ("native" as const) : format.protocol,
    mode,
    tools: catalog ?? readTools(offered, system, format.listing),
    /** Whether the functions of its programs are a router's capabilities. */
    isRouted: /^def router_call\(/m.test(system),
    /** What a router offers; empty for other protocols. */
    catalog: catalog ?? [],
    question,
    say: sayIn(languageOf(question)),
    /** How many requests the user has made, this one included. */
    requests: messages.filter(isQuestion).length,
    /** What came back since the question, oldest first. */
    outcomes: since.flatMap((message) => readOutcomes(message, catalog ? readRouterResult : readResult)),
    /** How many answers the planner gave since the question. */
    answers: since.filter(({ role }) => role === "assistant").length,
    /** Whether the host asked for a correction after the planner's last answer. */
    complained: last?.role === "user" && last.trust === "host",
  };
}

const isQuestion = ({ role, trust }: Message): boolean => role === "user" && trust === "user";

function readTools(offered: ModelRequest["tools"], system: string, listing: RegExp): ListedTool[] {
  const part = /^## (?:Available Tools|可用工具)[^\n]*\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(system)?.[1] ?? "";
  const found = [...(listing === heading ? part : system).matchAll(listing)].map(({ groups }) => groups);
  return (offered ?? found).map((tool) => {
    return { name: tool?.name ?? "", description: (tool?.description ?? "").split("\n")[0]?.trim() ?? "" };
  });
}

function readOutcomes(message: Message, read: (result: ToolResult) => Outcome | Outcome[]): Outcome[] {
  if (message.role === "assistant" || message.trust === "host") return [];
  const results = message.parts.flatMap((part) => (part.type === "result" ? read(part.result) : []));
  const text = messageText(message);
  const readers = [readAttpResults, readTamResults, readToolsResults];
  return results.length > 0 ? results : readers.flatMap((readText) => readText(text));
}

function readResult({ status, data, content, error }: ToolResult): Outcome {
  if (status === "ok" || status === "pending") {
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    return { status: "ok", value: data ?? parseJson(text) };
  }
  const failed = status === "denied" ? "denied" : "error";
  return { status: failed, ...(error && { errorType: error.type, message: error.message }) };
}
