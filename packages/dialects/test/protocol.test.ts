import {
  type Message,
  type ModelPart,
  messageText,
  type PromptBuilder,
  type ToolDefinition,
  ToolglotError,
  type ToolProtocol,
  type ToolResult,
} from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { createAgent, nativeProtocol } from "../../agent/src/index.ts";
import { scriptedModel } from "../../agent/src/testing.ts";
import { recordingExecutor } from "../../agent/test/support/tools.ts";
import { dialectsPrompt } from "../../prompts/src/dialects/index.ts";
import { type DialectBlock, dialectProtocol, dialects, parse, renderTools } from "../src/index.ts";
import * as glm from "../src/only/glm.ts";
import * as kimi from "../src/only/kimi-k2.ts";

const tools: ToolDefinition[] = [
  {
    name: "note",
    description: "Keeps a note.",
    inputSchema: { type: "object", properties: { text: { type: "string" }, n: { type: "integer" } } },
  },
];
const written = (id: keyof typeof dialects): string =>
  ({
    hermes: '<tool_call>\n{"name": "note", "arguments": {"text": "x"}}\n</tool_call>',
    gemma4: '<|tool_call>call:note{text:<|"|>x<|"|>}<tool_call|>',
    "kimi-k2":
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.note:0<|tool_call_argument_begin|>{"text": "x"}<|tool_call_end|><|tool_calls_section_end|>',
  })[id as string] as string;
const unreadable = '<tool_call>\n{"name": "note", "arguments": {"text": x y}}\n</tool_call>';
const auto = () => dialectProtocol({ dialect: "auto" });
const ok = (callId: string, data: unknown, name = "note"): ToolResult => ({
  callId,
  name,
  status: "ok",
  content: [],
  data,
});
const read = (protocol: ReturnType<typeof dialectProtocol>, text: string): DialectBlock[] => {
  const parser = protocol.createParser({ tools, onEvent: () => undefined });
  parser.feed(text);
  return parser.end().blocks;
};

describe("what it is", () => {
  it("declares its tools and shows none, by default", () => {
    const protocol = dialectProtocol({ dialect: "qwen-xml" });
    expect(protocol).toMatchObject({
      ...{ id: "qwen-xml", version: "dialects/1", stop: [], carries: "calls" },
      ...{ declaresTools: true, readsText: true },
    });
    expect(protocol.renderTools(tools) + protocol.instructions(tools, { locale: "en", mode: "loop" })).toBe("");
    expect(dialectProtocol({ dialect: "auto" }).id).toBe("auto");
    expect(dialectProtocol({ dialect: { ...dialects.hermes, id: "mine" } }).id).toBe("mine");
    expect(kimi.dialectProtocol().id).toBe("kimi-k2");
  });

  it("shows its tools in the prompt where it is asked to, alone or inside a prompt", () => {
    const protocol = dialectProtocol({ dialect: "glm", tools: "prompt", locale: "zh" });
    expect(protocol.declaresTools).toBeUndefined();
    expect(protocol.renderTools(tools)).toBe(renderTools(tools, { dialect: "glm", locale: "zh" }));
    expect(glm.dialectProtocol({ tools: "prompt" }).renderTools(tools)).toBe(renderTools(tools, { dialect: "glm" }));
    expect(protocol.instructions(tools, { locale: "en", mode: "loop" })).toBe(renderTools(tools, { dialect: "glm" }));
    const inside = dialectProtocol({ dialect: "auto", tools: "prompt", prompt: dialectsPrompt });
    const text = inside.instructions(tools, { locale: "en", mode: "loop" });
    expect(text).toContain(renderTools(tools, { dialect: "hermes" }));
    expect(text).toContain("## Several Turns");
  });

  it.each([
    [{ dialect: "hermse" }, /dialectProtocol: .*Did you mean "hermes"/],
    [{}, /dialect/],
    [{ dialect: "glm", tool: "prompt" }, /no option "tool"/],
    [{ dialect: "gemma4", tools: "prompt" }, /gemma4 has no text for its tools/],
    [{ dialect: "glm", prompt: dialectsPrompt }, /tools: "prompt"/],
    [
      { dialect: "glm", tools: "prompt", prompt: { ...dialectsPrompt, forProtocol: "tam/1" } as PromptBuilder },
      /teaches "tam\/1".*@toolglot\/prompts\/dialects/,
    ],
    [{ dialect: { ...dialects.glm, open: [{ text: "" }] } }, /open\[0\]/],
  ])("refuses options that can't be meant: %j", (options, message) => {
    expect(() => dialectProtocol(options as never)).toThrow(TypeError);
    expect(() => dialectProtocol(options as never)).toThrow(message);
  });

  it("has no text for tools in the entry of a dialect without one", () => {
    expect(() => kimi.dialectProtocol({ tools: "prompt" })).toThrow(/kimi-k2 has no text for its tools/);
    expect(kimi).not.toHaveProperty("renderTools");
  });
});

describe("what it writes", () => {
  it("with auto the dialect of the last block that was read, and hermes before any", () => {
    const protocol = dialectProtocol({ dialect: "auto" });
    const actions = protocol.actions(parse(written("hermes")).blocks[0] as DialectBlock);
    expect(protocol.formatActions(actions)).toBe(written("hermes"));
    read(protocol, written("gemma4"));
    expect(protocol.formatActions(actions)).toBe(written("gemma4"));
    expect(protocol.formatResults([ok("1", { a: 1 })])).toContain("<|tool_response>response:note{");
    // What it reads back itself is no answer of the model.
    expect(protocol.formatActions(actions, { tools })).toBe(written("gemma4"));
  });

  it("only ids that are the model's own, and those of results as they came", () => {
    const protocol = kimi.dialectProtocol();
    const [block] = read(protocol, written("kimi-k2"));
    const actions = protocol.actions(block as DialectBlock);
    expect(actions).toMatchObject([{ kind: "calls", calls: [{ id: "functions.note:0", protocol: "kimi-k2" }] }]);
    expect(protocol.formatActions(actions)).toBe(written("kimi-k2"));
    expect(protocol.formatResults([ok("functions.note:0", 1)])).toContain("## Return of functions.note:0");
  });

  it("calls that it reads back, and none that it can't", () => {
    const call = (input: unknown) => [
      { kind: "calls" as const, calls: [{ id: "1", name: "note", input, protocol: "x" }], span: { start: 0, end: 0 } },
    ];
    const protocol = dialectProtocol({ dialect: "functiongemma" });
    expect(() => protocol.formatActions(call({ text: "<escape>" }), { tools })).toThrow(ToolglotError);
    const near = protocol.formatActions(call({ text: "<escape>" }), { tools, lossy: true });
    expect(parse(near, { dialect: "functiongemma", tools }).blocks).toEqual([]);
  });

  it("results within its budget, in its language", () => {
    const protocol = dialectProtocol({ dialect: "hermes", resultBudget: 10, locale: "zh" });
    expect(protocol.maxResultChars).toBe(10);
    expect(protocol.formatResults([ok("1", "x".repeat(99))])).toContain("只保留开头和结尾 10 个");
  });

  it("calls and results of a history as text, where all is text, and as parts where tools are declared", () => {
    const messages: Message[] = [
      {
        ...{ role: "assistant", trust: "untrusted" },
        parts: [{ type: "call", call: { id: "1", name: "note", input: { text: "x" }, protocol: "native" } }],
      },
      { role: "tool", trust: "untrusted", parts: [{ type: "result", result: ok("1", written("hermes")) }] },
    ];
    const [said, got] = dialectProtocol({ dialect: "hermes", tools: "prompt" }).encodeMessages(messages);
    expect(said?.parts).toEqual([{ type: "text", text: written("hermes") }]);
    expect(got?.role).toBe("user");
    expect(parse(JSON.stringify(got?.parts)).blocks).toEqual([]);
    const native = dialectProtocol({ dialect: "hermes" });
    expect(native.encodeMessages(messages)).toEqual(messages);
    expect(native.encodeMessage?.(messages[0] as Message)).toEqual([messages[0]]);
  });
});

it("explains with the lines that its parser read, in the mode it was made for", () => {
  const protocol = dialectProtocol({ dialect: "auto", mode: "single" });
  const parser = protocol.createParser({ tools });
  parser.feed('<tool_call>\n{"name": "note", "argu');
  parser.feed('ments": {"text": x y}}\n</tool_call>');
  expect(protocol.explain(parser.end())).toContain("dialects/invalid-json (line 2,");
  expect(protocol.explain(parse("done"))).toContain("holds no tool call");
  expect(dialectProtocol({ dialect: "auto" }).explain(parse("done"))).toBeUndefined();
});

describe("in the agent's loop", () => {
  const native: ModelPart = {
    type: "call",
    call: { id: "c1", name: "note", input: { text: "native" }, protocol: "native" },
  };

  /** Runs until the turns are over; the last one is an answer. */
  async function run(turns: readonly (string | ModelPart[])[], protocol: ToolProtocol = auto()) {
    const inputs: unknown[] = [];
    const model = scriptedModel([...turns, "Done."]);
    const executor = recordingExecutor(({ input }) => {
      inputs.push(input);
      return "kept";
    });
    const result = await createAgent({ model, protocol, executor, tools }).run("Keep it.").result;
    return { result, inputs, requests: model.requests };
  }

  it("runs a call that leaked into the text, and answers it in the dialect's own text", async () => {
    const { result, inputs, requests } = await run([`One moment.\n${written("kimi-k2")}`]);
    expect(inputs).toEqual([{ text: "x" }]);
    expect(result).toMatchObject({ status: "answered", text: "Done." });
    expect(requests[0]?.tools).toEqual(tools);
    const last = requests[1]?.messages.at(-1);
    expect(last?.role).toBe("user");
    expect(last && messageText(last)).toContain("## Return of functions.note:0\n");
  });

  it("runs the provider's own calls where they come, and not a second time what stands in the text", async () => {
    const { inputs, requests } = await run([[written("hermes"), native, { type: "finish", reason: "calls" }]]);
    expect(inputs).toEqual([{ text: "native" }]);
    expect(requests[1]?.messages.at(-1)?.parts).toMatchObject([{ type: "result", result: { callId: "c1" } }]);
  });

  it("runs the whole calls beside one that can't be read, and says so", async () => {
    const { inputs, requests } = await run([`${unreadable}\n${written("hermes")}`]);
    expect(inputs).toEqual([{ text: "x" }]);
    expect(JSON.stringify(requests[1]?.messages)).toContain("One call beside those that ran");
  });

  it.each([
    ["that is cut off", '<tool_call>\n{"name": "note", "arguments": {"text": "x'],
    ["that can't be read", unreadable],
    ["that only a fixed dialect refuses", written("gemma4")],
  ])("asks again for a call %s", async (_, text) => {
    const { inputs, requests } = await run([text], dialectProtocol({ dialect: "hermes" }));
    expect(inputs).toEqual([]);
    expect(requests).toHaveLength(2);
    expect(messageText(requests[1]?.messages.at(-1) as Message)).toContain("dialects/");
  });

  it("leaves an answer in plain text as it is, as the provider's own protocol does", async () => {
    for (const protocol of [auto(), nativeProtocol()]) {
      const { result, requests } = await run(["A <b>plain</b> answer."], protocol);
      expect(result).toMatchObject({ status: "answered", text: "A <b>plain</b> answer." });
      expect(requests).toHaveLength(1);
    }
  });
});
