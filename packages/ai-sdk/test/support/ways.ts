/** `ai` of either version. */
// biome-ignore lint/suspicious/noExplicitAny: two versions of one module.
export type Ai = any;
// biome-ignore lint/suspicious/noExplicitAny: results of either version.
export type Result = any;

/** The ways to run a model with tools. */
export const ways = ["generateText", "streamText", "ToolLoopAgent"] as const;
export type Way = (typeof ways)[number];

/** Runs a model, with what it was asked in the end. */
export async function runWay(
  ai: Ai,
  way: Way,
  { model, tools }: { model: unknown; tools: object },
  input: object,
): Promise<Result> {
  const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(5);
  const quiet = { onError: () => undefined };
  if (way === "generateText") return ai.generateText({ model, tools, stopWhen, maxRetries: 0, ...input });
  const isAgent = way === "ToolLoopAgent";
  const { abortSignal, ...prompt } = input as { abortSignal?: AbortSignal };
  if (isAgent)
    return new ai.ToolLoopAgent({ model, tools, stopWhen, maxRetries: 0 }).generate({ ...prompt, abortSignal });
  const result = ai.streamText({ model, tools, stopWhen, maxRetries: 0, ...quiet, ...input });
  const parts: { type: string; [key: string]: unknown }[] = [];
  for await (const part of result.fullStream) parts.push(part);
  const failure = parts.find(({ type }) => type === "error");
  if (failure) throw failure.error;
  return {
    parts,
    text: await result.text,
    steps: await result.steps,
    finishReason: await result.finishReason,
    response: await result.response,
    responseMessages: await result.responseMessages,
    toolCalls: await result.toolCalls,
  };
}

/** The messages of all steps: ai 7 has them under another name. */
export const messagesOf = (result: Result): object[] => result.responseMessages ?? result.response.messages;
