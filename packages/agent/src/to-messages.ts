import { type Message, textMessage } from "@toolglot/core";

/** What a run starts from; throws `TypeError` when there is nothing in it. */
export function toMessages(input: string | readonly Message[]): Message[] {
  if (typeof input === "string") {
    if (input.trim() === "") throw new TypeError("The input is empty: pass the user's request, or messages.");
    return [textMessage("user", input)];
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw new TypeError("The input must be a non-empty string or a non-empty array of messages.");
  }
  for (const message of input as Message[]) {
    if (!Array.isArray(message?.parts) || !message.role || !message.trust) {
      throw new TypeError(
        "Each message needs role, parts and trust; textMessage(role, text) of @toolglot/core makes one.",
      );
    }
  }
  return [...input];
}
