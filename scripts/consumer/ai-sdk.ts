import { aiSdkModel, fromAiSdkTools, inOrder, toAiSdkTools, toolglotMiddleware } from "@toolglot/ai-sdk";
import { rescueToolCalls } from "@toolglot/ai-sdk/rescue";
import { type AnyTool, type ToolProtocol, textMessage } from "@toolglot/core";
import { createBridge } from "@toolglot/core/bridge";

/** A protocol of one line: `CALL name {…}`. */
const span = (text: string, start: number) => ({ start, end: start + text.length });
const protocol: ToolProtocol = {
  id: "line",
  version: "line/1",
  stop: [],
  carries: "calls",
  renderTools: (tools) => tools.map(({ name }) => name).join("\n"),
  instructions: (tools) => `Call with a line: CALL name {json}. Tools: ${tools.map(({ name }) => name).join(", ")}`,
  createParser({ onEvent }) {
    let text = "";
    return {
      feed(chunk) {
        text += chunk;
      },
      reset() {
        text = "";
      },
      end() {
        const at = text.indexOf("CALL ");
        const before = at < 0 ? text : text.slice(0, at);
        if (before !== "") onEvent?.({ phase: "text", type: "text-delta", text: before });
        if (at < 0) return { segments: [], blocks: [], diagnostics: [] };
        const block = { status: "complete" as const, span: span(text.slice(at), at) };
        onEvent?.({ phase: "block-start", type: "block-start", start: at });
        called.set(block, text.slice(at));
        onEvent?.({ phase: "block-end", type: "block-end", block });
        return { segments: [{ type: "block", block, span: block.span }], blocks: [block], diagnostics: [] };
      },
    };
  },
  actions(block) {
    const [, name = "", input = "{}"] = /^CALL (\w+) (.*)/.exec(called.get(block) ?? "") ?? [];
    const call = { id: "1", name, input: JSON.parse(input) as unknown, protocol: "line" };
    return [{ kind: "calls", calls: [call], span: block.span }];
  },
  formatActions: (actions) =>
    actions
      .map((action) =>
        action.kind === "calls" ? `CALL ${action.calls[0]?.name} ${JSON.stringify(action.calls[0]?.input)}` : "",
      )
      .join("\n"),
  formatResults: (results) => results.map(({ data }) => `RESULT ${JSON.stringify(data)}`).join("\n"),
  explain: () => undefined,
  encodeMessages: (messages) => [...messages],
};
const called = new WeakMap<object, string>();

const add: AnyTool = {
  name: "add",
  description: "Adds.",
  inputSchema: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } },
  execute: ({ a, b }: { a: number; b: number }) => a + b,
};

export async function consume(): Promise<string> {
  const tools = inOrder(toAiSdkTools([add]));
  const [back] = fromAiSdkTools(toAiSdkTools([add]));
  const middleware = toolglotMiddleware({ protocol, specificationVersion: "v3" });
  const functions = [{ type: "function", name: "add", description: add.description, inputSchema: add.inputSchema }];
  const prompt = [{ role: "user", content: [{ type: "text", text: "2 + 3?" }] }];
  const params = await middleware.transformParams({ type: "generate", params: { prompt, tools: functions } });
  const content = [{ type: "text", text: 'I add.\nCALL add {"a":2,"b":3}' }];
  const doGenerate = async () => ({ content, finishReason: { unified: "stop", raw: "stop" }, warnings: [] });
  const answer = await middleware.wrapGenerate({ doGenerate, params });
  const call = answer.content[1];
  let sum: unknown;
  for await (const output of tools.add.execute(JSON.parse(call.input), { toolCallId: call.toolCallId }))
    sum = output.data;
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "text-delta", id: "1", delta: "five" });
      controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} });
      controller.close();
    },
  });
  const model = aiSdkModel({
    model: { specificationVersion: "v4", provider: "scripted", modelId: "m", doStream: async () => ({ stream }) },
  });
  const parts: string[] = [];
  for await (const part of model({ messages: [textMessage("user", "2 + 3?")] }, new AbortController().signal))
    parts.push(typeof part === "string" ? part : part.type);
  const rescue = rescueToolCalls({ specificationVersion: "v3" });
  const declared = await rescue.transformParams({ type: "generate", params: { prompt, tools: functions } });
  const leaked = {
    ...(await doGenerate()),
    content: [{ type: "text", text: '[TOOL_CALLS]add[ARGS]{"a": 2, "b": 3}' }],
  };
  const rescued = await rescue.wrapGenerate({ doGenerate: async () => leaked, params: declared });
  const bridge = createBridge(protocol, { tools: [add] });
  return [
    params.prompt[0].role,
    answer.content[0].text,
    call.toolName,
    sum,
    answer.finishReason.unified,
    back?.name,
    parts.join(),
    rescued.content[0].input,
    bridge.system === params.prompt[0].content,
  ].join(" | ");
}

export const expected = 'system | I add. | add | 5 | tool-calls | add | five,finish | {"a":2,"b":3} | true';
