import { type Locale, type Message, type ModelRequest, messageText, type ToolResult } from "@toolglot/core";
import { type Format, formatOf, formats } from "./formats/index.ts";
import { type CatalogLine, readCatalog, readRouterResult } from "./formats/router.ts";
import { type Outcome, parseJson } from "./outcome.ts";
import { languageOf } from "./text.ts";

/** What a request to the planner holds. */
export interface Conversation {
  /** What calls are written in. */
  protocol: Format["protocol"] | "native" | "trp";
  mode: "single" | "loop";
  /** Name and first line of each tool, read from the request itself. */
  tools: { name: string; description: string }[];
  /** What a router offers; empty for other protocols. */
  catalog: CatalogLine[];
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
  const catalog = readCatalog(request.tools);
  const format = formatOf(system);
  return {
    protocol: catalog ? "trp" : native ? "native" : format.protocol,
    // The loop's addendum is what speaks of results that come back.
    mode: native || system.includes(format.resultMark) ? "loop" : "single",
    tools:
      catalog ??
      request.tools?.map(({ name, description }) => ({ name, description: firstLine(description) })) ??
      format.readTools(system),
    catalog: catalog ?? [],
    question,
    language: languageOf(question),
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
  const text = messageText(message);
  if (results.length > 0) return results;
  // Both languages of ATTP have the same results.
  const readers = new Set(formats.map(({ readResults }) => readResults));
  return [...readers].flatMap((readText) => readText(text));
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

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
