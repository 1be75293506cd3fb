import { type Message, type ModelRequest, messageText, type ToolResult } from "@toolglot/core";
import type { TextProtocol } from "@toolglot/core/text";
import { readAttpResults, readDeclarations, readStubs } from "./formats/attp.ts";
import { type CatalogLine, readCatalog, readRouterResult } from "./formats/router.ts";
import { readTamResults } from "./formats/tam.ts";
import { readToolsResults } from "./formats/toolsxml.ts";
import type { Outcome } from "./task.ts";
import { languageOf, parseJson, type Say, sayIn } from "./text.ts";

/** A tool as a prompt lists it: with the first line of its description. */
export interface ListedTool {
  name: string;
  description: string;
}

/** What the planner knows of a protocol: how to find its tools in the prompt, and its results in a message. */
interface Format {
  protocol: TextProtocol | "attp-js";
  /** Stands in every prompt that teaches it, and in none of a protocol that comes later. */
  promptMark: RegExp;
  /** Stands in prompts that say that results come back. */
  resultMark: string;
  readTools(prompt: string): ListedTool[];
  readResults(text: string): Outcome[];
}

// biome-ignore format: a table
const formats: readonly Format[] = [
  { protocol: "tam", promptMark: /^# TAM /m, resultMark: "<|[TOOL_RESULT]|>", readTools: readManual, readResults: readTamResults },
  { protocol: "toolsxml", promptMark: /^# ToolsXML /m, resultMark: "<results>", readTools: readManual, readResults: readToolsResults },
  { protocol: "attp-js", promptMark: /^declare function |^3\. .*JavaScript/m, resultMark: "[tool_result]", readTools: readDeclarations, readResults: readAttpResults },
  { protocol: "attp", promptMark: /(?:)/, resultMark: "[tool_result]", readTools: readStubs, readResults: readAttpResults },
];

/** What a request to the planner holds. */
export interface Conversation {
  /** What calls are written in. */
  protocol: Format["protocol"] | "native" | "trp";
  mode: "single" | "loop";
  /** The tools on offer, read from the request itself. */
  tools: ListedTool[];
  /** What a router offers; empty for other protocols. */
  catalog: CatalogLine[];
  /** The user's last message. */
  question: string;
  say: Say;
  /** How many requests the user has made, this one included. */
  requests: number;
  /** What came back since the question, oldest first. */
  outcomes: Outcome[];
  /** How many answers the planner gave since the question. */
  answers: number;
  /** The host's words, when it asked for a correction after the planner's last answer. */
  complaint?: string;
}

/** Reads a request as a model would: everything is in its messages and its tool list. */
export function readConversation({ messages, tools }: ModelRequest): Conversation {
  const asked = messages.findLastIndex(isQuestion);
  const question = messages[asked] ? messageText(messages[asked]).trim() : "";
  const since = messages.slice(asked + 1);
  const system = messages.flatMap((message) => (message.role === "system" ? messageText(message) : [])).join("\n");
  const last = since.at(-1);
  const catalog = readCatalog(tools);
  const format = formats.find(({ promptMark }) => promptMark.test(system)) as Format;
  const offered = tools?.map(({ name, description }) => ({ name, description: description.split("\n")[0] ?? "" }));
  return {
    protocol: catalog ? "trp" : tools ? "native" : format.protocol,
    // The loop's addendum is what speaks of results that come back.
    mode: tools || system.includes(format.resultMark) ? "loop" : "single",
    tools: catalog ?? offered ?? format.readTools(system),
    catalog: catalog ?? [],
    question,
    say: sayIn(languageOf(question)),
    requests: messages.filter(isQuestion).length,
    outcomes: since.flatMap((message) => readOutcomes(message, catalog ? readRouterResult : readResult)),
    answers: since.filter(({ role }) => role === "assistant").length,
    ...(last && last.role === "user" && last.trust === "host" && { complaint: messageText(last) }),
  };
}

function isQuestion(message: Message): boolean {
  return message.role === "user" && message.trust === "user";
}

function readOutcomes(message: Message, read: (result: ToolResult) => Outcome | Outcome[]): Outcome[] {
  if (message.role === "assistant" || message.trust === "host") return [];
  const results = message.parts.flatMap((part) => (part.type === "result" ? read(part.result) : []));
  if (results.length > 0) return results;
  const text = messageText(message);
  return [...new Set(formats.map(({ readResults }) => readResults))].flatMap((read) => read(text));
}

function readResult({ status, data, content, error }: ToolResult): Outcome {
  if (status === "ok" || status === "pending") {
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    return { status: "ok", value: data ?? parseJson(text) };
  }
  return {
    status: status === "denied" ? "denied" : "error",
    ...(error && { errorType: error.type, message: error.message }),
  };
}

/** The tools of a manual in a prompt: the name in a heading, the description below it. */
function readManual(prompt: string): ListedTool[] {
  const part = /^## (?:Available Tools|可用工具)[^\n]*\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(prompt)?.[1] ?? "";
  return [...part.matchAll(/^### (\S+)[^\n]*\n([^\n]*)/gm)].map(([, name = "", description = ""]) => ({
    name,
    description: description.trim(),
  }));
}
