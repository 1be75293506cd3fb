import type { Message, MessagePart } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { toBlock } from "./content.ts";

/** Returns a prompt's messages as core's: each a stranger's words, in the role that the server set. */
export function messagesOf(given: readonly { role: "user" | "assistant"; content: { type: string } }[]): Message[] {
  return given.map(({ role, content }) => ({ role, parts: [partOf(content)], trust: "untrusted" }));
}

function partOf(content: { type: string }): MessagePart {
  const block = toBlock(content, []);
  switch (block.type) {
    case "text":
      return block;
    case "resource":
      if (block.text !== undefined) return { type: "text", text: block.text };
      if (block.data === undefined) return { type: "text", text: `[resource ${block.uri}]` };
      return {
        type: "file",
        mediaType: block.mediaType ?? "application/octet-stream",
        ...defined({ name: block.title ?? block.uri, data: block.data }),
      };
    default:
      return { type: "file", mediaType: block.mediaType, ...defined({ data: block.data, url: block.url }) };
  }
}
