import type { JsonObject, JsonSchema } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serialize } from "../src/serialize.ts";
import { dialects } from "../src/table/all.ts";
import { type DialectId, dialectIds } from "../src/table/ids.ts";
import type { Dialect } from "../src/table/types.ts";
import type { WrittenCall } from "../src/types.ts";

const written = dialectIds.filter((id) => dialects[id].write);
const one = (dialect: DialectId, input: JsonObject, more: Partial<WrittenCall> = {}): string =>
  serialize({ dialect, calls: [{ name: "f", input, ...more }] });
const tool = (properties: Record<string, JsonSchema>) => [
  { name: "f", inputSchema: { type: "object" as const, properties } },
];
/** What a caller is told. */
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message;
  }
  return "nothing was refused";
};

it.each(written)("writes the example of %s to the byte", (dialect) => {
  const { calls, text } = dialects[dialect].example;
  expect(serialize({ dialect, calls })).toBe(text);
  expect(serialize({ dialect: dialects[dialect], calls })).toBe(text);
  expect(serialize({ dialect, calls: [] })).toBe("");
});

it.each(written)("writes a call of %s without arguments", (dialect) => {
  expect(serialize({ dialect, calls: [{ name: "ping", input: {} }] })).toContain("ping");
});

describe("JSON", () => {
  it("keeps order, spaces and letters, and leaves out what is undefined", () => {
    expect(one("hermes", { b: [1, { c: null }], a: "é\n\ud800", u: undefined } as never)).toBe(
      '<tool_call>\n{"name": "f", "arguments": {"b": [1, {"c": null}], "a": "é\\n\\ud800"}}\n</tool_call>',
    );
    expect(one("harmony", { b: [1, { c: 2 }] })).toContain('{"b":[1,{"c":2}]}');
  });

  it("reads back as what was written, whatever the input", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).map((name) => `f${name.trim()}`),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (name, input) => {
          const text = serialize({ dialect: "exaone", calls: [{ name, input: input as JsonObject }] });
          expect(JSON.parse(text.slice("<tool_call>".length, -"</tool_call>".length))).toEqual({
            name,
            arguments: input,
          });
        },
      ),
    );
  });

  it.each<[string, unknown, string]>([
    ["a number that is none", { a: { b: [Number.NaN] } }, "input.arguments.a.b[0]"],
    ["a function", { a: () => 1 }, "input.arguments.a"],
    ["a bigint", { a: 1n }, "input.arguments.a"],
  ])("refuses %s, and says where", (_, input, place) => {
    const message = refusal(() => one("hermes", input as JsonObject));
    expect(message).toContain('calls[0] ("f")');
    expect(message).toContain(place);
  });

  it("refuses what goes deeper than readers go", () => {
    let deep: JsonObject = {};
    for (let depth = 0; depth < 600; depth++) deep = { a: deep };
    expect(refusal(() => one("hermes", deep))).toContain("deeper than 512");
  });
});

describe("ids", () => {
  it("are the model's own, or counted, or left out", () => {
    const calls = [
      { name: "f", input: {}, id: "functions.f:7" },
      { name: "g", input: {} },
    ];
    expect(serialize({ dialect: "kimi-k2", calls })).toMatch(/functions\.f:7<.*functions\.g:1</);
    expect(serialize({ dialect: "cohere", calls })).toMatch(/"tool_call_id": "functions\.f:7".*"tool_call_id": "1"/);
    expect(serialize({ dialect: "hermes", calls })).not.toContain(":7");
  });

  it("that would not be read are refused", () => {
    expect(refusal(() => one("kimi-k2", {}, { id: "call_1" }))).toContain("functions.f:NUMBER");
    expect(refusal(() => one("mistral-11", {}, { id: "a b" }))).toContain("id of calls[0]");
  });
});

describe("tags", () => {
  it("write strings as they are, and other values as JSON", () => {
    const input = { s: "a\n<b>\n", n: 1.5, o: { k: ["x"] }, z: null };
    expect(one("qwen-xml", input)).toBe(
      "<tool_call>\n<function=f>\n<parameter=s>\na\n<b>\n\n</parameter>\n<parameter=n>\n1.5\n</parameter>\n" +
        '<parameter=o>\n{"k": ["x"]}\n</parameter>\n<parameter=z>\nnull\n</parameter>\n</function>\n</tool_call>',
    );
    expect(one("dsml", { s: "7", n: 7 })).toMatch(/string="true">7<.*\n.*string="false">7</);
  });

  it("write text that says another value as JSON, where no schema says that it is text", () => {
    for (const text of ["7", "true", "None", '{"a": 1}', '"x"', "(1, 2)", "1_000"]) {
      expect(one("glm", { a: text }), text).toContain(`<arg_value>${JSON.stringify(text)}</arg_value>`);
      const asText = serialize(
        { dialect: "glm", calls: [{ name: "f", input: { a: text } }] },
        { tools: tool({ a: { type: "string" } }) },
      );
      expect(asText, text).toContain(`<arg_value>${text}</arg_value>`);
    }
  });

  it("take both shapes of tools, and refuse any other", () => {
    const parameters = { type: "object", properties: { a: { type: "string" } } };
    const calls = [{ name: "f", input: { a: "7" } }];
    const tools = [{ type: "function" as const, function: { name: "f", parameters } }];
    expect(serialize({ dialect: "glm", calls }, { tools })).toContain(">7<");
    expect(refusal(() => serialize({ dialect: "glm", calls }, { tools: [{ name: "f" }] as never }))).toContain(
      "tools[0]",
    );
  });

  it.each<[string, JsonSchema, unknown]>([
    ["a number for a text", { type: "string" }, 7],
    ["a text for a union that reads it as a number", { type: ["string", "number"] }, "7"],
    ["a text for a union by reference", { anyOf: [{ type: "string" }, { $ref: "#/$defs/n" }] }, "7"],
    ["null for a text", { type: "string" }, null],
    ["a fraction for an integer", { type: "integer" }, 1.5],
    ["a text for an enumeration of numbers", { enum: [1, 2] }, "1"],
  ])("refuse %s", (_, schema, value) => {
    const inputSchema = {
      type: "object" as const,
      properties: { a: schema },
      $defs: { n: { type: "number" as const } },
    };
    const run = () =>
      serialize(
        { dialect: "glm", calls: [{ name: "f", input: { a: value as never } }] },
        { tools: [{ name: "f", inputSchema }] },
      );
    expect(refusal(run)).toContain("input.a of calls[0]");
  });

  it("refuse a closer before structure, and keep any other", () => {
    for (const text of ["x</parameter>\n</function>", "</parameter><parameter=b>", "</parameter>\n\n</tool_call>"])
      expect(
        refusal(() => one("qwen-xml", { a: text })),
        text,
      ).toContain("own closer");
    for (const text of ["x</parameter>", "</parameter> </parameter>", "</function>", "<parameter=a>"])
      expect(one("qwen-xml", { a: text })).toContain(`\n${text}\n</parameter>`);
    expect(one("qwen-xml", { a: { b: "</parameter></function>" } })).toContain("\\u003c/parameter>\\u003c/function>");
    expect(refusal(() => one("kimi-k3", { a: "x<|close|>argument<|sep|>y" }))).toContain("own closer");
  });

  it("write an outer line break of a value with one more, where one is layout", () => {
    expect(one("seed-oss", { a: "\nx\n", b: "y" })).toContain(
      "<parameter=a>\n\nx\n\n</parameter>\n<parameter=b>y</parameter>",
    );
    expect(refusal(() => one("qwen-xml", { a: "x\r" }))).toContain("carriage return");
  });

  it("read back as what was written, by the rule that a closer counts only before structure", () => {
    const piece = fc.constantFrom(
      "</parameter>",
      "</function>",
      "</tool_call>",
      "<parameter=a>",
      "\n",
      " ",
      "x",
      "<",
      "</para",
    );
    const value = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    let refused = 0;
    fc.assert(
      fc.property(value, value, (a, b) => {
        let text: string;
        try {
          text = serialize(
            { dialect: "qwen-xml", calls: [{ name: "f", input: { a, b } }] },
            { tools: tool({ a: { type: "string" }, b: { type: "string" } }) },
          );
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          refused++;
          return;
        }
        expect(readQwen(text)).toEqual({ a, b });
      }),
      { numRuns: 2000 },
    );
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(1500);
  });
});

/** Reads parameters by rule 1 and nothing else. */
function readQwen(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  let rest = text.slice(text.indexOf("<parameter="));
  for (let open = /^<parameter=(\w+)>\n/.exec(rest); open; open = /^<parameter=(\w+)>\n/.exec(rest)) {
    rest = rest.slice(open[0].length);
    const close = rest.search(/<\/parameter>(?=\s*(?:<parameter=|<\/function>|<\/tool_call>|<function=|<tool_call>))/);
    found[open[1] as string] = rest.slice(0, close).replace(/\n$/, "");
    rest = rest.slice(close + "</parameter>".length).trimStart();
  }
  return found;
}

describe("mistakes", () => {
  it.each<[DialectId, string]>([
    ["qwen-xml", "a>b"],
    ["glm", "a b"],
    ["glm-4.7", "a<arg_key>"],
    ["minimax", 'a"b'],
    ["pythonic", "a b"],
    ["gemma4", "a{"],
    ["mistral-11", "a[ARGS]"],
    ["hermes", ""],
  ])("%s refuses the name %j", (dialect, name) => {
    expect(refusal(() => serialize({ dialect, calls: [{ name, input: {} }] }))).toContain("name of calls[0]");
  });

  it("names what is wrong with the call, the dialect and the options", () => {
    expect(refusal(() => serialize({ dialect: "herms", calls: [] }))).toContain('Did you mean "hermes"');
    expect(refusal(() => serialize({ dialect: "openai-loose", calls: [] }))).toContain("never written");
    expect(refusal(() => serialize({ dialect: "hermes", calls: [{ name: "f" } as never] }))).toContain("calls[0]");
    expect(refusal(() => serialize({ dialect: "hermes", calls: [] }, { tool: [] } as never))).toContain("tool");
    expect(refusal(() => serialize({ dialect: { id: "x" } as Dialect, calls: [] }))).toContain("dialect");
  });
});
