import { expect, it } from "vitest";
import { isContextOverflow } from "../src/index.ts";

const failed = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);
/** As the clients of OpenAI and Anthropic throw: the status, and the body's error as it came. */
const byClient = (status: number, message: string, more: object = {}): Error =>
  failed(`${status} ${message}`, { status, error: { message, ...more }, ...more });
/** As provider packages of the AI SDK throw; the request holds the user's words. */
const byAiSdk = (statusCode: number, body: object, message = "Bad Request"): Error =>
  failed(message, {
    ...{ name: "AI_APICallError", url: "https://x", statusCode, responseBody: JSON.stringify(body) },
    requestBodyValues: { messages: [{ content: "prompt is too long: 9 tokens > 8 maximum" }] },
  });
/** As clients of AWS throw. */
const byAws = (name: string, message: string, httpStatusCode = 400): Error =>
  failed(message, { name, $fault: "client", $metadata: { httpStatusCode, requestId: "r-1" } });

const tooLong: [server: string, error: unknown][] = [
  [
    "OpenAI",
    byClient(
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
      { code: "context_length_exceeded", type: "invalid_request_error" },
    ),
  ],
  [
    "OpenAI, responses",
    byClient(400, "Your input exceeds the context window of this model. Please adjust your input and try again."),
  ],
  ["OpenAI, the code alone", failed("Bad request", { code: "context_length_exceeded" })],
  ["OpenAI, through the AI SDK", byAiSdk(400, { error: { code: "context_length_exceeded", message: "No." } })],
  ["Anthropic", byClient(400, "prompt is too long: 201000 tokens > 200000 maximum", { type: "invalid_request_error" })],
  [
    "Anthropic, with the answer",
    byClient(
      400,
      "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    ),
  ],
  [
    "Anthropic, nested twice",
    failed("400", {
      status: 400,
      error: { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } },
    }),
  ],
  ["Anthropic, bytes", byClient(413, "Request exceeds the maximum size", { type: "request_too_large" })],
  ["Bedrock", byAws("ValidationException", "Input is too long for requested model.")],
  [
    "Bedrock, Titan",
    byAws(
      "ValidationException",
      "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 10000",
    ),
  ],
  [
    "Bedrock, Llama",
    byAws(
      "ValidationException",
      "This model's maximum context length is 8192 tokens. Please reduce the length of the prompt",
    ),
  ],
  [
    "Gemini",
    failed("{}", {
      name: "ApiError",
      status: 400,
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      },
    }),
  ],
  [
    "xAI",
    failed("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", { status: 400 }),
  ],
  ["Groq", byClient(400, "Please reduce the length of the messages or completion.", { param: "messages" })],
  [
    "Cerebras",
    byClient(
      400,
      "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
      { code: "context_length_exceeded" },
    ),
  ],
  [
    "OpenRouter",
    failed(
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 in the output). Please reduce the length of either one",
      { code: 400 },
    ),
  ],
  [
    "Mistral",
    failed("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", { statusCode: 400 }),
  ],
  ["Kimi", byClient(400, "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)")],
  ["MiniMax", failed("invalid params, context window exceeds limit (2013)")],
  [
    "DashScope",
    failed("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]", {
      status: 400,
      code: "invalid_parameter_error",
    }),
  ],
  ["GLM", byClient(400, "Prompt exceeds max length", { code: "1261" })],
  [
    "Cohere",
    failed(
      "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 6000. Try using a shorter prompt",
      { statusCode: 400, body: { message: "too many tokens" } },
    ),
  ],
  ["Fireworks", byClient(400, "The prompt is too long: 140000, model maximum context length: 131071")],
  [
    "GitHub Models",
    byClient(413, "Request body too large for gpt-4o model. Max size: 8000 tokens.", { code: "tokens_limit_reached" }),
  ],
  [
    "GitHub Copilot",
    byClient(400, "prompt token count of 130000 exceeds the limit of 128000", {
      code: "model_max_prompt_tokens_exceeded",
    }),
  ],
  [
    "watsonx",
    failed("the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model", { status: 400 }),
  ],
  [
    "Workers AI",
    failed(
      "5021: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).",
    ),
  ],
  ["LM Studio", failed("The number of tokens to keep from the initial prompt is greater than the context length")],
  [
    "LM Studio, newer",
    failed(
      "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    ),
  ],
  [
    "llama.cpp",
    failed("the request exceeds the available context size, try increasing it", {
      status: 400,
      type: "exceed_context_size_error",
    }),
  ],
  [
    "llama.cpp, the type alone",
    failed("400 status code", { error: { code: 400, type: "exceed_context_size_error", n_ctx: 4096 } }),
  ],
  ["Ollama", failed("prompt too long; exceeded max context length by 1000 tokens", { status_code: 400 })],
  [
    "vLLM",
    byClient(
      400,
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      { type: "BadRequestError" },
    ),
  ],
  [
    "vLLM, older",
    failed(
      "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller",
      { status: 400 },
    ),
  ],
  [
    "vLLM, newer",
    byClient(
      400,
      "You passed 9001 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens",
    ),
  ],
  ["SGLang", byClient(400, "The input (9000 tokens) is longer than the model's context length (8192 tokens).")],
  [
    "SGLang, with the answer",
    byClient(
      400,
      "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens",
    ),
  ],
  [
    "TGI",
    byClient(
      422,
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
    ),
  ],
  [
    "TGI, without the answer",
    failed("Input validation error: `inputs` must have less than 4096 tokens. Given: 5000", {
      error_type: "validation",
    }),
  ],
  ["a proxy", failed("Request Entity Too Large", { response: { status: 413 } })],
  ["our own adapter", failed("No.", { code: "context-overflow" })],
  [
    "what was thrown after retries",
    failed("Failed after 3 attempts", {
      name: "AI_RetryError",
      errors: [byAiSdk(400, { error: { message: "prompt is too long" } })],
    }),
  ],
  [
    "a cause",
    failed("The model failed", { cause: byAws("ValidationException", "Input is too long for requested model.") }),
  ],
];

const notTooLong: [server: string, error: unknown][] = [
  [
    "OpenAI's rate",
    byClient(
      429,
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.",
      { code: "rate_limit_exceeded" },
    ),
  ],
  [
    "Groq's rate, with 413",
    byClient(
      413,
      "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.",
      { code: "rate_limit_exceeded" },
    ),
  ],
  ["a rate without a status", failed("Request too large: tokens per minute (TPM): Limit 6000, Requested 9000")],
  [
    "Anthropic's rate",
    byClient(429, "This request would exceed your organization's rate limit of 40,000 input tokens per minute."),
  ],
  ["Bedrock's throttle", byAws("ThrottlingException", "Too many tokens, please wait before trying again.", 429)],
  [
    "Bedrock's throttle, the name alone",
    failed("Too many input tokens in the prompt.", { name: "ThrottlingException" }),
  ],
  [
    "Azure's rate",
    failed("Requests to the ChatCompletions have exceeded token rate limit of your current pricing tier.", {
      statusCode: 429,
    }),
  ],
  [
    "Gemini's quota",
    failed("{}", {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "You exceeded your current quota. Quota exceeded for metric: input_token_count, limit: 250000",
      },
    }),
  ],
  [
    "a quota in other places",
    failed("429", { $metadata: { httpStatusCode: 429 }, error: { message: "prompt is too long" } }),
  ],
  ["a day's tokens", byClient(400, "Daily token limit exceeded: the prompt has 900 tokens.")],
  [
    "no money",
    byClient(
      402,
      "This request requires more credits, or fewer max_tokens. The prompt tokens exceed what you can afford",
    ),
  ],
  ["no right", byClient(403, "The prompt is too long for your plan")],
  ["max_tokens", byClient(400, "max_tokens: 64000 exceeds the limit of 8192")],
  [
    "Anthropic's max_tokens",
    byClient(400, "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude"),
  ],
  [
    "OpenAI's max_tokens",
    byClient(
      400,
      "max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.",
    ),
  ],
  [
    "vLLM's max_tokens",
    byClient(
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 100 input tokens (9000 > 8192 - 100).",
    ),
  ],
  [
    "Bedrock's max_tokens",
    byAws(
      "ValidationException",
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
    ),
  ],
  ["DashScope's max_tokens", failed("Range of max_tokens should be [1, 8192]", { status: 400 })],
  ["an image", byClient(400, "messages.0.content.1.image: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes")],
  ["an image, with 413", byClient(413, "messages: image size exceeds the limit of 20 MB")],
  [
    "too many tools",
    byClient(
      400,
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.",
    ),
  ],
  [
    "a long id",
    byClient(
      400,
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 64 instead.",
    ),
  ],
  ["stop sequences", byClient(400, "The number of stop sequences exceeds the limit of 4")],
  ["pages", byClient(400, "messages.0.content: PDF pages must be at most 100")],
  [
    "Go's clock",
    failed("context deadline exceeded (Client.Timeout exceeded while awaiting headers), content length 12"),
  ],
  ["no such model", byClient(404, "The model `x` with the maximum context length exceeded does not exist")],
  ["the user's words in the request", byAiSdk(400, { error: { message: "Unknown parameter." } })],
  ["a wrong option", byClient(400, "Invalid input: temperature must be less than 2, top_p exceeds 1")],
  ["a busy server", failed("The server is busy.", { status: 503 })],
  ["nothing", undefined],
  ["a number", 413],
];

it.each(tooLong)("should tell that the request was too long for %s", (_, error) => {
  expect(isContextOverflow(error)).toBe(true);
});

it.each(notTooLong)("should not take for too long: %s", (_, error) => {
  expect(isContextOverflow(error)).toBe(false);
});

it("should take no longer for long words, and survive circles", () => {
  const circle = failed("No.");
  circle.cause = circle;
  expect(isContextOverflow(circle)).toBe(false);
  const timeOf = (size: number): number => {
    const began = performance.now();
    for (const text of ["prompt ", "max_tokens: 1, ", "exceed", "a"]) isContextOverflow(failed(text.repeat(size)));
    return performance.now() - began;
  };
  timeOf(100);
  expect(timeOf(200_000)).toBeLessThan(1000);
});
