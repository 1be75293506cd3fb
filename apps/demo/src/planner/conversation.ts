import { type Message, type ModelRequest, messageText, type ProgramLanguage, type ToolResult } from "@toolglot/core";
import type { TextProtocol } from "@toolglot/core/text";
import { readAttpResults } from "./formats/attp.ts";
import { readCatalog, readRouterResult } from "./formats/router.ts";
import { readTamResults } from "./formats/tam.ts";
import { readToolsResults } from "./formats/toolsxml.ts";
import { type Outcome, outcomeOf } from "./task.ts";
import { languageOf, parseJson, sayIn } from "./text.ts";
import table from "./words/formats.json" with { type: "json" };

type Format = (typeof table)[number] & {
  protocol: Exclude<TextProtocol, "dialects"> | "attp-js";
  language?: ProgramLanguage;
};

/**
 * The protocols: what stands in every prompt that teaches one, and in none of those that come later; what stands in prompts that
 * say that results come back; how its tools are listed, and the language of its programs.
 */
const formats = table as readonly Format[];

/** What a program of a kept conversation calls its value, so that a later one finds it. */
export const nameOfValue = (question: number): string => `answer_${question}`;

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
  const format = formats.find(({ promptMark }) => new RegExp(promptMark, "m").test(system)) as Format;
  return {
    protocol: catalog ? ("trp" as const) : offered ? ("native" as const) : format.protocol,
    /** What its calls are written in, where they are a program. */
    language: offered ? undefined : format.language,
    /** Whether results come back, so that the planner goes on. */
    loops: offered !== undefined || system.includes(format.resultMark),
    tools: catalog ?? readTools(offered, system, format),
    /** Whether the functions of its programs are a router's capabilities. */
    isRouted: /^(?:def router_call\(|.*\brouter\.call\({)/m.test(system),
    /** What a router offers; empty for other protocols. */
    catalog: catalog ?? [],
    question,
    say: sayIn(languageOf(question)),
    /** Whether programs find what earlier ones of the conversation left, and keep their values for later ones. */
    keepsValues: /^## (?:Session|会话)$/m.test(system),
    /** The questions before this one, and whether a program kept a value for each. */
    earlier: readEarlier(messages.slice(0, asked)),
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

function readEarlier(messages: readonly Message[]): { question: string; hasValue: boolean }[] {
  const earlier: { question: string; hasValue: boolean }[] = [];
  for (const message of messages) {
    const last = earlier.at(-1);
    if (isQuestion(message)) earlier.push({ question: messageText(message).trim(), hasValue: false });
    else if (last) last.hasValue ||= messageText(message).includes(`\n${nameOfValue(earlier.length)} = `);
  }
  return earlier;
}

/** The tools as a prompt lists them, each with the first line of its description. */
function readTools(offered: ModelRequest["tools"], system: string, { listing, language }: Format) {
  const part = /^## (?:Available Tools|可用工具)[^\n]*\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(system)?.[1] ?? "";
  const found = [...(language ? system : part).matchAll(new RegExp(listing, "gm"))].map(({ groups }) => groups);
  return (offered ?? found).map((tool) => {
    return { name: tool?.name ?? "", description: (tool?.description ?? "").split("\n")[0]?.trim() ?? "" };
  });
}

function readOutcomes(message: Message, read: (result: ToolResult) => Outcome | Outcome[]): Outcome[] {
  if (message.role === "assistant" || message.trust === "host") return [];
  const results = message.parts.flatMap((part) => (part.type === "result" ? read(part.result) : []));
  const readers = [readAttpResults, readTamResults, readToolsResults];
  return results.length > 0 ? results : readers.flatMap((readText) => readText(messageText(message)));
}

function readResult({ status, data, content, error }: ToolResult): Outcome {
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return outcomeOf(status, { value: data ?? parseJson(text), errorType: error?.type, message: error?.message });
}
