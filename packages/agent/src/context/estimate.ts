import type { ContentBlock, Message, MessagePart } from "@toolglot/core";
import { textLength } from "../plain-json.ts";

/** Characters that count as one token where nobody counts. Low on purpose: Chinese text has fewer. */
const charactersPerToken = 3;

/** Characters that an image or a file counts as, whatever its size: 1,000 tokens. */
const fileLength = 1000 * charactersPerToken;

/** Tokens of so many characters, reckoned. */
export const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken);

const lengths = new WeakMap<Message, number>();

/** Characters of a message, for {@link tokensOf}. Reckoned once. */
export function lengthOf(message: Message): number {
  let length = lengths.get(message);
  if (length === undefined) {
    length = message.parts.reduce((sum, part) => sum + partLength(part), 0);
    lengths.set(message, length);
  }
  return length;
}

function partLength(part: MessagePart): number {
  if (part.type === "file") return fileLength;
  if (part.type !== "result") return "text" in part ? part.text.length : textLength(part);
  const { content, metadata: _, ...rest } = part.result;
  return textLength(rest) + content.reduce((sum, block) => sum + blockLength(block), 0);
}

function blockLength(block: ContentBlock): number {
  return "data" in block && block.data !== undefined ? fileLength : textLength(block);
}
