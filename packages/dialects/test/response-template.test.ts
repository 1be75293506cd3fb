import { readdirSync, readFileSync } from "node:fs";
import { ToolglotError } from "@toolglot/core";
import { someOf } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  checkResponseTemplate,
  createResponseParser,
  parseResponse,
  type ResponseEvent,
  type ResponseField,
  type ResponseOptions,
  type ResponseTemplate,
} from "../src/response-template/index.ts";

interface Case extends ResponseOptions {
  name: string;
  template: ResponseTemplate;
  text: string;
  message: unknown;
}

const folder = new URL("../../../conformance/response-templates/", import.meta.url);
const cases = readdirSync(folder).flatMap((file) => {
  if (file === "patterns.json" || file === "dialect.json") return [];
  const read: unknown = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  if (Array.isArray(read)) return read as Case[];
  const { template, cases: own } = read as { template: ResponseTemplate; cases: Case[] };
  return own.map((item) => ({ ...item, template, name: `${file}: ${item.name}` }));
});

const optionsOf = ({ prefix, tools }: ResponseOptions): ResponseOptions => ({
  ...(prefix !== undefined && { prefix }),
  ...(tools && { tools }),
});
/** Keys such as `__proto__` are data, and `toEqual` would not look at them. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.keys(item)
          .sort()
          .map((key) => [key, (item as Record<string, unknown>)[key]])
      : item,
  );

const templateOf = (fields: Record<string, ResponseField>): ResponseTemplate => ({ start_anchor: "<A>", fields });

/** Reads a text in chunks; pieces of one region are put together. */
function readChunks(
  template: ResponseTemplate,
  chunks: readonly string[],
  options: ResponseOptions = {},
): { message: unknown; events: ResponseEvent[] } {
  const events: ResponseEvent[] = [];
  const add = (event: ResponseEvent): void => {
    const last = events.at(-1);
    if (event.type === "region_chunk" && last?.type === "region_chunk") last.text += event.text;
    else events.push({ ...event });
  };
  const parser = createResponseParser(template, { ...options, onEvent: add });
  parser.initialEvents.forEach(add);
  for (const chunk of chunks) parser.feed(chunk);
  return { message: parser.end(), events };
}

it.each(cases)("reads $name", ({ template, text, message, ...rest }) => {
  expect(shown(parseResponse(text, template, optionsOf(rest)))).toBe(shown(message));
});

it.each(cases)("reads $name in any chunks", ({ template, text, message, ...rest }) => {
  const whole = readChunks(template, [text], optionsOf(rest));
  expect(shown(whole.message)).toBe(shown(message));
  expect(readChunks(template, text.split(""), optionsOf(rest))).toEqual(whole);
  for (const at of someOf(
    Array.from({ length: text.length }, (_, index) => index),
    24,
  )) {
    expect(readChunks(template, [text.slice(0, at), text.slice(at)], optionsOf(rest))).toEqual(whole);
  }
});

const pieces = [
  "<think>", "</think>", "<tool_call>", "</tool_call>", "\n", "  ", "a", "<|im_end|>", '{"name": "f", "arguments": {}}', "<function=f>",
  "<parameter=a>", "</parameter>", "<|tool_call_start|>[", "f(a='b')", ", ", "g(", ")]<|tool_call_end|>", "<", "</", "<tool", "😀", "\ud83d",
  "\n<|channel>thought\n", "<channel|>", "<|tool_call>call:f", '{a:<|"|>b<|"|>}', "<tool_call|>", "<turn|>", "<arg_key>k</arg_key>\n<arg_value>",
]; // biome-ignore format: one list
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((list) => list.join(""));

it("tells the same whatever the chunks, and loses no text", () => {
  const templates = new Map(cases.map(({ template }) => [JSON.stringify(template), template]));
  fc.assert(
    fc.property(
      fc.constantFrom(...templates.values()),
      texts,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (template, text, sizes) => {
        const optional = {
          ...template,
          fields: Object.fromEntries(
            Object.entries(template.fields).map(([name, field]) => [name, { ...field, optional: true }]),
          ),
        };
        const chunks: string[] = [];
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const size = sizes[turn % sizes.length] as number;
          chunks.push(text.slice(at, at + size));
          at += size;
        }
        const whole = readChunks(optional, [text]);
        expect(readChunks(optional, chunks)).toEqual(whole);
        // Each piece stands where the events around it say.
        for (const [index, event] of whole.events.entries()) {
          const opened = whole.events[index - 1];
          const closed = whole.events[index + 1];
          if (event.type !== "region_chunk" || opened?.type !== "region_open") continue;
          if (closed && "start" in closed) expect(text.slice(opened.end, closed.start)).toBe(event.text);
        }
      },
    ),
    { numRuns: 300 },
  );
});

it("tells where regions stand, also those of the prefix", () => {
  const template = templateOf({
    thought: { open: "<t>", close: "</t>" },
    call: { open_pattern: "<c (?P<id>\\d)>", close: "</c>", content: "json", transform: ["{id}", "{content}"] },
    content: {},
  });
  expect(readChunks(template, ["ok</t>Hi", "<c 1>[2]</c>", "<c 2>1"], { prefix: "x<A><t>" }).events).toEqual([
    { type: "region_open", field: "thought", captures: {}, start: -3, end: 0 },
    { type: "region_chunk", field: "thought", text: "ok", dirty: false },
    { type: "region_close", field: "thought", value: "ok", start: 2, end: 6, closed: true },
    { type: "region_open", field: "content", captures: {}, start: 6, end: 6 },
    { type: "region_chunk", field: "content", text: "Hi", dirty: false },
    { type: "region_close", field: "content", value: "Hi", start: 8, end: 8, closed: true },
    { type: "region_open", field: "call", captures: { id: "1" }, start: 8, end: 13 },
    { type: "region_chunk", field: "call", text: "[2]", dirty: true },
    { type: "region_close", field: "call", value: ["1", [2]], start: 16, end: 20, closed: true },
    { type: "region_open", field: "call", captures: { id: "2" }, start: 20, end: 25 },
    { type: "region_chunk", field: "call", text: "1", dirty: true },
    { type: "region_close", field: "call", value: ["2", 1], start: 26, end: 26, closed: false },
  ]);
});

it("gives text out at once, and holds a delimiter only while it may still come", () => {
  const told: string[] = [];
  const template = templateOf({ n: { open: ["<n>", "<n>>"], close_pattern: "</n>\\s*" }, content: {} });
  const parser = createResponseParser(template, {
    onEvent: (event) => told.push(event.type === "region_chunk" ? event.text : event.type),
  });
  const feed = (text: string): string[] => {
    told.length = 0;
    parser.feed(text);
    return [...told];
  };
  expect(feed("a<")).toEqual(["region_open", "a"]);
  expect(feed("m<n")).toEqual(["<m"]);
  expect(feed(">")).toEqual([]);
  expect(feed("x")).toEqual(["region_close", "region_open", "x"]);
  expect(feed("</n> ")).toEqual([]);
  expect(feed("b")).toEqual(["region_close", "region_open", "b"]);
  expect(parser.end()).toEqual({ n: "x", content: "b" });
});

it.each<[string, ResponseField, string]>([
  ["no JSON", { content: "json" }, "{]"],
  ["JSON that is too deep", { content: "json" }, "[".repeat(600) + "]".repeat(600)],
  ["no number", { content: "int" }, "1.5"],
  ["no float", { content: "float" }, "1,5"],
  [
    "control characters in loose JSON",
    { content: "json", content_args: { string_delims: [["'", "'"]], allow_non_json: true } },
    "\u0001",
  ],
  ["a part that is missing", { content: "json", transform: "{content.a}" }, "{}"],
  ["a part of no object", { content: "json", transform: "{content.a.b}" }, '{"a": []}'],
  ["a placeholder of nothing", { transform: "{toString}" }, "a"],
  ["no list for each", { content: "json", transform: "{a}", transform_each: true }, "{}"],
  ["no object in the list", { content: "json", transform: "{a}", transform_each: true }, "[1]"],
  ["no text to join", { content: "json", repeats: true, join: "" }, "1"],
])("leaves out a region with %s, and reads the next one", (_what, field, text) => {
  const template = templateOf({ bad: { open: "<b>", close: "</b>", ...field }, good: { open: "<g>", close: "</g>" } });
  const { message, events } = readChunks(template, [`<b>${text}</b><g>1</g>`]);
  expect(message).toEqual({ good: "1" });
  expect(events.filter(({ type }) => type === "region_malformed")).toEqual([
    {
      type: "region_malformed",
      field: "bad",
      error: expect.any(String),
      start: text.length + 3,
      end: text.length + 7,
      closed: true,
    },
  ]);
});

it("reads a delimiter of more than 1,000 units as text, and says so", () => {
  const template = templateOf({ n: { open_pattern: "<n [^>]*>" }, content: {} });
  const name = "x".repeat(1_000);
  const { message, events } = readChunks(template, [`a<n ${name}>b`]);
  expect(message).toEqual({ content: `a<n ${name}>b` });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "region_malformed", field: "n", error: expect.stringContaining("1000"), start: 1 }),
  );
  expect(readChunks(template, ["a<n b>c"]).message).toEqual({ content: "a", n: "c" });
});

it("cuts white space behind a closer at 1,000 units, which changes no trimmed text", () => {
  const template = templateOf({ n: { open: "<n>", close_pattern: "</n>\\s*" }, content: {} });
  expect(parseResponse(`<n>a</n>${" ".repeat(3_000)}b`, template)).toEqual({ n: "a", content: "b" });
});

it.each([
  ["12345678901234567890", "12345678901234567890"],
  ["9007199254740993", "9007199254740993"],
  ["NaN", "NaN"],
  ["-Infinity", "-Infinity"],
  ["1e999", "1e999"],
  ["12345678901234567000000", "12345678901234567000000"],
  ["100000000000000000000", 1e20],
  ["0.1000000000000000055511151231257827", 0.1],
  ["-5", -5],
])("keeps all digits of the number %s in JSON", (text, value) => {
  const template = templateOf({ n: { content: "json" } });
  expect(parseResponse(`{"a": [${text}, "${text}", "\\"${text}"]}`, template)).toEqual({
    n: { a: [value, text, `"${text}`] },
  });
});

it("keeps all digits of other numbers", () => {
  const template = templateOf({
    i: { open: "<i>", close: "</i>", content: "int" },
    f: { open: "<f>", content: "float" },
  });
  expect(parseResponse("<i>9007199254740993</i><f> inf ", template)).toEqual({ i: "9007199254740993", f: "inf" });
});

it("throws for a missing field that is not optional, and for no empty one", () => {
  const template = templateOf({ a: { open: "<a>", optional: false }, content: {} });
  expect(parseResponse("x<a>", template)).toEqual({ content: "x" });
  try {
    parseResponse("x", template);
    expect.unreachable();
  } catch (error) {
    expect(ToolglotError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: "dialects/response-incomplete", data: { fields: ["a"] } });
  }
});

it("casts by the schemas of toolglot's tools, too, and refuses what is no tool", () => {
  const template = templateOf({ call: { content: "json" } });
  const text = '{"function": {"name": "f", "arguments": {"a": "1", "b": "1"}}}';
  const tools = [{ name: "f", inputSchema: { type: "object", properties: { a: { type: "integer" } } } }] as const;
  expect(parseResponse(text, template, { tools })).toEqual({
    call: { function: { name: "f", arguments: { a: 1, b: "1" } } },
  });
  expect(() => parseResponse(text, template, { tools: [{ function: {} } as never] })).toThrow(
    "tools[0] must be a tool",
  );
});

it("says at the start which fields hold text back", () => {
  const template = templateOf({
    a: { open_pattern: "(?=.*x)", close: "x" },
    b: { open_pattern: "<(?!c)" },
    c: { open: "<c" },
  });
  const { initialEvents } = createResponseParser(template);
  expect(initialEvents).toEqual(
    ["a", "b"].map((field) => ({ type: "template_held", code: "dialects/template-held", field })),
  );
});

it("ends where delimiters of nothing go round in a circle", () => {
  const template = templateOf({ a: { open_pattern: "(?=b)", close_pattern: "(?=b)" }, content: {} });
  expect(parseResponse("xb", template)).toEqual({ content: "x" });
});

it("leaves its template as it was", () => {
  const template = { ...templateOf({ a: { open: "<a>", repeats: true } }), defaults: { a: [] } };
  const message = parseResponse("<a>1", template);
  expect(message).toEqual({ a: ["1"] });
  expect(template.defaults).toEqual({ a: [] });
});

it("takes text only, and only until the end", () => {
  const parser = createResponseParser(templateOf({ content: {} }));
  expect(() => parser.feed(1 as never)).toThrow(TypeError);
  parser.end();
  expect(() => parser.feed("")).toThrow("the text has ended");
  expect(() => parser.end()).toThrow("the text has ended");
  expect(() => parseResponse("", templateOf({ content: {} }), { prefx: "" } as never)).toThrow('no option "prefx"');
});

const field = (own: object): object => ({ start_anchor: "x", fields: { a: own } });

it.each<[unknown, string]>([
  [undefined, "response_template"],
  [null, "response_template"],
  [{ start_anchor: "x" }, "response_template.fields must have a field"],
  [{ start_anchor: "x", fields: {} }, "fields must have a field"],
  [{ fields: { a: {} } }, "start_anchor or start_anchor_pattern"],
  [{ start_anchor: "x", start_anchor_pattern: "y", fields: { a: {} } }, "not both"],
  [{ start_anchor: "x", fields: { a: {} }, version: 2 }, "version must be 1"],
  [{ start_anchor: "x", fields: { a: {} }, default: {} }, 'no option "default". Did you mean "defaults"?'],
  [{ start_anchor: "x", fields: { a: {}, b: { close: "x" } } }, "fields.b must have open or open_pattern"],
  [field({ opn: "x" }), 'response_template.fields.a has no option "opn"'],
  [field({ open: "" }), "response_template.fields.a: open must be text that is not empty"],
  [field({ open: [] }), "fields.a.open must hold a text"],
  [field({ open: ["x", ""] }), "open[1]"],
  [field({ open: "x", open_pattern: "x" }), "fields.a must have open or open_pattern, not both"],
  [field({ open_pattern: "(" }), "fields.a.open_pattern: "],
  [field({ open_pattern: "(?P<n>x)" }), "fields.a must have a transform for its groups (n)"],
  [field({ content: "yaml" }), "response_template.fields.a: content must be"],
  [field({ content_args: { stripp: true } }), "fields.a.content_args"],
  [field({ content: "json", content_args: { string_delims: [["x", ""]] } }), "string_delims must be pairs"],
  [field({ content: "json", content_args: { string_delims: ["''"] } }), "string_delims"],
  [field({ content: "xml-inline" }), "content_args must have a tag_pattern"],
  [field({ content: "xml-inline", content_args: { tag_pattern: "a" } }), 'tag_pattern must have a group "key"'],
  [field({ content: "kv-lines", content_args: { value_parser: { name: "x" } } }), "value_parser: name must be"],
  [field({ content: "kv-lines", content_args: { value_parser: { arg: {} } } }), "value_parser"],
  [field({ join: "" }), "fields.a.join needs repeats"],
  [field({ transform_each: true }), "transform_each needs a transform"],
  [field({ transform: { x: ["a {content}"] } }), "fields.a.transform.x.0 must be {content} alone"],
  [field({ optional: "no" }), "optional must be true or false"],
])("refuses the template %j", (template, message) => {
  expect(() => checkResponseTemplate(template)).toThrow(TypeError);
  expect(() => checkResponseTemplate(template)).toThrow(message);
});
