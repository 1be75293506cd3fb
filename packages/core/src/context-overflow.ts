/**
 * How providers and servers say that a request is longer than the model's context. Each pattern is a piece of a message that one of
 * them sends: OpenAI and those that speak its API, Anthropic, Bedrock, Gemini, xAI, Groq, OpenRouter, Mistral, Kimi, MiniMax, LM Studio,
 * llama.cpp, vLLM, GitHub Copilot.
 */
const messages: readonly RegExp[] = [
  /context[_ ]length[_ ]exceeded/i,
  /maximum context length is [\d,]+/i,
  /exceeds? the (?:model's )?(?:maximum )?context (?:length|window|size)/i,
  /(?:prompt|input) is too long/i,
  /input is too long for (?:the )?requested model/i,
  /input token count .{0,40}exceeds the maximum/i,
  /maximum prompt length is [\d,]+/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /too large for model with [\d,]+ maximum context/i,
  /exceeded model token limit/i,
  /context window exceeds limit/i,
  /greater than the context length/i,
  /exceed(?:s|ed)? the available context size/i,
  /exceeds the limit of [\d,]+/i,
  /(?:model|prompt|request).{0,40}exceeds? (?:the )?(?:maximum )?(?:number of )?tokens/i,
  /too many (?:input )?tokens/i,
];

/**
 * Whether a model's error says that the request was longer than its context: by its code (`context-overflow`), its status 413, or its
 * words. A status of 429 never says so, whatever the words.
 */
export function isContextOverflow(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { code, message, status, statusCode, data } = error as Record<string, unknown>;
  const told = status ?? statusCode ?? (data as Record<string, unknown> | undefined)?.status;
  if (told === 429) return false;
  if (told === 413 || (typeof code === "string" && /(?:^|\/)context[-_](?:overflow|length_exceeded)$/.test(code)))
    return true;
  return typeof message === "string" && messages.some((pattern) => pattern.test(message));
}
