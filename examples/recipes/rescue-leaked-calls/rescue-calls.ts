import { type FunctionTool, recoverToolCalls } from "@toolglot/dialects";

/** A message of a chat completion, as OpenAI and the servers that follow it have it. */
export interface ChatMessage {
  role: "assistant";
  content: string | null;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
}

/**
 * Returns an answer with the calls that leaked into its text; an answer with calls, or without any, as it is. `held` are calls whose values
 * may not be those that the model meant: ask before you run them.
 */
export function rescueCalls(message: ChatMessage, tools: readonly FunctionTool[], finishReason?: string) {
  if (message.content === null || (message.tool_calls?.length ?? 0) > 0) return { message, held: [] };
  const finish = finishReason === "length" ? "length" : "stop";
  const { calls, held, text } = recoverToolCalls(message.content, tools, { finish });
  if (calls.length === 0) return { message, held };
  const rescued: ChatMessage = {
    role: "assistant",
    content: text.trim() === "" ? null : text,
    tool_calls: calls.map(({ id, name, input }) => {
      return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
    }),
  };
  return { message: rescued, held };
}
