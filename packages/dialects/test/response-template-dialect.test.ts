import { readdirSync, readFileSync } from "node:fs";
import { isRunnable } from "@toolglot/core";
import { growthOf } from "@toolglot/internal/testing/growth";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  createParser,
  type DialectEvent,
  type DialectParseOptions,
  type DialectTool,
  dialectProtocol,
  explain,
  formatResults,
  parse,
  parseStream,
  recoverToolCalls,
  serialize,
} from "../src/index.ts";
import { dialectFromTemplate, type ResponseTemplate } from "../src/response-template/index.ts";

interface Case {
  name: string;
  template: string;
  text: string;
  tools?: DialectTool[];
  options?: Pick<DialectParseOptions, "callsInReasoning" | "startsInReasoning">;
  /** Calls that run; the held ones are not among them. */
  calls: { name: string; input: unknown }[];
  rejected: string[];
  /** Of each block. */
  statuses: string[];
  visible: string;
  reasoning: string;
  diagnostics: string[];
}

const folder = new URL("../../../conformance/response-templates/", import.meta.url);
const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), "utf8"));
const cases = read("dialect.json") as Case[];
const templates = new Map(
  readdirSync(folder).flatMap((file) => {
    const { template } = read(file) as { template?: ResponseTemplate };
    return template ? [[file.replace(/\.json$/, ""), template] as const] : [];
  }),
);
const dialectOf = (name: string) => dialectFromTemplate(templates.get(name) as ResponseTemplate, { id: name });
const tool = { name: "f", inputSchema: { type: "object", properties: { a: { type: "integer" } } } } as const;

it.each(cases)("reads $name", ({ template, text, tools, options = {}, ...expected }) => {
  const dialect = dialectOf(template);
  const found = recoverToolCalls(text, tools, { ...options, dialect });
  expect(found.calls.map(({ name, input }) => ({ name, input }))).toEqual(expected.calls);
  expect(found.blocks.flatMap(({ rejected }) => rejected.map(({ status }) => status))).toEqual(expected.rejected);
  expect(found.blocks.map(({ status }) => status)).toEqual(expected.statuses);
  expect(found.text).toBe(expected.visible);
  expect(found.reasoning).toBe(expected.reasoning);
  expect(found.diagnostics.map(({ code }) => code).sort()).toEqual([...expected.diagnostics].sort());
});

/** What a text reads as, in chunks; deltas that stand together are put together. */
function readChunks(chunks: readonly string[], options: DialectParseOptions) {
  const events: DialectEvent[] = [];
  const parser = createParser({
    ...options,
    onEvent(event) {
      const last = events.at(-1);
      if (last && /^(?:text|reasoning)-delta$/.test(event.type) && last.type === event.type && "text" in last)
        events[events.length - 1] = { ...last, text: last.text + (event as { text: string }).text } as DialectEvent;
      else events.push(structuredClone(event));
    },
  });
  for (const chunk of chunks) parser.feed(chunk);
  return { result: parser.end(), events };
}

it.each(cases)("reads $name in any chunks", ({ template, text, tools, options = {} }) => {
  const all = { ...options, ...(tools && { tools }), dialect: dialectOf(template) };
  const whole = readChunks([text], all);
  expect(readChunks(text.split(""), all)).toEqual(whole);
  for (let at = 1; at < text.length; at += 1)
    expect(readChunks([text.slice(0, at), text.slice(at)], all)).toEqual(whole);
});

const pieces = [
  "<think>", "</think>", "<tool_call>", "</tool_call>", "\n", "  ", "a", "<|im_end|>", '{"name": "f", "arguments": {"a": 1}}',
  '<tool_call>{"name": "f", "arguments": {}}</tool_call>', "<tool_call><function=f>", "<parameter=a>", "</parameter>", "\ufeff",
  "<|tool_call_start|>[", "f(a='b')", ", ", "g(", ")]<|tool_call_end|>", "<", "</", "<tool", "😀", "\ud83d", "<tool_response>\n",
  "<|channel>thought\n", "<channel|>", "<|tool_call>call:f", '{a:<|"|>b<|"|>}', "<tool_call|>", "<|channel|>final<|message|>", "<|end|>",
]; // biome-ignore format: one list

it("says the same whatever the chunks, and leaves no gap", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...templates.keys()),
      fc.array(fc.constantFrom(...pieces), { maxLength: 14 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      fc.boolean(),
      (name, list, sizes, startsInReasoning) => {
        const text = list.join("");
        const chunks: string[] = [];
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const size = sizes[turn % sizes.length] as number;
          chunks.push(text.slice(at, at + size));
          at += size;
        }
        const options = { dialect: dialectOf(name), tools: [tool], startsInReasoning };
        const whole = readChunks([text], options);
        expect(readChunks(chunks, options)).toEqual(whole);
        const { segments, blocks } = whole.result;
        let end = 0;
        for (const { span } of segments) {
          expect(span.start).toBe(end);
          end = span.end;
        }
        expect(end).toBe(text.length);
        // Events tell the same as the result.
        for (const type of ["text", "reasoning"] as const) {
          const told = whole.events.flatMap((event) => (event.phase === type ? [event.text] : []));
          const shown = segments.flatMap((segment) => (segment.type === type ? [segment.text] : []));
          expect(told.join("")).toBe(shown.join(""));
        }
        const ended = whole.events.flatMap((event) => (event.phase === "block-end" ? [event.block] : []));
        expect(ended.map(({ span, calls }) => ({ span, calls }))).toEqual(
          blocks.map(({ span, calls }) => ({ span, calls })),
        );
      },
    ),
    { numRuns: 400 },
  );
});

it("runs nothing of a text that is cut which the whole text would not run", () => {
  for (const { template, text, tools, options = {} } of cases) {
    const dialect = dialectOf(template);
    const how = { ...options, dialect };
    const shown = (calls: readonly { name: string; input: unknown }[]) =>
      calls.map(({ name, input }) => JSON.stringify([name, input]));
    const { blocks } = recoverToolCalls(text, tools, how);
    const whole = new Set(shown(blocks.flatMap(({ calls }) => calls)));
    for (let end = 0; end < text.length; end += 1)
      for (const call of shown(recoverToolCalls(text.slice(0, end), tools, how).calls)) expect(whole).toContain(call);
  }
});

it("streams text and reasoning at once", () => {
  const told: string[] = [];
  const parser = createParser({
    dialect: dialectOf("qwen3"),
    onEvent: (event) => told.push("text" in event ? `${event.type} ${event.text}` : event.type),
  });
  const feed = (text: string): string[] => {
    told.length = 0;
    parser.feed(text);
    return [...told];
  };
  expect(feed("<think>so<")).toEqual(["reasoning-delta so"]);
  expect(feed("b")).toEqual(["reasoning-delta <b"]);
  expect(feed("</think>Hi\n")).toEqual(["text-delta Hi"]);
  expect(feed('<tool_call>{"name": "f", "arguments": {"s": "x"}}')).toEqual(["calls-start"]);
  expect(feed("</tool_call>\n")).toEqual([]);
  expect(feed("x")).toEqual([
    "call-start f",
    "argument-start ",
    "argument-delta x",
    "call-end ",
    "calls-end",
    "text-delta x",
  ]);
});

it("is read by every door of the package", async () => {
  const dialect = dialectOf("qwen3");
  const text = 'Hi.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>';
  const types: string[] = [];
  for await (const { type } of parseStream([text], { dialect })) types.push(type);
  expect(types.filter((type) => !type.startsWith("argument"))).toEqual([
    "text-delta",
    "calls-start",
    "call-start",
    "call-end",
    "calls-end",
  ]);
  const { calls, dialects } = await recoverToolCalls(
    new Blob([text]).stream().pipeThrough(new TextDecoderStream()),
    [tool],
    { dialect },
  );
  expect(calls).toMatchObject([{ name: "f", input: { a: 1 }, protocol: "qwen3" }]);
  expect(dialects).toEqual(["qwen3"]);
  const protocol = dialectProtocol({ dialect });
  const parser = protocol.createParser({ onEvent() {} });
  parser.feed(text);
  const { blocks } = parser.end();
  expect(protocol.id).toBe("qwen3");
  expect(blocks.flatMap((block) => protocol.actions(block))).toMatchObject([{ kind: "calls", calls: [{ name: "f" }] }]);
  expect(protocol.explain(parse("<tool_call>", { dialect }))).toContain("dialects/truncated");
  expect(explain(parse("<tool_call>", { dialect }))).toContain("dialects/truncated");
  expect(
    formatResults([{ callId: "1", name: "f", status: "ok", content: [{ type: "text", text: "1" }] } as never], {
      dialect,
    }),
  ).toContain("<tool_response>");
});

it("is never written", () => {
  const dialect = dialectOf("qwen3");
  expect(() => serialize({ dialect, calls: [{ name: "f", input: {} }] })).toThrow(TypeError);
  expect(() => dialectProtocol({ dialect, tools: "prompt" })).toThrow(TypeError);
});

it("keeps to the limits of every reader", () => {
  const dialect = dialectOf("qwen3");
  const call = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>';
  const long = parse(`${call}${call}`, { dialect, maxInputLength: call.length });
  expect(long.diagnostics.map(({ code }) => code)).toEqual(["dialects/input-too-long"]);
  expect(long.blocks.some(isRunnable)).toBe(false);
  expect(parse(call.slice(0, -3), { dialect, strict: true }).blocks[0]?.status).toBe("truncated");
  expect(parse(call.slice(0, -12), { dialect, strict: true }).blocks[0]?.status).toBe("invalid");
  expect(parse(call, { dialect, tools: [{ name: "f", inputSchema: {} }] }).blocks[0]?.calls[0]).toEqual({
    name: "f",
    input: { a: 1 },
    status: "complete",
    raw: '{"name": "f", "arguments": {"a": 1}}',
    span: { start: 0, end: call.length },
  });
});

it("reads lists of calls, ids, and templates without a field for what is left", () => {
  const dialect = dialectFromTemplate({
    start_anchor: "<A>",
    fields: {
      tool_calls: {
        open: "<c>",
        close: "</c>",
        content: "json",
        transform: { type: "function", id: "{id}", function: { name: "{name}", arguments: "{args}" } },
        transform_each: true,
      },
      mood: { open: "<m>", close: "</m>", content: "json" },
      content: { open: "<t>", close: "</t>" },
    },
  });
  const text =
    '?<t>a</t>-<c>[{"id": "x", "name": "f", "args": {}}, {"id": "y", "name": "g", "args": {"b": 1}}]</c><m>1</m><t>b</t>';
  const { blocks, segments } = parse(text, { dialect });
  expect(blocks).toMatchObject([
    {
      dialect: "template",
      calls: [
        { id: "x", name: "f", input: {} },
        { id: "y", name: "g", input: { b: 1 } },
      ],
    },
  ]);
  expect(segments.map((one) => (one.type === "block" ? "block" : one.text)).filter(Boolean)).toEqual([
    "a",
    "block",
    "b",
  ]);
});

it("does not take a delimiter that is too long for the end of a region", () => {
  const dialect = dialectFromTemplate({
    start_anchor: "<A>",
    fields: {
      tool_calls: {
        open: "<c>",
        close_pattern: "</c [^>]*>",
        content: "json",
        transform: { type: "function", function: "{content}" },
      },
      thinking: { open: "<t>", close: "</t>" },
      content: {},
    },
  });
  const call = `<c>{"name": "f", "arguments": {"s": "</c ${"x".repeat(1_000)}>"}}</c >`;
  expect(parse(call, { dialect }).blocks[0]?.calls).toHaveLength(1);
  expect(parse(`<t>${call}</t>`, { dialect }).blocks[0]).toMatchObject({ inReasoning: true, calls: [{ name: "f" }] });
});

it("refuses options and dialects that can't be meant", () => {
  const template = templates.get("qwen3") as ResponseTemplate;
  expect(() => dialectFromTemplate(template, { name: "x" } as never)).toThrow('no option "name"');
  expect(() => dialectFromTemplate({} as never)).toThrow("response_template");
  const plain = JSON.parse(JSON.stringify(dialectOf("qwen3"))) as never;
  expect(() => parse("x", { dialect: plain })).toThrow("dialectFromTemplate");
});

it.each([
  "<",
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  '<tool_call>{"name": "f"}</tool_call>',
  "\n",
  "a\n",
])("reads many %j in linear time", (piece) => {
  for (const name of ["qwen3", "qwen3.5"])
    for (const begin of ["", "<think>"]) {
      const growth = growthOf((size) => {
        const text = begin + piece.repeat(size / piece.length);
        return () => parse(text, { dialect: dialectOf(name) });
      });
      expect(growth, name + begin).toBeUndefined();
    }
});
