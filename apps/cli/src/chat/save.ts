import { writeFileSync } from "node:fs";
import { contentText, type Message, type MessagePart, messageText } from "@toolglot/core";
import { UsageError } from "../cli/usage-error.ts";

/** Writes a conversation into a new file (mode 0600): JSON by its name, else Markdown. Throws `UsageError` when that can't be done. */
export function saveConversation(file: string, messages: readonly Message[]): void {
  const text = /\.json$/i.test(file)
    ? `${JSON.stringify({ version: 1, messages, meta: {} }, null, 2)}\n`
    : markdownOf(messages);
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new UsageError(`${file} can't be written: ${(error as Error).message}`);
  }
}

function markdownOf(messages: readonly Message[]): string {
  const parts = messages.map((message) => {
    const isQuestion = message.role === "user" && message.trust === "user";
    const title = isQuestion ? "## You" : message.role === "assistant" ? "## Model" : "### Results";
    return [title, messageText(message), ...message.parts.map(otherText)].filter(Boolean).join("\n\n");
  });
  return `${parts.join("\n\n")}\n`;
}

function otherText(part: MessagePart): string {
  if (part.type === "call")
    return fenced("json", JSON.stringify({ name: part.call.name, input: part.call.input }, null, 2));
  if (part.type === "result")
    return fenced("", contentText(part.result.content) || (JSON.stringify(part.result.data) ?? ""));
  return part.type === "file" ? `(${part.name ?? part.mediaType})` : "";
}

const fenced = (language: string, text: string): string => `\`\`\`\`${language}\n${text}\n\`\`\`\``;
