import type { Message, MessagePart } from "@toolglot/core";
import { isFile, resultText } from "@toolglot/core/results";
import { textLength } from "../plain-json.ts";

/** Characters that count as one token where nobody counts. Low on purpose: Chinese text has fewer. */
const charactersPerToken = 3;

/** Characters that an image or a file counts as, whatever its size: 1,000 tokens. */
const fileLength = 1000 * charactersPerToken;

/** Estimates the tokens of so many characters. */
export const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken);

const lengths = new WeakMap<Message, number>();

/** Returns the characters of a message as the provider gets it, for {@link tokensOf}: parts stay parts. Computed once. */
export function lengthOf(message: Message): number {
  let length = lengths.get(message);
  if (length === undefined) {
    length = message.parts.reduce((sum, part) => sum + partLength(part), 0);
    lengths.set(message, length);
  }
  return length;
}

function partLength(part: MessagePart): number {
  switch (part.type) {
    case "file":
      return fileLength;
    case "call":
      return textLength([part.call.id, part.call.name, part.call.input]);
    case "result": {
      const { callId, name = "", content } = part.result;
      const text = resultText(part.result, { native: true });
      return callId.length + name.length + text.length + content.filter(isFile).length * fileLength;
    }
    case "reasoning":
      // Providers take back only what they have signed.
      return part.meta === undefined ? 0 : part.text.length + textLength(part.meta.provider.options);
    default:
      return part.text.length;
  }
}
