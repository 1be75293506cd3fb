import type { Action, PromptBuilder, ProtocolEvent, ToolDefinition } from "@toolglot/core";
import { cut, toldCalls } from "@toolglot/internal/testing/parsers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { tamProtocol } from "../src/protocol.ts";

const prompt: PromptBuilder = { forProtocol: "tam/1", build: ({ toolsText }) => toolsText };
const protocol = tamProtocol({ prompt });
const tools: ToolDefinition[] = [
  { name: "anything", description: "", inputSchema: { type: "object", properties: {}, additionalProperties: true } },
  {
    name: "write_file",
    description: "",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string" },
        body: { type: "string", "x-preserve-whitespace": true },
        lines: { type: "integer" },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["path"],
    },
  },
];
const span = { start: 0, end: 0 };
const calls = (...asked: [name: string, input: unknown][]): Action[] => [
  { kind: "calls", calls: asked.map(([name, input], at) => ({ id: `${at}`, name, input, protocol: "native" })), span },
];

function readBack(text: string) {
  const parser = protocol.createParser({ tools });
  parser.feed(text);
  const { blocks, diagnostics } = parser.end();
  const steps = blocks
    .flatMap((block) => protocol.actions(block))
    .flatMap((action) => (action.kind === "plan" ? action.plan.steps : []));
  return { diagnostics, statuses: blocks.map(({ status }) => status), steps };
}

const marks = [
  "»»»",
  "«««",
  "<|[END_TOOL]|>",
  "<|[REQUEST_TOOL]|>",
  "command_2:»»»x«««",
  "\n",
  " ",
  "\r\n",
  "#",
  "```",
  "«",
  "<think>",
  "true",
  "1",
  "null",
  "[1]",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...marks), fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 4 })
  .map((parts) => parts.join(""));
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.array(text, { maxLength: 3 }),
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
);
const names = fc.constantFrom("a", "file_path", "count_2x", "tags");

it("should write calls that read back as they are, any text among them", () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(names, fc.oneof(text, json)), { minLength: 1, maxLength: 3 }), (inputs) => {
      const asked = inputs.map((input): [string, unknown] => ["anything", input]);
      const block = protocol.formatActions(calls(...asked), { tools });
      const read = readBack(block);
      expect(read.diagnostics).toEqual([]);
      expect(read.statuses.every((status) => status === "complete")).toBe(true);
      expect(read.steps.map(({ params, errors }) => [JSON.parse(JSON.stringify(params)), errors])).toEqual(
        inputs.map((input) => [JSON.parse(JSON.stringify(input)), []]),
      );
    }),
    { numRuns: 300 },
  );
});

it("should keep outer white space, whether the tool asks for it or not", () => {
  const kept = protocol.formatActions(
    calls(["write_file", { path: "a", body: "\n  x\n\n", lines: 3, tags: ["«««"] }]),
    { tools },
  );
  expect(readBack(kept).steps[0]?.params).toEqual({ path: "a", body: "\n  x\n\n", lines: 3, tags: ["«««"] });
  for (const path of [" a", "b\n", "\n", "`a`", "\u200ba", "a\r\nb", "    a\nb\n", "»»»", "x«««\ny:»»»z"])
    for (const lossy of [true, false]) {
      const read = readBack(protocol.formatActions(calls(["write_file", { path }]), { tools, lossy }));
      expect([read.steps[0]?.params, read.diagnostics]).toEqual([{ path }, []]);
    }
  for (const name of ["comment", "retry"]) {
    const written = protocol.formatActions(calls(["anything", { [name]: "x«««\ny:»»»z" }]), { tools });
    expect(readBack(written).steps[0]?.params).toEqual({ [name]: "x«««\ny:»»»z" });
  }
  expect(() => protocol.formatActions(calls(["write_file", { "a:b": "x" }]), { tools })).toThrow(
    expect.objectContaining({ name: "ToolglotError", code: "tam/unserializable" }),
  );
});

it("should write plans again", () => {
  const plan = [
    "<|[REQUEST_TOOL]|>",
    "common_path:»»»a.txt«««",
    "command_1:»»»write_file«««",
    "on_error_1:»»»continue«««",
    "retry_1:»»»2«««",
    "lines_1:»»»3«««",
    "command_2:»»»write_file«««",
    "uri_body_2:»»»file://x«««",
    "<|[END_TOOL]|>",
  ].join("\n");
  const first = readBack(plan);
  const parser = protocol.createParser({ tools });
  parser.feed(plan);
  const actions = parser.end().blocks.flatMap((block) => protocol.actions(block));
  const again = readBack(protocol.formatActions(actions, { tools, text: "I write." }));
  const plain = ({ steps }: typeof first) => steps.map(({ span: _, callId: __, ...step }) => step);
  expect(plain(again)).toEqual(plain(first));
});

function told(source: string, sizes: readonly number[]) {
  const events: ProtocolEvent[] = [];
  const parser = protocol.createParser({ tools, onEvent: (event) => events.push(event) });
  for (const chunk of cut(source, sizes)) parser.feed(chunk);
  const { blocks } = parser.end();
  return { blocks, calls: toldCalls(events) };
}

it("should tell parameters in deltas that join to their texts, whatever the chunks", () => {
  const inputs = fc.array(fc.dictionary(names, text), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(inputs, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }), (some, sizes) => {
      const source = protocol.formatActions(calls(...some.map((input): [string, unknown] => ["anything", input])), {
        tools,
        lossy: true,
      });
      const { blocks, calls: found } = told(source, sizes);
      const [block] = blocks;
      if (blocks.length !== 1 || block?.status !== "complete") return;
      expect(found.map(({ tool }) => tool)).toEqual(block.steps.map(({ tool }) => tool));
      for (const [at, { params, typeHints }] of block.steps.entries()) {
        const texts = Object.entries(params).filter(
          ([name, value]) => value !== "" && (typeHints[name] ?? "text") === "text",
        );
        expect(found[at]?.texts).toEqual(new Map(texts));
      }
    }),
  );
});

it("should tell a parameter once, and a common one not of a call", () => {
  const lines = [
    "command_2:»»»anything«««",
    "a_2:»»»1«««",
    "common_x:»»»c«««",
    "a_2:»»»1«««",
    "command_1:»»»write_file«««",
  ];
  const { calls: found } = told(["<|[REQUEST_TOOL]|>", ...lines, "<|[END_TOOL]|>"].join("\n"), [3]);
  expect(found.map(({ tool, texts }) => [tool, ...texts])).toEqual([["anything", ["a", "1"]], ["write_file"]]);
});
