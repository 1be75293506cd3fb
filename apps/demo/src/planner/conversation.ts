import { type Locale, type Message, type ModelRequest, messageText, type ToolResult } from "@toolglot/core";
import { parse } from "smol-toml";
import { languageOf } from "./text.ts";

/** How an earlier call or program of this request ended, as the planner reads it from the conversation. */
export interface Outcome {
  status: "ok" | "error" | "denied";
  /** For `ok`. */
  value?: unknown;
  errorType?: string;
  message?: string;
}

/** What a request to the planner holds. */
export interface Conversation {
  protocol: "attp" | "native";
  mode: "single" | "loop";
  /** Name and first line of each tool, read from the request itself. */
  tools: { name: string; description: string }[];
  /** The user's last message. */
  question: string;
  language: Locale;
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
export function readConversation(request: ModelRequest): Conversation {
  const { messages } = request;
  const asked = messages.findLastIndex(isQuestion);
  const question = messages[asked] ? messageText(messages[asked]).trim() : "";
  const since = messages.slice(asked + 1);
  const system = messages
    .filter(({ role }) => role === "system")
    .map(messageText)
    .join("\n");
  const last = since.at(-1);
  const native = request.tools !== undefined;
  return {
    protocol: native ? "native" : "attp",
    // The loop's addendum is what speaks of results that come back.
    mode: native || system.includes("[tool_result]") ? "loop" : "single",
    tools:
      request.tools?.map(({ name, description }) => ({ name, description: firstLine(description) })) ??
      readStubs(system),
    question,
    language: languageOf(question),
    requests: messages.filter(isQuestion).length,
    outcomes: since.flatMap(readOutcomes),
    answers: since.filter(({ role }) => role === "assistant").length,
    ...(last && last.role === "user" && last.trust === "host" && { complaint: messageText(last) }),
  };
}

function isQuestion(message: Message): boolean {
  return message.role === "user" && message.trust === "user";
}

function readOutcomes(message: Message): Outcome[] {
  if (message.role === "assistant" || message.trust === "host") return [];
  const results = message.parts.flatMap((part) => (part.type === "result" ? [readResult(part.result)] : []));
  return results.length > 0 ? results : readDocuments(messageText(message));
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads `[tool_result]` documents out of a message. */
function readDocuments(text: string): Outcome[] {
  const start = text.search(/^\[tool_result\]/m);
  if (start < 0) return [];
  // A note of the host may stand around the document.
  const body = text.slice(start).replace(/^```\s*$[\s\S]*/m, "");
  try {
    const { tool_result: table } = parse(body) as { tool_result: Record<string, unknown> };
    return [readTable(table)];
  } catch {
    return [{ status: "error", errorType: "Unreadable", message: "the result could not be read" }];
  }
}

function readTable(table: Record<string, unknown>): Outcome {
  if (table.status === "success") return { status: "ok", value: parseJson(String(table.result ?? "null")) };
  const errorType = String(table.error_type ?? "Error");
  const denied = table.status === "denied" || errorType === "Denied";
  return { status: denied ? "denied" : "error", errorType, message: String(table.message ?? "") };
}

/** The tools in Python stubs: name and first line of the docstring. */
function readStubs(text: string): { name: string; description: string }[] {
  const stub = /^def (\w+)\([\s\S]*?\)(?: -> [^\n]+)?:\n\s+"""\s*([^\n]*)/gm;
  return [...text.matchAll(stub)].map(([, name = "", description = ""]) => ({ name, description: description.trim() }));
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
