import {
  type Action,
  type PromptBuilder,
  type ProtocolEvent,
  type ToolDefinition,
  ToolglotError,
} from "@toolglot/core";
import { cut, toldCalls } from "@toolglot/internal/testing/parsers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { toolsxmlProtocol } from "../src/protocol.ts";

const prompt: PromptBuilder = { forProtocol: "toolsxml/1", build: ({ toolsText }) => toolsText };
const protocol = toolsxmlProtocol({ prompt });
const open: ToolDefinition = { name: "anything", description: "", inputSchema: { type: "object" } };
const raw: ToolDefinition = {
  name: "write_file",
  description: "",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, body: { type: "string", "x-raw-body": true } },
  },
};
const tools = [open, raw];

const calls = (...asked: [name: string, input: unknown][]): Action[] => [
  {
    kind: "calls",
    calls: asked.map(([name, input], at) => ({ id: `${at}`, name, input, protocol: "native" })),
    span: { start: 0, end: 0 },
  },
];

function readBack(text: string) {
  const parser = protocol.createParser({ tools });
  parser.feed(text);
  const { blocks, diagnostics } = parser.end();
  const found = blocks.flatMap((block) => protocol.actions(block));
  return {
    diagnostics,
    statuses: blocks.map(({ status }) => status),
    calls: found
      .flatMap((action) => (action.kind === "calls" ? action.calls : []))
      .map(({ name, input }) => [name, input]),
  };
}

const marks = [
  "<tools>",
  "</tools>",
  "]]>",
  "<![CDATA[",
  "</anything>",
  "\r\n",
  "```",
  "<results>",
  "&lt;",
  "__proto__",
  "<think>",
];
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(...marks),
  fc.tuple(fc.constantFrom(...marks), fc.string()).map(([a, b]) => a + b),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(text, tie("json"), { maxKeys: 3 }),
  ),
}));
const object = fc.dictionary(text, json, { maxKeys: 4 });

it("should write calls that read back as they are, whatever their input", () => {
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 3 }), fc.string(), (inputs, said) => {
      const written = protocol.formatActions(calls(...inputs.map((input): [string, unknown] => ["anything", input])), {
        tools,
        text: said,
      });
      const read = readBack(written);
      expect(read.diagnostics).toEqual([]);
      expect(read.statuses.every((status) => status === "complete")).toBe(true);
      expect(read.calls.map(([name]) => name)).toEqual(inputs.map(() => "anything"));
      expect(JSON.stringify(read.calls.map(([, input]) => input))).toBe(JSON.stringify(inputs));
    }),
  );
});

it("should say where an input is that the format can't say, and write its nearest form for a history", () => {
  const bad = calls(["write_file", { path: "a", body: "b" }], ["read", { path: "a" }]);
  expect(() => protocol.formatActions(bad, { tools })).toThrow(ToolglotError);
  expect(() => protocol.formatActions(bad, { tools })).toThrow(
    expect.objectContaining({
      code: "toolsxml/unserializable",
      message: expect.stringContaining("<read> is a built-in tag: give the tool another name."),
    }),
  );
  expect(protocol.formatActions(bad, { tools, lossy: true })).toContain('<read>{"path":"a"}</read>');
});

const write = fc.record({ path: text, body: text, note: text }, { requiredKeys: [] });

it("should tell arguments in deltas that join to their values, whatever the chunks", () => {
  const asked = fc.oneof(
    fc.tuple(fc.constant("anything"), object),
    fc.tuple(fc.constant("write_file"), write),
    fc.tuple(fc.constant("command"), fc.record({ script: fc.constantFrom("ls", "a\n b &lt;", "x\r\ny") })),
  );
  fc.assert(
    fc.property(
      fc.array(asked, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      (some, sizes) => {
        const all = calls(...some);
        const written = protocol.formatActions(all, { tools, lossy: true });
        const events: ProtocolEvent[] = [];
        const parser = protocol.createParser({ tools, onEvent: (event) => events.push(event) });
        for (const chunk of cut(written, sizes)) parser.feed(chunk);
        const [block] = parser.end().blocks;
        if (block?.status !== "complete") return;
        const found = protocol.actions(block).flatMap((action) => (action.kind === "calls" ? action.calls : []));
        const told = toldCalls(events);
        expect(told.map(({ tool }) => tool)).toEqual(found.map(({ name }) => name));
        for (const [at, { input }] of found.entries()) {
          const values = Object.entries(input as object).filter(([, value]) => value !== "");
          const texts = [...(told[at]?.texts ?? [])].map(([param, said]) => {
            const value = (input as Record<string, unknown>)[param];
            return [param, typeof value === "string" ? said : JSON.parse(said)];
          });
          expect(new Map(texts as [string, unknown][])).toEqual(new Map(JSON.parse(JSON.stringify(values))));
        }
      },
    ),
  );
});

it("should tell a raw body in pieces, and everything else at once", () => {
  const body = "line\n".repeat(100);
  const events: ProtocolEvent[] = [];
  const parser = protocol.createParser({ tools, onEvent: (event) => events.push(event) });
  for (const chunk of cut(`<tools>\n<write_file path="a">${body}</write_file>\n</tools>`, [8])) parser.feed(chunk);
  expect(parser.end().blocks[0]?.status).toBe("complete");
  const [told] = toldCalls(events);
  expect(Object.fromEntries(told?.texts ?? [])).toEqual({ body: body.slice(0, -1), path: "a" });
  expect(told?.pieces).toBeGreaterThan(50);
});
