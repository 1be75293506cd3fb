import {
  contentText,
  type Message,
  type MessagePart,
  type ModelPart,
  type ToolResult,
  toJsonText,
} from "@toolglot/core";

/** A message as a model reads it at the least: names, arguments and contents, each escaped once. */
export function messageAsRead({ parts }: Message): string {
  return parts.map((part) => (part.type === "result" ? resultAsRead(part.result) : partAsWritten(part))).join("\n");
}

/** A result as a model reads it. */
export function resultAsRead({ content, data }: ToolResult): string {
  return content.length > 0 ? contentText(content) : toJsonText(data);
}

/** A text, or a call. */
export function partAsWritten(part: ModelPart | MessagePart): string {
  if (typeof part === "string") return part;
  if (part.type === "text") return part.text;
  return part.type === "call" ? JSON.stringify({ name: part.call.name, arguments: part.call.input }) : "";
}
