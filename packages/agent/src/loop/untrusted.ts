import type { Message, MessagePart, ToolResult } from "@toolglot/core";

/** Every text of a message that came from outside: what tools gave, pages and files. As it was, not as it is sent. */
export function untrustedTexts(message: Message): string[] {
  if (message.role === "assistant") return [];
  const all = message.trust === "untrusted";
  return message.parts.flatMap((part) => (all || part.type === "result" ? partTexts(part) : []));
}

function partTexts(part: MessagePart): string[] {
  switch (part.type) {
    case "result":
      return resultTexts(part.result);
    case "file":
      return fileTexts(part.mediaType, part.data);
    case "call":
      return stringsIn(part.call.input);
    default:
      return [part.text];
  }
}

/** Not the error's source line: that is the model's own. */
function resultTexts({ content, data, error, logs }: ToolResult): string[] {
  return [
    ...content.flatMap((block) => ("text" in block && block.text !== undefined ? [block.text] : [])),
    ...stringsIn(data),
    ...(error ? [error.message] : []),
    ...(logs ? [logs.map((entry) => entry.text).join("")] : []),
  ];
}

function fileTexts(mediaType: string, data: string | undefined): string[] {
  if (data === undefined || !/^text\/|json|xml|yaml|toml/.test(mediaType)) return [];
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return [new TextDecoder().decode(bytes)];
  } catch {
    // No base64: whatever it is, it is text.
    return [data];
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}
