import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Message, ToolglotError, type Transcript, textMessage } from "../src/index.ts";
import { decodeTranscript, encodeTranscript, transcriptSchema } from "../src/transcript.ts";

const conversation: Transcript = {
  version: 1,
  meta: { model: "planner", protocol: "attp/1", startedAt: "2026-11-21T12:00:00Z" },
  messages: [
    textMessage("system", "你是一个能够使用工具的AI助手。\nLine two\u2028three"),
    textMessage("user", 'search "x"'),
    {
      role: "assistant",
      trust: "untrusted",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "thought = '''…'''" },
        {
          type: "call",
          call: { id: "c1", name: "search", input: { query: "x" }, span: { start: 0, end: 4 }, protocol: "attp" },
        },
      ],
    },
    {
      role: "tool",
      trust: "untrusted",
      parts: [
        {
          type: "result",
          result: {
            callId: "c1",
            name: "search",
            status: "error",
            content: [
              { type: "text", text: "" },
              { type: "image", mediaType: "image/png", data: "AAAA" },
              { type: "resource", uri: "file:a", text: "t" },
            ],
            data: { rows: [1, null, "ü"] },
            error: {
              type: "InvalidInput",
              message: "no",
              line: 3,
              issues: [{ path: "a", expected: "integer", got: '"x"', message: "m" }],
            },
            logs: [{ stream: "stdout", text: "1\n" }],
            metadata: { ms: 3 },
          },
        },
        { type: "file", mediaType: "text/plain", name: "a.txt", data: "AA==" },
      ],
    },
  ],
};

const fits = (value: unknown, definition?: string): boolean => {
  const schema =
    definition === undefined ? transcriptSchema : { ...transcriptSchema.$defs, $ref: `#/$defs/${definition}` };
  const root = definition === undefined ? schema : { $defs: transcriptSchema.$defs, $ref: `#/$defs/${definition}` };
  return new Validator(root as object, "2020-12").validate(value).valid;
};
const faultOf = (text: string): { message: string; data: unknown } => {
  try {
    decodeTranscript(text);
  } catch (error) {
    if (ToolglotError.isInstance(error) && error.code === "transcript-invalid") return error;
    throw error;
  }
  throw new Error("decoded");
};
const head = '{"version":1,"meta":{}}';

it("should read what it wrote", () => {
  const text = encodeTranscript(conversation);
  expect(text.split("\n")).toHaveLength(conversation.messages.length + 2);
  expect(text.startsWith('{"version":1,"meta":{"model":"planner"')).toBe(true);
  expect(decodeTranscript(text)).toEqual(conversation);
});

it("should write what its schema describes, in memory and line by line", () => {
  expect(fits(conversation)).toBe(true);
  const [first, ...rest] = encodeTranscript(conversation).trimEnd().split("\n");
  expect(fits(JSON.parse(first ?? ""), "head")).toBe(true);
  for (const line of rest) expect(fits(JSON.parse(line), "message")).toBe(true);
});

it("should take a byte order mark, CRLF, blank lines and no line end at the end", () => {
  const text = `\uFEFF${encodeTranscript(conversation).trimEnd().replaceAll("\n", "\r\n\r\n")}`;
  expect(decodeTranscript(text)).toEqual(conversation);
});

it("should keep fields it does not know", () => {
  const text = `{"version":1,"meta":{},"x":1}\n{"role":"user","trust":"user","parts":[],"id":"m1"}`;
  expect(decodeTranscript(text)).toEqual({
    version: 1,
    meta: {},
    x: 1,
    messages: [{ role: "user", trust: "user", parts: [], id: "m1" }],
  });
});

it("should write data that JSON can't hold", () => {
  const loop: Record<string, unknown> = { big: 10n, nan: Number.NaN };
  loop.self = loop;
  const message: Message = {
    role: "tool",
    trust: "untrusted",
    parts: [{ type: "result", result: { callId: "c", status: "ok", content: [], data: loop } }],
  };
  const [read] = decodeTranscript(encodeTranscript({ version: 1, meta: {}, messages: [message] })).messages;
  expect(read?.parts[0]).toMatchObject({ result: { data: { big: "10", nan: null, self: "[circular]" } } });
});

const part = (value: string): string => `${head}\n{"role":"user","trust":"user","parts":[${value}]}`;
const resultPart = (more: string): string =>
  part(`{"type":"result","result":{"callId":"c","status":"ok","content":[],${more}}}`);
it.each<[string, string, number, string]>([
  ["", "head", 1, ""],
  ["\n\n", "head", 1, ""],
  ["[]", "an object", 1, ""],
  ['{"version":2,"meta":{}}', "expected 1", 1, "version"],
  ['{"version":1}', "type object", 1, "meta"],
  ['{"version":1,"meta":[]}', "type object", 1, "meta"],
  [`${head}\n\n{"role":`, "JSON", 3, ""],
  [`${head}\n{"role":"bot","trust":"user","parts":[]}`, '"assistant"', 2, "role"],
  [`${head}\n{"role":"user","trust":"me","parts":[]}`, '"untrusted"', 2, "trust"],
  [`${head}\n{"role":"user","trust":"user","parts":{}}`, "type array", 2, "parts"],
  [part('{"type":"text"}'), "type string", 2, "parts[0].text"],
  [part('{"type":"video"}'), '"file"', 2, "parts[0].type"],
  [part('{"type":"__proto__"}'), '"file"', 2, "parts[0].type"],
  [part("null"), "an object", 2, "parts[0]"],
  [part('{"type":"call","call":{"id":"c","name":1,"protocol":"x"}}'), "type string", 2, "parts[0].call.name"],
  [part('{"type":"file","mediaType":"a/b","data":1}'), "type string", 2, "parts[0].data"],
  [resultPart('"status":"fine"'), '"in-doubt"', 2, "parts[0].result.status"],
  [resultPart('"error":{"type":"X"}'), "type string", 2, "parts[0].result.error.message"],
  [resultPart('"content":[{"type":"image"}]'), "type string", 2, "parts[0].result.content[0].mediaType"],
])("should say what is wrong with %j", (text, message, line, path) => {
  const fault = faultOf(text);
  expect(fault.message).toContain(message);
  expect(fault.message).toContain(`line ${line}`);
  expect(fault.data).toEqual({ line, path });
});

it("should agree with its schema about every damaged message", () => {
  const lines = encodeTranscript(conversation).trimEnd().split("\n").slice(1);
  const damage = fc.constantFrom(null, 1, "x", [], {}, true);
  fc.assert(
    fc.property(fc.constantFrom(...lines), fc.nat(60), damage, (line, target, value) => {
      let at = 0;
      const message: unknown = JSON.parse(line, (key, item: unknown) => {
        // What the two may judge apart: data without shape, and facts that only the schema checks.
        if (/^(input|data|rows|metadata|span|start|end|logs|stream|issues|line|ms|\d+|)$/.test(key)) return item;
        return at++ === target ? value : item;
      });
      const decoded = ((): boolean => {
        try {
          decodeTranscript(`${head}\n${JSON.stringify(message)}`);
          return true;
        } catch {
          return false;
        }
      })();
      if (decoded !== fits(message, "message")) {
        // The decoder leaves the inside of an error's issues to the schema.
        expect(JSON.stringify(message)).toContain('"issues"');
      }
    }),
  );
});
