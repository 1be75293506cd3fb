import type { ToolProtocol } from "@toolglot/core";
import { cut } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { type ToolglotMiddlewareOptions, toolglotMiddleware } from "../src/index.ts";
import { attp, tools as definitions, tam, toolsxml, write } from "./support/protocols.ts";

type Part = { type: string; [key: string]: unknown };

const weather = {
  type: "function",
  name: "weather",
  description: "Tells it.",
  inputSchema: definitions[1]?.inputSchema,
};
const writeFile = { type: "function", name: "write_file", inputSchema: definitions[0]?.inputSchema };
const search = { type: "provider", id: "x.search", name: "search", args: {} };
const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const model = { specificationVersion: "v4", modelId: "m1" };
const call = (protocol: ToolProtocol = toolsxml) => write(protocol, ["weather", { city: "Rome", days: 2 }]);

function setUp(options: Partial<ToolglotMiddlewareOptions> = {}) {
  const middleware = toolglotMiddleware({ protocol: toolsxml, ...options });
  const transform = (params: object, of: object = model) =>
    middleware.transformParams({ type: "stream", params, model: of });
  const params = { prompt: [user("Hi")], tools: [writeFile, weather] };
  async function stream(parts: readonly Part[], request: object = params): Promise<Part[]> {
    const source = new ReadableStream<Part>({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    const result = await middleware.wrapStream({
      doStream: async () => ({ stream: source }),
      params: await transform(request),
      model,
    });
    return readAll(result.stream);
  }
  async function generate(content: readonly Part[], more: object = {}, request: object = params) {
    const doGenerate = async () => ({ content, finishReason: { unified: "stop", raw: "end" }, warnings: [], ...more });
    return middleware.wrapGenerate({ doGenerate, params: await transform(request), model });
  }
  return { transform, stream, generate };
}

async function readAll(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream as unknown as AsyncIterable<Part>) parts.push(part);
  return parts;
}

const deltas = (text: string, size = 5): Part[] => [
  { type: "text-start", id: "1" },
  ...cut(text, [size]).map((delta) => ({ type: "text-delta", id: "1", delta })),
  { type: "text-end", id: "1" },
];
const finish = (unified = "stop", more: object = {}): Part => ({
  type: "finish",
  finishReason: { unified, raw: unified },
  usage: {},
  ...more,
});
/** The content that a stream's parts make: what a whole answer has. */
function contentOf(parts: readonly Part[]): Part[] {
  const content: Part[] = [];
  for (const part of parts) {
    const [, kind, place] = /^(text|reasoning)-(start|delta|end)$/.exec(part.type) ?? [];
    if (place === "start") content.push({ type: kind as string, text: "" });
    else if (place === "delta") (content.at(-1) as Part & { text: string }).text += part.delta as string;
    else if (!kind && !/^tool-input|^stream-start|^finish/.test(part.type)) content.push(part);
  }
  return content.map(({ toolCallId: _, ...part }) => part) as Part[];
}

describe("what the provider is asked", () => {
  const { transform } = setUp();

  it("tools of functions become instructions in the first system message", async () => {
    const given = {
      prompt: [{ role: "system", content: "Be kind.", providerOptions: { a: { b: 1 } } }, user("Hi")],
      tools: [weather],
    };
    const { prompt, tools, toolChoice } = await transform({ ...given, toolChoice: { type: "auto" } });
    expect(prompt[0]).toMatchObject({ role: "system", providerOptions: { a: { b: 1 } } });
    expect(prompt[0].content).toMatch(/^Be kind\.\n\n[\s\S]*<tools>[\s\S]*weather/);
    expect(prompt[1]).toBe(given.prompt[1]);
    expect([tools, toolChoice]).toEqual([undefined, undefined]);
    expect(Object.keys(await transform(given))).toEqual(["prompt", "stopSequences"]);
  });

  it("joins the last system message where that is wished, and makes one where there is none", async () => {
    const last = await setUp({ placement: "last" }).transform({
      prompt: [{ role: "system", content: "A" }, { role: "system", content: "B" }, user("Hi")],
      tools: [weather],
    });
    expect(last.prompt[0].content).toBe("A");
    expect(last.prompt[1].content).toMatch(/^B\n\n/);
    const none = await transform({ prompt: [user("Hi")], tools: [weather] });
    expect(none.prompt.map(({ role }: { role: string }) => role)).toEqual(["system", "user"]);
  });

  it("without function tools nothing is changed", async () => {
    const params = { prompt: [user("Hi")], tools: [search], toolChoice: { type: "auto" }, temperature: 0 };
    expect(await transform(params)).toEqual(params);
    expect(await transform({ prompt: [user("Hi")] })).toEqual({ prompt: [user("Hi")] });
  });

  it("tools of the provider stay declared, or are dropped with a warning", async () => {
    const params = { prompt: [user("Hi")], tools: [search, weather], toolChoice: { type: "required" } };
    const passed = await transform(params);
    expect([passed.tools, passed.toolChoice]).toEqual([[search], undefined]);
    const { transform: drop, generate } = setUp({ providerTools: "drop" });
    expect((await drop(params)).tools).toBeUndefined();
    const { warnings } = await generate([{ type: "text", text: call() }], {}, params);
    expect(warnings).toEqual([{ type: "unsupported", feature: "provider tool search" }]);
  });

  it("stop sequences of the protocol come behind the caller's, and make room for them", async () => {
    const stop = async (stopSequences?: string[]) =>
      (await transform({ prompt: [user("Hi")], tools: [weather], stopSequences })).stopSequences;
    expect(await stop()).toEqual(["<results>"]);
    expect(await stop(["a", "<results>"])).toEqual(["a", "<results>"]);
    expect(await stop(["a", "b", "c", "d"])).toEqual(["a", "b", "c", "d"]);
    expect(await stop(["a", "b", "c", "d", "e"])).toEqual(["a", "b", "c", "d", "e"]);
    const { warnings } = await setUp().generate(
      [{ type: "text", text: "x" }],
      {},
      { prompt: [user("Hi")], tools: [weather], stopSequences: ["a", "b", "c", "d"] },
    );
    expect(warnings).toMatchObject([{ type: "other", message: expect.stringContaining('"<results>"') }]);
  });

  it("a choice is a sentence, and one of a tool that is not there an error", async () => {
    const choose = (toolChoice: object, tools: object[] = [writeFile, weather, search]) =>
      transform({ prompt: [user("Hi")], tools, toolChoice });
    expect((await choose({ type: "required" })).prompt[0].content).toMatch(/without one is not accepted/);
    const one = (await choose({ type: "tool", toolName: "weather" })).prompt[0].content;
    expect(one).toContain("call the tool weather");
    expect(one).not.toContain("write_file");
    const none = await choose({ type: "none" });
    expect([none.prompt.length, none.tools, none.toolChoice]).toEqual([1, [search], { type: "none" }]);
    for (const bad of [
      choose({ type: "tool", toolName: "search" }),
      choose({ type: "tool", toolName: "nothing" }),
      choose({ type: "required" }, [search]),
    ])
      await expect(bad).rejects.toMatchObject({ code: "ai-sdk/tool-choice" });
  });

  it("says what tools of the SDK can't, and shows their examples", async () => {
    const { transform: more } = setUp({
      definitions: [{ ...(definitions[1] as (typeof definitions)[number]), examples: [{ input: { city: "Paris" } }] }],
    });
    expect((await more({ prompt: [user("Hi")], tools: [weather] })).prompt[0].content).toContain("Paris");
    const own = { ...weather, inputExamples: [{ input: { city: "Lima" } }] };
    expect((await transform({ prompt: [user("Hi")], tools: [own] })).prompt[0].content).toContain("Lima");
  });
});

describe("histories", () => {
  const { transform } = setUp();
  const asked = (id: string, more: object = {}) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: "weather",
    input: { city: id },
    ...more,
  });
  const result = (id: string, output: object) => ({ type: "tool-result", toolCallId: id, toolName: "weather", output });
  const textOf = ({ content }: { content: Part[] }): string => content.map(({ text }) => text).join("");

  it("calls and results become text; what the provider ran, and all else, stays", async () => {
    const reasoning = { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } };
    const text = { type: "text", text: "I look.", providerOptions: { x: { y: 1 } } };
    const native = asked("n", { toolName: "search", providerExecuted: true });
    const found = { ...result("n", { type: "json", value: 1 }), toolName: "search" };
    const { prompt } = await transform({
      prompt: [
        user("Hi"),
        { role: "assistant", content: [reasoning, native, found, text, asked("Rome"), asked("Oslo")] },
        {
          role: "tool",
          content: [
            result("Oslo", { type: "text", value: "cold" }),
            result("Rome", { type: "json", value: { t: 30 } }),
          ],
        },
        user("And?"),
        user("Well?"),
      ],
      tools: [weather],
    });
    expect(prompt.map(({ role }: { role: string }) => role)).toEqual(["system", "user", "assistant", "user", "user"]);
    expect(prompt[2].content.slice(0, 4)).toEqual([reasoning, native, found, text]);
    expect(prompt[2].content).toHaveLength(5);
    expect(prompt[2].content[4].text).toMatch(/^\n\n<tools>/);
    expect(textOf(prompt[3])).toMatch(/30[\s\S]*cold[\s\S]*And\?$/);
    expect(textOf(prompt[4])).toBe("Well?");
  });

  it("every output is a result: errors, denials, content, files in the shape of the specification", async () => {
    const ask = async (output: object, of?: object) =>
      (
        await transform(
          {
            prompt: [
              user("Hi"),
              { role: "assistant", content: [asked("a")] },
              { role: "tool", content: [result("a", output)] },
            ],
            tools: [weather],
          },
          of,
        )
      ).prompt[3].content as Part[];
    const text = async (output: object) => (await ask(output))[0]?.text;
    expect(await text({ type: "error-text", value: "no <tools>" })).toMatch(/status="error"[\s\S]*no /);
    expect(await text({ type: "error-json", value: { code: 7 } })).toMatch(/status="error"[\s\S]*code/);
    expect(await text({ type: "execution-denied", reason: "not now" })).toMatch(/Denied[\s\S]*not now/);
    const png = { type: "image-data", data: "AAAA", mediaType: "image/png" };
    const v3 = await ask(
      { type: "content", value: [{ type: "text", text: "see" }, png] },
      { specificationVersion: "v3" },
    );
    expect(v3[0]?.text).toContain("see");
    expect(v3[1]).toEqual({ type: "file", mediaType: "image/png", data: "AAAA" });
    const file = { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([0, 0, 0]) } };
    expect((await ask({ type: "content", value: [file] }))[1]).toEqual({
      type: "file",
      mediaType: "image/png",
      data: { type: "data", data: "AAAA" },
    });
    const url = { type: "image-url", url: "https://x.example/a.png" };
    expect((await ask({ type: "content", value: [url] }, { specificationVersion: "v3" }))[1]?.data).toEqual(
      new URL(url.url),
    );
  });

  it("shares nothing between calls, and shows the provider nothing of its own", async () => {
    const params = { prompt: [user("Hi")], tools: [weather] };
    const before = structuredClone(params);
    const [one, two] = [await transform(params), await transform(params)];
    expect(params).toEqual(before);
    expect(one).toEqual(two);
    expect(JSON.stringify(one)).not.toContain("toolglot");
  });
});

describe("answers", () => {
  it("of requests that run side by side, and of stacked middleware, don't mix", async () => {
    const outer = setUp({ protocol: tam });
    const inner = setUp();
    const params = { prompt: [user("Hi")], tools: [weather] };
    // The outer one takes the tools; the inner one has nothing to search.
    const passed = await outer.transform(params);
    const again = await inner.generate([{ type: "text", text: call(tam) }], {}, passed);
    expect(again.content).toEqual([{ type: "text", text: call(tam) }]);
    const both = await Promise.all(
      ["Rome", "Oslo"].map((city) => inner.stream([...deltas(write(toolsxml, ["weather", { city }])), finish()])),
    );
    expect(both.map((parts) => parts.find(({ type }) => type === "tool-call")?.input)).toEqual([
      '{"city":"Rome"}',
      '{"city":"Oslo"}',
    ]);
  });

  it("whole and streamed, are the same in content, finish and findings", async () => {
    const { stream, generate } = setUp();
    const source = { type: "source", sourceType: "url", id: "s", url: "https://x.example" };
    for (const text of [
      "Plain «answer» < with [marks].\n",
      `I look.\n\n${call()}\n\nDone.`,
      `<think>hm</think>\n${call()}${call()}`,
      `Hi\n${call().slice(0, -20)}`,
      "",
    ]) {
      const whole = await generate([{ type: "text", text }, source], { providerMetadata: { p: { q: 1 } } });
      const parts = await stream([...deltas(text), source, finish("stop", { providerMetadata: { p: { q: 1 } } })]);
      expect(contentOf(parts)).toEqual(contentOf(whole.content));
      const last = parts.at(-1) as { finishReason?: { unified: string }; providerMetadata?: object };
      expect(last.finishReason?.unified).toBe(whole.finishReason.unified);
      expect(last.providerMetadata).toEqual(whole.providerMetadata);
      expect(whole.providerMetadata.p).toEqual({ q: 1 });
    }
  });

  it("envelopes have their own ids, open late, close once, and before anything else", async () => {
    const file = { type: "file", mediaType: "image/png", data: "AAAA" };
    const parts = await setUp().stream([
      { type: "stream-start", warnings: [{ type: "other", message: "w" }] },
      { type: "text-delta", id: "zz", delta: "no start " },
      file,
      ...deltas(`\n<think>why</think>more\n${call()}`),
      finish("other"),
    ]);
    expect(parts.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
      "stream-start",
      "text-start",
      "text-delta",
      "text-end",
      "file",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-end",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "finish",
    ]);
    expect(parts[0]).toEqual({ type: "stream-start", warnings: [{ type: "other", message: "w" }] });
    expect(parts).toContain(file);
    const starts = parts.filter(({ type }) => /-start$/.test(type) && type !== "stream-start").map(({ id }) => id);
    expect(new Set(starts).size).toBe(starts.length);
    const input = parts
      .filter(({ type }) => type === "tool-input-delta")
      .map(({ delta }) => delta)
      .join("");
    expect(parts.find(({ type }) => type === "tool-call")).toMatchObject({ input, toolName: "weather" });
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls", raw: "other" } });
  });

  it("text that can't be part of a block goes on within its chunk", async () => {
    const middleware = toolglotMiddleware({ protocol: tam });
    const params = await middleware.transformParams({
      type: "stream",
      params: { prompt: [user("Hi")], tools: [weather] },
      model,
    });
    let push: (part: Part) => void = () => undefined;
    const source = new ReadableStream<Part>({
      start(controller) {
        push = (part) => controller.enqueue(part);
      },
    });
    const { stream } = await middleware.wrapStream({ doStream: async () => ({ stream: source }), params, model });
    const reader = stream.getReader();
    const next = async (): Promise<Part> => (await reader.read()).value;
    push({ type: "text-delta", id: "1", delta: "Hello" });
    expect((await next()).type).toBe("stream-start");
    expect((await next()).type).toBe("text-start");
    expect(await next()).toMatchObject({ delta: "Hello" });
    push({ type: "text-delta", id: "1", delta: " world" });
    expect(await next()).toMatchObject({ delta: " world" });
    await reader.cancel("enough");
    expect(() => push({ type: "raw" })).toThrow();
  });

  it("calls of the provider pass, beside ours", async () => {
    const native = { type: "tool-call", toolCallId: "n1", toolName: "search", input: "{}", providerExecuted: true };
    const parts = await setUp().stream([
      native,
      { type: "tool-result", toolCallId: "n1", toolName: "search", result: 1 },
      ...deltas(call()),
      finish("tool-calls"),
    ]);
    expect(parts).toContain(native);
    expect(parts.filter(({ type }) => type === "tool-call")).toHaveLength(2);
    const client = { type: "tool-call", toolCallId: "n2", toolName: "other", input: "{}" };
    expect((await setUp().stream([client, ...deltas("Hi"), finish("tool-calls")])).at(-1)).toMatchObject({
      finishReason: { unified: "tool-calls" },
    });
  });

  it("the reason of the end says whether there are calls, and others stay", async () => {
    const reason = async (unified: string, text: string) => {
      const parts = await setUp().stream([...deltas(text), finish(unified)]);
      return [
        (parts.at(-1) as { finishReason?: { unified: string } }).finishReason?.unified,
        parts.filter(({ type }) => type === "tool-call").length,
      ];
    };
    for (const unified of ["stop", "other", "tool-calls", "unknown"])
      expect(await reason(unified, call())).toEqual(["tool-calls", 1]);
    expect(await reason("tool-calls", "Hi")).toEqual(["stop", 0]);
    expect(await reason("other", "Hi")).toEqual(["other", 0]);
    expect(await reason("length", `${call()}${call().slice(0, -20)}`)).toEqual(["length", 2]);
    for (const unified of ["content-filter", "error"]) expect(await reason(unified, call())).toEqual([unified, 0]);
  });

  it("a stream that has no end, or fails, closes what is open, and nothing runs after a failure", async () => {
    const open = await setUp().stream(deltas(`Hi\n${call()}`).slice(0, -1));
    expect(open.filter(({ type }) => type === "tool-call")).toHaveLength(1);
    const broken = await setUp().stream([
      ...deltas(`Hi\n${call().slice(0, -30)}`),
      { type: "error", error: "e" },
      finish("error"),
    ]);
    expect(broken.map(({ type }) => type)).toContain("error");
    for (const kind of ["text", "tool-input"])
      expect(broken.filter(({ type }) => type === `${kind}-start`).length).toBe(
        broken.filter(({ type }) => type === `${kind}-end`).length,
      );
    expect(broken.filter(({ type }) => type === "tool-call")).toEqual([]);
    const middleware = toolglotMiddleware({ protocol: toolsxml });
    const params = await middleware.transformParams({
      type: "stream",
      params: { prompt: [user("Hi")], tools: [weather] },
      model,
    });
    const failing = new ReadableStream<Part>({
      start(controller) {
        controller.enqueue({ type: "text-delta", id: "1", delta: "Hello" });
        controller.enqueue({ type: "text-delta", id: "1", delta: " x" });
      },
      pull: () => Promise.reject(new Error("gone")),
    });
    const { stream } = await middleware.wrapStream({ doStream: async () => ({ stream: failing }), params, model });
    const reader = stream.getReader();
    const seen: string[] = [];
    await expect(
      (async () => {
        for (;;) seen.push((await reader.read()).value.type);
      })(),
    ).rejects.toThrow("gone");
    expect(seen.at(-1)).toBe("text-end");
  });

  it("a choice that the answer does not keep is a warning, and no call is made up", async () => {
    const request = {
      prompt: [user("Hi")],
      tools: [weather, writeFile],
      toolChoice: { type: "tool", toolName: "weather" },
    };
    const { content, warnings, finishReason } = await setUp().generate([{ type: "text", text: "No." }], {}, request);
    expect(content).toEqual([{ type: "text", text: "No." }]);
    expect(warnings).toMatchObject([{ type: "other", message: expect.stringContaining("no call of weather") }]);
    expect(finishReason.unified).toBe("stop");
  });

  it("findings are warnings, codes in the metadata, and told to a listener whose faults are its own", async () => {
    const seen: string[] = [];
    const { generate } = setUp({
      onDiagnostic(diagnostic, { modelId }) {
        seen.push(`${modelId} ${diagnostic.code}`);
        throw new Error("mine");
      },
    });
    const { content, warnings, providerMetadata } = await generate([{ type: "text", text: call().slice(0, -20) }]);
    expect(content[0]).toMatchObject({
      type: "tool-call",
      toolName: "weather",
      providerMetadata: { toolglot: { text: expect.stringContaining("<tools>") } },
    });
    expect(warnings.map(({ message }: { message: string }) => message).join()).toMatch(
      /toolglot: toolsxml\/truncated: /,
    );
    expect(JSON.stringify(providerMetadata)).not.toContain("Rome");
    expect(providerMetadata.toolglot.diagnostics.map(({ code }: { code: string }) => code)).toContain(
      "toolsxml/truncated",
    );
    expect(seen).toContain("m1 toolsxml/truncated");
  });

  it("a stop sequence that the provider reports closes the block", async () => {
    const stopped = call(tam).replace(/<\|\[END_TOOL\]\|>\s*$/, "");
    const { stream } = setUp({ protocol: tam });
    const metadata = { providerMetadata: { anthropic: { stopSequence: "<|[END_TOOL]|>" } } };
    const parts = await stream([...deltas(stopped), finish("stop", metadata)]);
    expect(parts.filter(({ type }) => type === "tool-call")).toMatchObject([{ input: '{"city":"Rome","days":2}' }]);
  });
});

it("refuses options that can't be meant, and says what to do", () => {
  const make = (options: object) => () => toolglotMiddleware(options as ToolglotMiddlewareOptions);
  expect(make({ protocol: attp })).toThrow(/programs: \{ tool/);
  expect(make({ protocol: toolsxml, placemnt: "last" })).toThrow(/placement/);
  expect(make({ protocol: toolsxml, placement: "middle" })).toThrow(/"first" or "last"/);
  expect(make({ protocol: {} })).toThrow(/protocol is a protocol/);
  expect(make({ protocol: toolsxml, values: "x" })).toThrow(TypeError);
  expect(make({ protocol: toolsxml, definitions: {} })).toThrow(/list/);
});
