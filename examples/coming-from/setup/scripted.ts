/** What a model says: text, or a call with its arguments as it wrote them; `isCutOff`: it became too long at that point. */
export type Answer = string | { text?: string; tool?: string; arguments?: string; isCutOff?: boolean };

/** A request as an OpenAI-compatible server gets it. */
export interface ChatRequest {
  stream?: boolean;
  tools?: unknown[];
  messages: { role: string; content: unknown; tool_calls?: { function: { name: string; arguments: string } }[] }[];
}

/** Returns a `fetch` that plays an OpenAI-compatible server: each request gets the next answer. `requests` keeps what was asked. */
export function scripted(...answers: Answer[]) {
  const requests: ChatRequest[] = [];
  const fetch = async (_url: string | URL | Request, init?: RequestInit) => {
    const request: ChatRequest = JSON.parse(String(init?.body));
    requests.push(request);
    const next = answers.shift() ?? "The script is at its end.";
    const answer = typeof next === "string" ? { text: next } : next;
    const called = { name: answer.tool, arguments: answer.arguments };
    const calls = answer.tool && [{ id: `call_${requests.length}`, type: "function", index: 0, function: called }];
    const message = { role: "assistant", content: answer.text ?? null, ...(calls && { tool_calls: calls }) };
    const finish_reason = answer.isCutOff ? "length" : calls ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const common = { id: `answer-${requests.length}`, created: 0, model: "any", usage };
    const whole = (choice: object) => ({ ...common, choices: [{ index: 0, ...choice }] });
    if (!request.stream) return Response.json(whole({ message, finish_reason }));
    const chunks = [whole({ delta: message, finish_reason: null }), whole({ delta: {}, finish_reason })];
    const events = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
    return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
  };
  return Object.assign(fetch, { requests });
}

/** Returns the arguments of all calls in a request, which have to be JSON. */
export const argumentsOf = (request: ChatRequest | undefined): unknown[] =>
  (request?.messages ?? [])
    .flatMap(({ tool_calls: calls = [] }) => calls)
    .map((call) => JSON.parse(call.function.arguments));
