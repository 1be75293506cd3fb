import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { fileSource, scanSource } from "../../src/scan/scan-file.ts";
import { ScanReport } from "../../src/scan/scan-report.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-scan-others-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const leak = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>';
const teaching = `You may call tools. Write:\n${leak}`;
const parameters = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } };
const tools = [{ type: "function", function: { name: "get_weather", description: "W", parameters } }];
const call = (args: string) => ({ id: "c1", type: "function", function: { name: "get_weather", arguments: args } });
/** A conversation in which everybody but the model writes a call. */
const history = [
  { role: "system", content: teaching },
  { role: "user", content: `Weather? ${leak}` },
  { role: "assistant", content: null, tool_calls: [call('{"city":"SF"}')] },
  { role: "tool", tool_call_id: "c1", content: `The docs: ${leak}` },
];
const said = { role: "assistant", content: leak };
const answer = (message: unknown) => ({ id: "1", model: "qwen3", choices: [{ index: 0, message }] });
const pieces = (text: string, size = 7): string[] => text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
const chunk = (delta: unknown) => ({ id: "9", model: "qwen3", choices: [{ index: 0, delta }] });
const event = (delta: unknown, index = 0) => ({ type: "content_block_delta", index, delta });
const lc = (kind: string, content: string, more = {}) => ({
  lc: 1,
  type: "constructor",
  id: ["langchain", kind],
  kwargs: { type: kind, content, ...more },
});
const langSmith = (content: string, calls: unknown[] = []) => ({
  id: "r",
  run_type: "llm",
  inputs: { messages: [[lc("system", teaching), lc("human", "hi")]] },
  outputs: { generations: [[{ text: content, message: lc("ai", content, { tool_calls: calls }) }]] },
});
const langfuse = (output: unknown, input: unknown = { messages: history, tools }) => ({
  id: "o",
  type: "GENERATION",
  model: "qwen3",
  input,
  output,
});

const events = [
  { type: "response.created", response: { model: "m" } },
  ...pieces(leak).map((delta) => ({ type: "response.output_text.delta", output_index: 0, delta })),
  {
    type: "response.output_item.done",
    item: { type: "message", role: "assistant", content: [{ type: "output_text", text: leak }] },
  },
  {
    type: "response.output_item.added",
    output_index: 1,
    item: { type: "function_call", call_id: "c", name: "get_weather", arguments: "" },
  },
  ...pieces('{"city":"SF</parameter>"}').map((delta) => ({
    type: "response.function_call_arguments.delta",
    output_index: 1,
    delta,
  })),
];
const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: leak }] }];

async function scan(lines: readonly unknown[], pack = (text: string): string | Uint8Array => text): Promise<string[]> {
  const path = join(folder, "log");
  writeFileSync(path, pack(lines.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("")));
  const report = new ScanReport();
  report.end(path, await scanSource(path, fileSource(path), {}, report));
  return [`${report.calls} calls`, ...report.findings.map(({ line, code, path: at }) => `${line} ${code} ${at}`)];
}

describe("what a model said and called is found in", () => {
  const leaked = (at: string, line = 1): string => `${line} scan/leaked-call ${at}`;
  const closer = '{"city":"SF</parameter>"}';
  it.each<[string, unknown[], string[]]>([
    [
      "a proxy's log",
      [{ response: answer(said), request: { messages: history, tools } }],
      ["1 calls", leaked("/response/choices/0/message/content")],
    ],
    [
      "a batch of Anthropic's",
      [{ custom_id: "x", result: { type: "succeeded", message: { type: "message", ...said } } }],
      ["0 calls", leaked("/result/message/content")],
    ],
    [
      "completions",
      [{ model: "m", prompt: teaching, choices: [{ text: leak, index: 0 }] }],
      ["0 calls", leaked("/choices/0/text")],
    ],
    ["llama.cpp", [{ content: leak, model: "m", prompt: teaching, stop: true }], ["0 calls", leaked("/content")]],
    [
      "lines of a server",
      ["srv  update_slots: idle", `srv  log: response: ${JSON.stringify(answer(said))}`],
      ["0 calls", leaked("/choices/0/message/content", 2)],
    ],
    [
      "Ollama",
      [
        { model: "m", message: said, done: true },
        { model: "m", response: leak, done: true },
      ],
      ["0 calls", leaked("/message/content"), leaked("/response", 2)],
    ],
    [
      "LangSmith",
      [langSmith(leak), langSmith("", [{ name: "get_weather", args: JSON.parse(closer), id: "c" }])],
      [
        "1 calls",
        leaked("/outputs/generations/0/0/message/kwargs/content"),
        "2 core/leaked-closer /outputs/generations/0/0/message/kwargs/tool_calls/0/args/city",
      ],
    ],
    ["Langfuse", [langfuse(said)], ["1 calls", leaked("/output/content")]],
    [
      "Langfuse, as text",
      [langfuse(leak, history), langfuse(JSON.stringify(said), JSON.stringify([{ role: "user", content: "b" }]))],
      ["1 calls", leaked("/output"), leaked("/output/content", 2)],
    ],
    [
      "a stream of OpenAI's",
      [...pieces(leak).map((content) => `data: ${JSON.stringify(chunk({ content }))}`), "data: [DONE]"],
      ["0 calls", leaked("/choices/0/message/content")],
    ],
    [
      "two streams of OpenAI's at one time, with what they took",
      [
        ...pieces(leak).flatMap((content) => [
          { ...chunk({ content }), id: "one" },
          { ...chunk({ content: "x" }), id: "two" },
          { level: "info", message: "another line" },
        ]),
        { ...chunk({}), id: "one", choices: [{ delta: {}, finish_reason: "stop" }] },
        { ...chunk({}), id: "one", object: "chat.completion.chunk", choices: [], usage: { total_tokens: 3 } },
      ],
      ["0 calls", leaked("/choices/0/message/content")],
    ],
    [
      "a call in a stream of OpenAI's",
      [
        chunk({ tool_calls: [{ index: 0, ...call("") }] }),
        ...pieces(closer).map((more) => chunk({ tool_calls: [{ index: 0, function: { arguments: more } }] })),
      ],
      ["1 calls", "1 core/leaked-closer /choices/0/message/tool_calls/0/function/arguments/city"],
    ],
    [
      "a stream of Anthropic's",
      [
        { type: "message_start", message: { id: "m", model: "claude" } },
        ...pieces(leak).map((text) => event({ type: "text_delta", text })),
        {
          type: "content_block_start",
          index: 1,
          content_block: { type: "tool_use", id: "t", name: "get_weather", input: {} },
        },
        ...pieces(closer).map((partial_json) => event({ type: "input_json_delta", partial_json }, 1)),
        { type: "message_stop" },
      ],
      [
        "1 calls",
        leaked("/choices/0/message/content"),
        "1 core/leaked-closer /choices/0/message/tool_calls/0/function/arguments/city",
      ],
    ],
    [
      "events of the Responses API that were cut",
      events,
      [
        "1 calls",
        leaked("/choices/0/message/content"),
        "1 core/leaked-closer /choices/0/message/tool_calls/0/function/arguments/city",
      ],
    ],
    [
      "events of the Responses API",
      [...events, { type: "response.completed", response: { model: "m", output } }],
      ["0 calls", leaked("/response/output/0/content/0/text", events.length + 1)],
    ],
    [
      "a stream of Ollama's",
      [
        ...pieces(leak).map((content) => ({ model: "m", message: { role: "assistant", content }, done: false })),
        { model: "m", message: { role: "assistant", content: "" }, done: true },
      ],
      ["0 calls", leaked("/choices/0/message/content")],
    ],
  ])("%s", async (_, lines, expected) => {
    expect(await scan(lines)).toEqual(expected);
    expect(await scan(lines, (text) => gzipSync(text))).toEqual(expected);
  });
});

describe("what others wrote is no finding", () => {
  const fine = { role: "assistant", content: "Sunny." };
  it.each<[string, unknown[]]>([
    [
      "a prompt that teaches a format, a person and a tool that quote a call",
      [{ request: { messages: history, tools }, response: answer(fine) }],
    ],
    [
      "a prompt beside the messages",
      [{ request: { system: teaching, messages: history }, response: { type: "message", ...fine } }],
    ],
    [
      "instructions of the Responses API",
      [
        {
          model: "m",
          instructions: teaching,
          input: history,
          output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Sunny." }] }],
        },
      ],
    ],
    ["LangSmith", [langSmith("Sunny.")]],
    ["Langfuse", [langfuse(fine)]],
    [
      "an answer that explains",
      [answer({ role: "assistant", content: `Qwen writes:\n\n\`\`\`xml\n${leak}\n\`\`\`\n\nThe server reads it.` })],
    ],
  ])("%s", async (_, lines) => expect((await scan(lines)).slice(1)).toEqual([]));
});

it("tells once what later requests repeat, and twice what was said twice", async () => {
  const second = [...history, said, { role: "user", content: "again" }];
  const third = [...second, said, { role: "user", content: "more" }];
  const lines = [history, second, third].map((messages) => ({ request: { messages, tools }, response: answer(said) }));
  const at = "scan/leaked-call /response/choices/0/message/content";
  expect(await scan(lines)).toEqual(["1 calls", `1 ${at}`, `2 ${at}`, `3 ${at}`]);
  // What the first answer was is known from the second request alone.
  expect(await scan(lines.slice(1).map(({ request }) => request))).toEqual([
    "1 calls",
    "1 scan/leaked-call /messages/4/content",
    "2 scan/leaked-call /messages/6/content",
  ]);
});
