import type { Message, MessagePart, ToolResult } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";
import { resultText } from "./compaction.ts";

/** A message as requests have it: results of more than `maxChars` UTF-16 units show their beginning and their end. */
export function cutResults(message: Message, maxChars: number): Message {
  const isLong = (part: MessagePart): boolean => part.type === "result" && resultText(part.result).length > maxChars;
  if (!message.parts.some(isLong)) return message;
  const parts = message.parts.map((part) =>
    part.type === "result" && isLong(part) ? { ...part, result: cut(part.result, maxChars) } : part,
  );
  return { ...message, parts };
}

/** Images and files stay; data that was cut is shown as text. */
function cut({ data: _, ...result }: ToolResult, maxChars: number): ToolResult {
  const text = resultText({ ...result, data: _ });
  const head = cutText(text, Math.floor(maxChars * 0.6));
  const from = text.length - Math.floor(maxChars * 0.4);
  // No character is cut in two.
  const tail = text.slice(/[\udc00-\udfff]/.test(text.charAt(from)) ? from + 1 : from);
  const left = text.length - head.length - tail.length;
  const note = `\n\n[${left} of ${text.length} characters were left out here, and can't be read. Ask for less at a time.]\n\n`;
  const others = result.content.filter(({ type }) => type === "image" || type === "audio");
  return { ...result, content: [{ type: "text", text: head + note + tail }, ...others] };
}
