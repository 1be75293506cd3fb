import { type Message, type ModelRequest, messageText, type ProtocolMode, type ToolResult } from "@toolglot/core";
import { readAttpResults, readDeclarations, readStubs } from "./formats/attp.ts";
import { readCatalog, readRouterResult } from "./formats/router.ts";
import { readTamResults } from "./formats/tam.ts";
import { readToolsResults } from "./formats/toolsxml.ts";
import type { Outcome } from "./task.ts";
import { languageOf, parseJson, sayIn } from "./text.ts";

/** A tool as a prompt lists it: with the first line of its description. */
export type ListedTool = { name: string; description: string };

/**
 * The protocols: what stands in every prompt that teaches one, and in none of those that come later; what stands in prompts that
 * say that results come back; how its tools are found in the prompt, and its results in a message.
 */
// biome-ignore format: a table
const formats = [
  { protocol: "tam", promptMark: /^# TAM /m, resultMark: "<|[TOOL_RESULT]|>", readTools: readManual, readResults: readTamResults },
  { protocol: "toolsxml", promptMark: /^# ToolsXML /m, resultMark: "<results>", readTools: readManual, readResults: readToolsResults },
  { protocol: "attp-js", promptMark: /^declare function |^3\. .*JavaScript/m, resultMark: "[tool_result]", readTools: readDeclarations, readResults: readAttpResults },
  { protocol: "attp", promptMark: /(?:)/, resultMark: "[tool_result]", readTools: readStubs, readResults: readAttpResults },
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
  const listed = offered?.map(({ name, description }) => ({ name, description: description.split("\n")[0] ?? "" }));
  const tools: ListedTool[] = catalog ?? listed ?? format.readTools(system);
  const mode: ProtocolMode = offered || system.includes(format.resultMark) ? "loop" : "single";
  return {
    /** What calls are written in. */
    protocol: catalog ? ("trp" as const) : offered ? ("native" as const) : format.protocol,
    mode,
    tools,
    /** What a router offers; empty for other protocols. */
    catalog: catalog ?? [],
    /** The user's last message. */
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
