import type OpenAI from "openai";
import type { Chat } from "../../recipes/openai-agents/text-tools-model.ts";

/** Returns the text of a server's chat completions as it streams. */
export const chatOver = (client: OpenAI): Chat =>
  async function* (messages, signal) {
    const asked = messages as OpenAI.ChatCompletionMessageParam[];
    const chunks = await client.chat.completions.create({ model: "any", messages: asked, stream: true }, { signal });
    for await (const { choices } of chunks) yield choices[0]?.delta.content ?? "";
  };
