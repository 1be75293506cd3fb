import type { JsonSchema, JsonSchemaObject, ToolDefinition } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bindPlan } from "../src/bind-plan.ts";
import type { TamStep, TamTypeHint } from "../src/types.ts";
import { blockOf, record, stepOf } from "./fixtures.ts";

const tool = (name: string, properties: Record<string, JsonSchema>, more: object = {}): ToolDefinition => ({
  name,
  description: "",
  inputSchema: { type: "object", properties, ...more },
});
const write = tool(
  "File.Write",
  { filePath: { type: "string" }, content: { type: "string" }, mode: { type: "integer" }, tags: { type: "array" } },
  { required: ["filePath"] },
);
const tools = [
  write,
  tool("File.Append", { file_path: true }),
  tool("Ping", {}),
  tool("Log", {}, { additionalProperties: true }),
];
/** The one step of a plan that has one. */
const bound = (step: TamStep, given: readonly ToolDefinition[] | null = tools) => {
  const [first] = bindPlan(blockOf([step]), given ?? undefined).steps;
  if (!first) throw new Error("no step");
  return first;
};
const messages = (step: TamStep, given?: readonly ToolDefinition[]): string[] =>
  bound(step, given).errors.map(({ message }) => message);
const readAs = (schema: JsonSchema, text: string, more: Partial<TamStep> = {}): unknown => {
  const step = bound(stepOf("t", { x: text }, more), [tool("t", { x: schema })]);
  return step.errors.length > 0 ? step.errors.map(({ message }) => message).join("; ") : step.params.x;
};

it("should keep texts as text without tools, and leave common parameters to the executor", () => {
  const step = stepOf(
    "Any.Tool",
    { a: "1", b: "{}" },
    { uris: record({ c: "fam://x" }), onError: "continue", retry: 2 },
  );
  const plan = bindPlan(blockOf([step], { requestId: "r", common: record({ p: "7" }) }));
  expect(plan).toEqual({
    requestId: "r",
    common: { p: "7" },
    steps: [
      {
        index: 1,
        callId: expect.stringMatching(/^tam-0-1-/),
        tool: "Any.Tool",
        params: { a: "1", b: "{}" },
        uris: { c: "fam://x" },
        onError: "continue",
        retry: 2,
        errors: [],
        span: step.span,
      },
    ],
  });
  expect("requestId" in bindPlan(blockOf([step]))).toBe(false);
});

it("should bind names to declared ones, and convert by their schemas", () => {
  const step = bound(stepOf("file_write", { file_path: "a.txt", content: "7", mode: " 7 ", tags: '["x", 1]' }));
  expect(step).toMatchObject({ tool: "File.Write", errors: [] });
  expect(step.params).toEqual({ filePath: "a.txt", content: "7", mode: 7, tags: ["x", 1] });
  expect(bound(stepOf("File.Write", { filepath: "a" })).params).toEqual({ filePath: "a" });
});

it.each<[string, TamStep, RegExp]>([
  ["an unknown tool", stepOf("File.Wirte"), /^There is no tool "File.Wirte". Did you mean "File.Write"\?$/],
  [
    "a tool like no other",
    stepOf("xyzzy"),
    /^There is no tool "xyzzy". The tools are: File.Write, File.Append, Ping, Log.$/,
  ],
  [
    "an unknown parameter",
    stepOf("File.Write", { file_path: "a", contnet: "b" }),
    /^File.Write has no parameter "contnet". Did you mean "content"\?$/,
  ],
  [
    "a parameter like no other",
    stepOf("File.Append", { zzz: "" }),
    /^File.Append has no parameter "zzz". It takes: file_path.$/,
  ],
  ["a parameter of a tool without any", stepOf("Ping", { a: "" }), /^Ping has no parameter "a". It takes none.$/],
  ["a missing parameter", stepOf("File.Write", { content: "b" }), /^File.Write needs the parameter "filePath".$/],
  [
    "a wrong value",
    stepOf("File.Write", { file_path: "a", mode: "many" }),
    /^File.Write, mode: expected integer, got "many"$/,
  ],
  [
    "a name given twice",
    stepOf("File.Write", { file_path: "a", filepath: "b" }),
    /^File.Write is given "filePath" twice/,
  ],
  ["an unknown reference", stepOf("Ping", {}, { uris: record({ q: "u" }) }), /^Ping has no parameter "q"/],
  [
    "a value and a reference",
    stepOf("File.Write", { file_path: "a" }, { uris: record({ filePath: "u" }) }),
    /^File.Write is given both filePath and uri_filePath: give one of them.$/,
  ],
])("should put an error on the step for %s", (_name, step, message) => {
  expect(messages(step)).toEqual([expect.stringMatching(message)]);
});

it("should list the candidates of names that could be several", () => {
  const twins = [tool("a.b", { xY: true, x_y: true }), tool("a-b", {})];
  expect(messages(stepOf("a_b"), twins)).toEqual(['The tool "a_b" could be "a.b" or "a-b".']);
  expect(messages(stepOf("a.b", { xy: "" }), [twins[0] as ToolDefinition])).toEqual([
    'The parameter "xy" of a.b could be "xY" or "x_y".',
  ]);
  expect(bound(stepOf("a.b", { x_y: "1" }), twins).params).toEqual({ x_y: "1" });
});

it("should say that there are no tools when there are none", () => {
  expect(messages(stepOf("x"), [])).toEqual(['There is no tool "x". There are no tools.']);
});

it("should see tools that are added to the same list later", () => {
  const list = [tool("a", {})];
  expect(messages(stepOf("b"), list)).toHaveLength(1);
  list.push(tool("b", {}));
  expect(messages(stepOf("b"), list)).toEqual([]);
  list[0] = tool("c", {});
  expect(messages(stepOf("a"), list)).toHaveLength(1);
});

it("should keep the parser's errors first, and not say anything twice", () => {
  const known = { type: "InvalidRetry", message: "retry is no number" };
  const missing = { type: "InvalidInput", message: 'File.Write needs the parameter "filePath".' };
  expect(bound(stepOf("File.Write", { mode: "x" }, { errors: [known, missing] })).errors).toEqual([
    known,
    missing,
    expect.objectContaining({ message: expect.stringContaining("mode") }),
  ]);
});

it("should carry the issue of a value that does not fit", () => {
  expect(bound(stepOf("File.Write", { file_path: "a", mode: "x" })).errors[0]).toMatchObject({
    type: "InvalidInput",
    issues: [{ path: "mode", expected: "integer", got: '"x"' }],
  });
});

it("should give common parameters to the steps whose tool takes them, unless they have their own", () => {
  const steps = [
    stepOf("File.Write", { file_path: "own", mode: "1" }),
    stepOf("File.Append", {}, { index: 2 }),
    stepOf("Ping", {}, { index: 3 }),
    stepOf("Log", {}, { index: 4 }),
    stepOf("File.Write", { content: "c" }, { index: 5, uris: record({ file_path: "fam://x" }) }),
  ];
  const plan = bindPlan(blockOf(steps, { common: record({ file_path: "shared", mode: "2" }) }), tools);
  expect(plan.steps.flatMap(({ errors }) => errors)).toEqual([]);
  expect(plan.steps.map(({ params }) => params)).toEqual([
    { filePath: "own", mode: 1 },
    { file_path: "shared" },
    {},
    { file_path: "shared", mode: "2" },
    { content: "c", mode: 2 },
  ]);
  expect(plan.common).toEqual({});
  const shared = bindPlan(blockOf(steps.slice(1, 2), { common: record({ file_path: "s", other: "o" }) }), tools);
  expect(shared.common).toEqual({ file_path: "s" });
});

it("should put faults of common parameters on the steps that take them", () => {
  const steps = [stepOf("File.Write", { file_path: "a" }), stepOf("Ping", {}, { index: 2 })];
  const plan = bindPlan(blockOf(steps, { common: record({ mode: "many" }) }), tools);
  expect(plan.steps.map(({ errors }) => errors.length)).toEqual([1, 0]);
});

it.each<[JsonSchema, string, unknown]>([
  [true, " 1 ", " 1 "],
  [{ type: "string" }, "true", "true"],
  [{ type: "number" }, "-0.5", -0.5],
  [{ type: "boolean" }, "True", true],
  [{ type: ["integer", "null"] }, "null", null],
  [{ type: "object" }, '{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
  [{ enum: ["a", 2] }, "2", 2],
  [{ type: "integer" }, "12345678901234567890", expect.stringContaining("can't be kept exactly")],
])("should read %j from %j", (schema, text, value) => {
  expect(readAs(schema, text)).toEqual(value);
});

it.each<[TamTypeHint, string, unknown]>([
  ["text", "7", "7"],
  ["json", '{"a": [1, "}"]}', { a: [1, "}"] }],
  ["json", '"s"', "s"],
  ["number", "7", 7],
  ["boolean", "false", false],
  ["base64", "aGk=", new Uint8Array([104, 105])],
  ["base64", " aG\nk ", new Uint8Array([104, 105])],
  ["base64", "_-8", new Uint8Array([255, 239])],
  ["base64", "", new Uint8Array()],
])("should obey the hint %s over the schema for %j", (hint, text, value) => {
  const typeHints = record({ x: hint });
  expect(readAs({ type: "integer" }, text, { typeHints })).toEqual(value);
  expect(bound(stepOf("t", { x: text }, { typeHints }), null)).toMatchObject({ params: { x: value }, errors: [] });
});

it.each<[TamTypeHint, string, string]>([
  ["number", "x", 'expected number, got "x"'],
  ["boolean", "yes", 'expected boolean, got "yes"'],
  ["json", "[12345678901234567890]", "12345678901234567890: a number that can't be kept exactly"],
  ["base64", "a*b", 'not base64 at position 1: unexpected "*"'],
  ["base64", "a=bc", 'not base64 at position 1: unexpected "="'],
  ["base64", "abcde", "not base64: it ends too early"],
])("should say why the hint %s does not fit %j", (hint, text, problem) => {
  const step = stepOf("t", { x: text }, { typeHints: record({ x: hint }) });
  const [error, ...more] = bound(step, null).errors;
  expect(error).toMatchObject({ type: "InvalidInput", message: expect.stringMatching(/^t, x: /) });
  expect(error?.message).toContain(problem);
  expect(more).toEqual([]);
});

it.each<[string, number, string]>([
  ["", 0, "it ends too early"],
  ["{", 1, "it ends too early"],
  ['{"a": 1,}', 8, 'unexpected "}"'],
  ["[1,]", 3, 'unexpected "]"'],
  ["[1 2]", 3, 'unexpected "2"'],
  ['{"a" 1}', 5, 'unexpected "1"'],
  ["{a: 1}", 1, 'unexpected "a"'],
  ["{'a': 1}", 1, 'unexpected "\'"'],
  ['{"a": "b\nc"}', 8, 'unexpected "\\n"'],
  ['["\\x"]', 2, 'unexpected "\\\\"'],
  ['["a', 3, "it ends too early"],
  ["[01]", 2, 'unexpected "1"'],
  ["[]]", 2, 'unexpected "]"'],
  ["[}", 1, 'unexpected "}"'],
  ["{,}", 1, 'unexpected ","'],
  ["nul", 0, 'unexpected "n"'],
  ["{} x", 3, 'unexpected "x"'],
  ['{"a": 😀}', 6, 'unexpected "😀"'],
])("should say where %j stops being JSON", (text, at, what) => {
  const column = at - (text.lastIndexOf("\n", at - 1) + 1) + 1;
  expect(readAs(true, text, { typeHints: record({ x: "json" }) })).toBe(
    `t, x: not valid JSON at position ${at} (line 1, column ${column}): ${what}`,
  );
});

it("should say line and column of a JSON fault on a later line", () => {
  expect(readAs(true, '{\n  "a": 1,\n  b\n}', { typeHints: record({ x: "json" }) })).toContain(
    "position 14 (line 3, column 3)",
  );
});

it("should find a fault in whatever is not JSON, where every shorter text could still become JSON", () => {
  const piece = fc.constantFrom(
    '"',
    "a",
    "\\",
    "u00",
    "1",
    "-",
    ".5",
    "e3",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "true",
    "null",
    '"k":',
  );
  const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (json) => {
      const told = readAs(true, json, { typeHints: record({ x: "json" }) });
      const at = typeof told === "string" ? /not valid JSON at position (\d+)/.exec(told)?.[1] : undefined;
      let valid = true;
      try {
        JSON.parse(json);
      } catch {
        valid = false;
      }
      expect(at === undefined).toBe(valid);
      if (at !== undefined) expect(Number(at)).toBeLessThanOrEqual(json.length);
    }),
    { numRuns: 3000 },
  );
});

it("should hint by the name under which a parameter is bound", () => {
  const step = stepOf("File.Write", { file_path: "a", content: '{"a":1}' }, { typeHints: record({ CONTENT: "json" }) });
  expect(bound(step).params.content).toEqual({ a: 1 });
});

it("should keep white space where the schema asks for it", () => {
  const keep = { type: "string", "x-preserve-whitespace": true } as const;
  const raw = (text: string): Partial<TamStep> => ({ raw: record({ x: text }) });
  expect(readAs(keep, "a", raw("\n\n  a \n\n"))).toBe("\n  a \n");
  expect(readAs(keep, "a", raw("\r\na\r\n"))).toBe("a");
  expect(readAs(keep, "", raw("\n"))).toBe("");
  expect(readAs({ type: "string" }, "a", raw("\n a \n"))).toBe("a");
  const block = blockOf([stepOf("t")], { common: record({ x: "a" }), commonRaw: record({ x: "\n  a\n" }) });
  expect(bindPlan(block, [tool("t", { x: keep })]).steps[0]?.params).toEqual({ x: "  a" });
});

it("should see parameters that a schema declares in parts", () => {
  const parts = {
    type: "object",
    allOf: [{ properties: { a: { type: "integer" } }, required: ["a"] }],
    anyOf: [{ properties: { b: { type: "boolean" } }, required: ["b"] }, { $ref: "#/$defs/Other" }],
    $defs: { Other: { properties: { c: { type: "integer" }, self: { $ref: "#/$defs/Other" }, b: { type: "null" } } } },
  } as const;
  const split = [{ name: "t", description: "", inputSchema: parts as unknown as ToolDefinition["inputSchema"] }];
  expect(bound(stepOf("t", { a: "1", b: "null", c: "2" }), split)).toMatchObject({
    params: { a: 1, b: null, c: 2 },
    errors: [],
  });
  expect(messages(stepOf("t", { a: "1", b: "true" }), split)).toEqual([]);
  expect(messages(stepOf("t", { b: "true", d: "1" }), split)).toEqual([
    't has no parameter "d". It takes: a, b, c, self.',
    't needs the parameter "a".',
  ]);
});

it("should take other names only when the schema says so", () => {
  const with_ = (inputSchema: JsonSchemaObject): ToolDefinition[] => [{ name: "t", description: "", inputSchema }];
  expect(bound(stepOf("t", { z: "1" }), with_({ type: "object" })).params).toEqual({ z: "1" });
  expect(
    bound(stepOf("t", { z: "1" }), with_({ properties: {}, additionalProperties: { type: "integer" } })).params,
  ).toEqual({ z: 1 });
  expect(messages(stepOf("t", { z: "1" }), with_({ type: "object", additionalProperties: false }))).toHaveLength(1);
  expect(messages(stepOf("t", { z: "1" }), with_({ properties: {}, patternProperties: { "^z": true } }))).toEqual([]);
});

it("should not ask for parameters that have a default", () => {
  const schema = { properties: { a: { type: "integer", default: 3 } }, required: ["a"] } as const;
  expect(messages(stepOf("t"), [{ name: "t", description: "", inputSchema: schema as never }])).toEqual([]);
});

it("should treat names from the prototype as plain names", () => {
  const step = bound(stepOf("constructor", { toString: "1" }));
  expect(step.errors[0]?.message).toContain('There is no tool "constructor"');
  expect(messages(stepOf("Ping", { __proto__x: "1", constructor: "2" }))).toHaveLength(2);
  const params = record(JSON.parse('{"__proto__": "1"}') as Record<string, string>);
  const plain = bindPlan(blockOf([stepOf("x", {}, { params, raw: params })], { common: params }));
  expect(Object.keys(plain.steps[0]?.params ?? {})).toEqual(["__proto__"]);
  expect(Object.keys(plain.common)).toEqual(["__proto__"]);
});

it("should give a step the same call id every time, and another one to another step", () => {
  const ids = (step: TamStep): string => bound(step, null).callId;
  const step = stepOf("a", { x: "1" });
  expect(ids(step)).toBe(ids(stepOf("a", { x: "1" })));
  expect(
    new Set([step, stepOf("b", { x: "1" }), stepOf("a", { x: "2" }), stepOf("a", { x: "1" }, { index: 2 })].map(ids))
      .size,
  ).toBe(4);
});
