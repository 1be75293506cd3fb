import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** One answer of the local provider. */
export interface ProviderAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent one TCP chunk after the other. */
  chunks: (string | Uint8Array)[];
  /** Between two chunks. Default 1. */
  pauseMs?: number;
  /** What happens after the last chunk. Default: the response ends. */
  ending?: "end" | "break" | "hang";
}

/** A request the provider got. */
export interface ProviderRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

/** A server on this machine that speaks as providers do, one prepared answer per request. */
export async function localProvider(
  answers: readonly ProviderAnswer[],
): Promise<{ url: string; requests: ProviderRequest[] }> {
  const requests: ProviderRequest[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    requests.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(text || "{}") });
    const answer = answers[Math.min(requests.length, answers.length) - 1] as ProviderAnswer;
    await send(response, answer).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function send(response: ServerResponse, answer: ProviderAnswer): Promise<void> {
  const { status = 200, headers, chunks, pauseMs = 1, ending = "end" } = answer;
  response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "application/json", ...headers });
  response.flushHeaders();
  for (const chunk of chunks) {
    response.write(chunk);
    await sleep(pauseMs);
  }
  if (ending === "end") response.end();
  else if (ending === "break") response.destroy();
}

/** Server-sent events, with `[DONE]` at the end when asked. */
export function sse(events: readonly unknown[], options: { done?: boolean; named?: boolean } = {}): string {
  const lines = events.map((event) => {
    const name = options.named ? `event: ${(event as { type: string }).type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return lines.join("") + (options.done ? "data: [DONE]\n\n" : "");
}

/** A text as UTF-8 in pieces of `size` bytes, which cut through characters. */
export function bytes(text: string, size: number): Uint8Array[] {
  const all = new TextEncoder().encode(text);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** The OpenAI chunks of one text answer. */
export function openAiText(text: string, finish: string | null = "stop", usage?: [number, number]): unknown[] {
  return [
    ...openAiDeltas([
      { role: "assistant", content: "" },
      ...(text.match(/[\s\S]{1,9}/gu) ?? []).map((content) => ({ content })),
    ]),
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    ...(usage
      ? [
          {
            ...base,
            choices: [],
            usage: { prompt_tokens: usage[0], completion_tokens: usage[1], total_tokens: usage[0] + usage[1] },
          },
        ]
      : []),
  ];
}

const base = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "local" };

/** OpenAI chunks with these deltas. */
export function openAiDeltas(deltas: readonly unknown[]): unknown[] {
  return deltas.map((delta) => ({ ...base, choices: [{ index: 0, delta, finish_reason: null }] }));
}

/** An OpenAI tool call whose arguments come in pieces of `size` characters. */
export function openAiCall(index: number, id: string, name: string, input: unknown, size = 5): unknown[] {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [];
  return openAiDeltas([
    { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
}

/** The last OpenAI chunk of an answer that is calls. */
export function openAiFinish(finish: string): unknown {
  return { ...base, choices: [{ index: 0, delta: {}, finish_reason: finish }] };
}

/** One content block of an Anthropic answer. */
export type AnthropicBlock = { text: string } | { thinking: string } | { id: string; name: string; input: unknown };

/** The Anthropic events of one answer; output tokens come at the very end. */
export function anthropicEvents(
  blocks: readonly AnthropicBlock[],
  stop = "end_turn",
  stopSequence: string | null = null,
): unknown[] {
  return [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "local",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 11, output_tokens: 1 },
      },
    },
    { type: "ping" },
    ...blocks.flatMap(anthropicBlock),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: stopSequence }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ];
}

function anthropicBlock(block: AnthropicBlock, index: number): unknown[] {
  const pieces = (text: string): string[] => text.match(/[\s\S]{1,7}/gu) ?? [];
  const [start, deltas] =
    "text" in block
      ? [{ type: "text", text: "" }, pieces(block.text).map((text) => ({ type: "text_delta", text }))]
      : "thinking" in block
        ? [
            { type: "thinking", thinking: "", signature: "" },
            pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
          ]
        : [
            { type: "tool_use", id: block.id, name: block.name, input: {} },
            pieces(JSON.stringify(block.input)).map((json) => ({ type: "input_json_delta", partial_json: json })),
          ];
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}
