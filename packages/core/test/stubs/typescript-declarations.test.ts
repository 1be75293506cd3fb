import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { bindNames, type JsonSchema, type ToolDefinition } from "../../src/index.ts";
import { renderJavaScriptCall, renderTypeScriptDeclarations } from "../../src/stubs-layer.ts";
import { specifiedTools } from "./specification-tools.ts";
import { createTypeScriptCheck } from "./typescript-check.ts";

const check = createTypeScriptCheck();
// The first program reads TypeScript's own declarations of the language.
beforeAll(() => {
  expect(check("")).toEqual([]);
  expect(check("const a: 1 | { b: string } = { b: 2 };")).toHaveLength(1);
});

const tool = (more: Partial<ToolDefinition>): ToolDefinition => ({
  name: "t",
  description: "",
  inputSchema: { type: "object" },
  ...more,
});

const declare = (...tools: ToolDefinition[]): string => renderTypeScriptDeclarations(tools, { locale: "en" });
/** What one parameter or result is declared as, aliases included. */
function typeOf(schema: JsonSchema | undefined): string {
  const text = declare(tool({ ...(schema === undefined ? {} : { outputSchema: schema }) }));
  expect(check(text), text).toEqual([]);
  return text
    .replace(/^.*\n\n/, "")
    .replace(/declare function t\(\): Promise<([\s\S]*)>;\n$/, "$1")
    .trim();
}

it("should write the specification's tools as declarations", () => {
  const text = renderTypeScriptDeclarations(specifiedTools);
  expect(text).toMatchSnapshot();
  expect(check(text)).toEqual([]);
});

it("should change heading and boilerplate with the language, not descriptions", () => {
  const english = renderTypeScriptDeclarations(specifiedTools, { locale: "en" });
  expect(english).toBe(
    renderTypeScriptDeclarations(specifiedTools)
      .replace("可用工具列表", "Available tools")
      .replaceAll("/* 默认", "/* default"),
  );
});

it.each<[JsonSchema | undefined, string]>([
  [{ type: "string" }, "string"],
  [{ type: "integer" }, "number"],
  [{ type: "number" }, "number"],
  [{ type: "boolean" }, "boolean"],
  [{ type: "null" }, "null"],
  [{ type: "array" }, "unknown[]"],
  [{ type: "array", items: { type: "integer" } }, "number[]"],
  [{ type: "array", items: { type: "array", items: { type: ["string", "null"] } } }, "(string | null)[][]"],
  [{ items: { type: "string" } }, "string[]"],
  [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
  [
    { type: "array", prefixItems: [{ type: "string" }, { enum: [1, 2] }], minItems: 1, items: { type: "boolean" } },
    "[string, (1 | 2)?, ...boolean[]]",
  ],
  [
    { type: "array", items: [{ type: "string" }], additionalItems: true } as unknown as JsonSchema,
    "[string, ...unknown[]]",
  ],
  [{ type: "object" }, "Record<string, unknown>"],
  [{ type: "object", additionalProperties: false }, "{}"],
  [{ type: "object", additionalProperties: { type: "number" } }, "{ [key: string]: number }"],
  [
    { type: "object", properties: { a: {}, "b-c": { type: "string" } }, required: ["a"] },
    '{ a: unknown; "b-c"?: string }',
  ],
  [{ properties: { a: { type: "null" } }, required: ["a", "z"] }, "{ a: null; z: unknown }"],
  [
    { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
    "{ a?: string; [key: string]: number | string | undefined }",
  ],
  [{ type: "object", properties: { n: { type: "integer", default: 5 } } }, "{ n?: number /* default 5 */ }"],
  [{ enum: ["a", 'b"', 3, true, null, 1.5] }, '"a" | "b\\"" | 3 | true | null | 1.5'],
  [{ type: "string", enum: ["a", "a"] }, '"a"'],
  [{ enum: ["a", [1, "x"], { b: 1, "c d": {} }] }, '"a" | [1, "x"] | { b: 1; "c d": Record<string, never> }'],
  [{ enum: [] }, "never"],
  [{ const: "x" }, '"x"'],
  [{ type: ["string", "null"] }, "string | null"],
  [{ anyOf: [{ type: "string" }, { type: "integer" }, { type: "number" }] }, "string | number"],
  [{ oneOf: [{ type: "string" }, {}] }, "unknown"],
  [{ allOf: [{ description: "x" }, { type: "integer" }] }, "number"],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      oneOf: [{ properties: { b: { const: 1 } } }, { properties: { c: {} }, required: ["c"] }],
    },
    "{ a?: string } & ({ b?: 1 } | { c: unknown })",
  ],
  [{ type: "object", anyOf: [{ type: "object", properties: { a: {} } }, { type: "null" }] }, "{ a?: unknown } | null"],
  [
    { type: "array", items: { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] } },
    "({ a?: unknown } & { b?: unknown })[]",
  ],
  [{ type: "integer", nullable: true }, "number | null"],
  [{ type: "integer", anyOf: [{ minimum: 1 }, { maximum: -1 }] }, "number"],
  [{ $ref: "#/$defs/x", $defs: { x: { type: "integer" } } }, "number"],
  [{ $ref: "#/definitions/a~1b", definitions: { "a/b": { type: "null" } } }, "null"],
  [{ $ref: "#/$defs/none" }, "unknown"],
  [{ $ref: "https://example.com/schema" }, "unknown"],
  [{ $ref: "#" }, "unknown"],
  [{}, "unknown"],
  [true, "unknown"],
  [false, "never"],
  [undefined, "unknown"],
  [{ type: "strange" as "string" }, "unknown"],
])("should give %j the type %s", (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

describe("definitions", () => {
  it("should name one that holds itself", () => {
    const node: JsonSchema = {
      type: "object",
      properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
      required: ["value"],
    };
    expect(typeOf({ $ref: "#/$defs/node", $defs: { node } })).toBe(
      "type t_node = { value: string; children?: t_node[] };\nt_node",
    );
    expect(typeOf({ type: "array", items: { $ref: "#" } })).toBe("type t_Output = t_Output[];\nt_Output[]");
    expect(typeOf({ type: "object", additionalProperties: { $ref: "#" } })).toBe(
      "type t_Output = { [key: string]: t_Output };\n{ [key: string]: t_Output }",
    );
  });

  it("should end where unions hold nothing but themselves", () => {
    const $defs = {
      a: { anyOf: [{ $ref: "#/$defs/b" }, { type: "string" as const }] },
      b: { anyOf: [{ $ref: "#/$defs/a" }, { type: "array" as const, items: { $ref: "#/$defs/a" } }] },
    };
    expect(typeOf({ $ref: "#/$defs/a", $defs })).toBe("unknown");
    const list = { anyOf: [{ type: "null" as const }, { type: "array" as const, items: { $ref: "#/$defs/list" } }] };
    expect(typeOf({ $ref: "#/$defs/list", $defs: { list } })).toBe("type t_list = null | t_list[];\nt_list");
  });

  it("should name a long one that is used again, and write others where they stand", () => {
    const money = { type: "object", properties: { amount: { type: "number" }, currency: { type: "string" } } } as const;
    const $defs = { money: { ...money }, id: { type: "integer" as const } };
    const properties = Object.fromEntries(
      ["price", "tax"].map((name) => [name, { $ref: "#/$defs/money" }]).concat([["id", { $ref: "#/$defs/id" }]]),
    );
    expect(typeOf({ type: "object", properties, required: ["id"], $defs })).toBe(
      "type t_money = { amount?: number; currency?: string };\n{ price?: t_money; tax?: t_money; id: number }",
    );
    expect(typeOf({ type: "array", items: { $ref: "#/$defs/money" }, $defs })).toBe(
      "{ amount?: number; currency?: string }[]",
    );
  });

  it("should stay small where each of many holds the next one twice", () => {
    const $defs: Record<string, JsonSchema> = { d40: { type: "string" } };
    for (let index = 0; index < 40; index++) {
      const next = { $ref: `#/$defs/d${index + 1}` };
      $defs[`d${index}`] = { type: "object", properties: { left: next, right: next } };
    }
    expect(typeOf({ $ref: "#/$defs/d0", $defs }).length).toBeLessThan(4000);
  });
});

it("should end on a long row of definitions that hold one another", () => {
  const $defs: Record<string, JsonSchema> = {};
  for (let index = 0; index < 3000; index++) {
    $defs[`d${index}`] = { type: "array", items: { $ref: `#/$defs/d${(index + 1) % 3000}` } };
  }
  const text = declare(tool({ outputSchema: { $ref: "#/$defs/d0", $defs } }));
  expect(text).toContain("type t_d0 = ");
  expect(text.length).toBeLessThan(100_000);
});

it("should put a line of its own to every property that needs words", () => {
  const outputSchema: JsonSchema = {
    type: "array",
    description: "What was found.\nNewest first.",
    items: {
      type: "object",
      properties: {
        id: { type: "integer", description: "Its\nnumber" },
        tags: { type: "array", items: { type: "object", properties: { name: { type: "string", description: "N" } } } },
        place: {
          type: "object",
          description: "Where",
          properties: { x: { type: "number", description: "East", default: 0 } },
        },
      },
      required: ["id"],
    },
  };
  const text = declare(tool({ description: "Finds.", outputSchema }));
  expect(text).toBe(`// ===== Available tools =====

/**
 * Finds.
 * @returns What was found.
 *   Newest first.
 */
declare function t(): Promise<{
  id: number; // Its number
  tags?: {
    name?: string; // N
  }[];
  // Where
  place?: {
    x?: number; // East; default 0
  };
}[]>;
`);
  expect(check(text)).toEqual([]);
});

it("should name a tool and parameters that had to be renamed, and take no argument where there is none", () => {
  const text = declare(
    tool({
      name: "File.Write",
      inputSchema: { properties: { "max-bytes": { type: "integer", description: "Most" } } },
    }),
    tool({ name: "Promise" }),
    tool({ name: "open", inputSchema: { additionalProperties: { type: "string" } } }),
  );
  expect(text).toContain(
    "// File.Write\n/**\n * @param input.max_bytes Most\n */\ndeclare function File_Write(input?: { max_bytes?: number }): Promise<unknown>;",
  );
  expect(text).toContain("// Promise\ndeclare function Promise_(): Promise<unknown>;");
  expect(text).toContain("declare function open(input?: { [key: string]: string }): Promise<unknown>;");
  expect(check(text)).toEqual([]);
});

it("should write errors, and examples from input or from code that is JavaScript", () => {
  const text = declare(
    tool({
      inputSchema: { properties: { path: { type: "string" }, "line-no": { type: "integer" } }, required: ["path"] },
      raises: [
        { type: "NotFound", description: "when it is not there" },
        { type: "Busy", description: "" },
      ],
      examples: [
        { input: { "line-no": 3, path: 'a"b' }, output: { ok: true } },
        { input: { path: "a" }, code: "for x in t('a'): print(x)" },
        { code: "print(t('a'))" },
        {
          input: { path: "a" },
          code: "const x = await t({ path: 'a' });\nreturn x;",
          language: "javascript",
          output: 1,
        },
      ],
    }),
  );
  expect(text).toContain(`/**
 * @throws {NotFound} when it is not there
 * @throws {Busy}
 * @example
 * await t({ line_no: 3, path: "a\\"b" });
 * // → {"ok":true}
 * @example
 * await t({ path: "a" });
 * @example
 * const x = await t({ path: 'a' });
 * return x;
 * // → 1
 */`);
});

it("should refuse two tools of one name", () => {
  expect(() => declare(tool({}), tool({}))).toThrow(TypeError);
  expect(declare()).toBe("// ===== Available tools =====\n");
});

it("should write a call that JavaScript reads as the same arguments", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (input) => {
      const bound = { name: "f", identifier: "f", params: [] };
      const code = renderJavaScriptCall(bound, input);
      const read = new Function("f", `return ${code}`) as (f: (value: unknown) => unknown) => unknown;
      expect(JSON.stringify(read((value) => value ?? {}))).toBe(JSON.stringify(JSON.parse(JSON.stringify(input))));
    }),
  );
});

const nasty = fc.oneof(
  fc.constantFrom(
    "*/",
    "/*",
    "*\\/",
    "//",
    "`",
    "${",
    "\\",
    "'",
    '"',
    "a\n",
    "\r\n",
    "\0",
    "\ud800",
    "\\u12",
    "\n */ export {}",
    "@param",
    "}",
    "\f",
    "\u2028",
    "\u2029",
    "\ufeff",
    "__proto__",
    "constructor",
    "class",
    "Promise",
    "中文",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const nastyText = fc.array(nasty, { maxLength: 5 }).map((parts) => parts.join(""));
const { schema: nastySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.record({ type: fc.constantFrom("string" as const, "integer" as const), description: nastyText }),
    fc.record({ enum: fc.array(fc.jsonValue(), { maxLength: 3 }), description: nastyText }),
    fc.record({ const: fc.jsonValue(), default: fc.jsonValue() }),
    fc.record({ $ref: fc.constantFrom("#", "#/$defs/a", "#/$defs/b", "#/properties/x", "#/$defs/none") }),
    fc.record({ type: fc.constant("array" as const), items: tie("schema") }),
    fc.record({
      type: fc.constant("array" as const),
      prefixItems: fc.array(tie("schema"), { maxLength: 3 }),
      minItems: fc.nat(3),
    }),
    fc.record({ anyOf: fc.array(tie("schema"), { maxLength: 3 }), nullable: fc.boolean() }),
    fc.record({ allOf: fc.array(tie("schema"), { maxLength: 3 }), description: nastyText }),
    fc.record({
      type: fc.constant("object" as const),
      description: nastyText,
      properties: fc.dictionary(nastyText, tie("schema"), { maxKeys: 3 }),
      required: fc.array(nastyText, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
    }),
  ),
}));
const nastyRoot = fc.record({
  type: fc.constant("object" as const),
  properties: fc.dictionary(nastyText, nastySchema, { maxKeys: 3 }),
  required: fc.array(nastyText, { maxLength: 2 }),
  additionalProperties: fc.oneof(fc.boolean(), nastySchema),
  $defs: fc.record({ a: nastySchema, b: nastySchema }),
});
const nastyTool: fc.Arbitrary<ToolDefinition> = fc.record({
  name: nastyText,
  description: nastyText,
  inputSchema: nastyRoot,
  outputSchema: nastyRoot,
  raises: fc.array(fc.record({ type: nastyText, description: nastyText }), { maxLength: 2 }),
  examples: fc.array(
    fc.record({ code: nastyText, language: fc.constant("javascript" as const), output: fc.jsonValue() }),
    { maxLength: 2 },
  ),
});

/** Letters that came to Unicode after this TypeScript are none to it. */
const isKnown = ({ name }: ToolDefinition): boolean =>
  Array.from(bindNames([{ name, inputSchema: {} }], "javascript").tools[0]?.identifier ?? "").every((letter) =>
    ts.isIdentifierPart(letter.codePointAt(0) ?? 0, ts.ScriptTarget.ESNext),
  );

it("should be valid TypeScript, with the names of the bindings, whatever tools are called and described as", () => {
  const lists = fc.sample(
    fc.uniqueArray(nastyTool.filter(isKnown), { selector: (entry) => entry.name, maxLength: 3 }),
    rounds(15, 300),
  );
  for (const tools of lists) {
    const text = renderTypeScriptDeclarations(tools);
    const problems = check(text);
    if (problems.length > 0) throw new Error(`${problems.join("\n")}\n${text}\n${JSON.stringify(tools)}`);
    const source = ts.createSourceFile("tools.d.ts", text, ts.ScriptTarget.ESNext);
    const names = source.statements.filter(ts.isFunctionDeclaration).map((node) => node.name?.text);
    const bound = bindNames(tools, "javascript").tools;
    expect(names).toEqual(bound.map((entry) => entry.identifier));
    expect(source.statements.every((node) => ts.isFunctionDeclaration(node) || ts.isTypeAliasDeclaration(node))).toBe(
      true,
    );
  }
}, 120_000);

/** A schema with a value that fits it. */
interface Fitting {
  schema: JsonSchema;
  value: unknown;
}

const key = fc.oneof(
  fc.constantFrom("a", "b", "first-name", "class", "__proto__", "标题"),
  fc.string({ maxLength: 3 }),
);
const { fitting } = fc.letrec<{ fitting: Fitting }>((tie) => {
  const some = tie("fitting");
  return {
    fitting: fc.oneof(
      { maxDepth: 4, depthSize: "small", withCrossShrink: true },
      fc.string().map((value) => ({ schema: { type: "string" as const }, value })),
      fc.integer().map((value) => ({ schema: { type: "integer" as const }, value })),
      fc.boolean().map((value) => ({ schema: { type: ["boolean" as const, "null" as const] }, value })),
      fc.jsonValue({ depthSize: "small" }).map((value) => ({ schema: { const: value }, value })),
      fc
        .tuple(fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }), fc.nat())
        .map(([list, at]) => ({ schema: { enum: list }, value: list[at % list.length] })),
      fc.tuple(some, fc.nat(2)).map(([{ schema, value }, count]) => ({
        schema: { type: "array" as const, items: schema },
        value: Array.from({ length: count }, () => value),
      })),
      fc.tuple(fc.array(some, { minLength: 1, maxLength: 3 }), some, fc.nat(2)).map(([list, rest, more]) => ({
        schema: { type: "array" as const, prefixItems: list.map(({ schema }) => schema), items: rest.schema },
        value: [...list.map(({ value }) => value), ...Array.from({ length: more }, () => rest.value)],
      })),
      fc.tuple(some, some, fc.boolean()).map(([one, other, swapped]) => ({
        schema: { anyOf: swapped ? [other.schema, one.schema] : [one.schema, other.schema] },
        value: one.value,
      })),
      some.map(({ schema }) => ({ schema: { anyOf: [schema], nullable: true }, value: null })),
      fc
        .tuple(fc.dictionary(key, fc.tuple(some, fc.nat(2)), { maxKeys: 4 }), fc.option(some))
        .map(([dictionary, rest]) => {
          const entries = Object.entries(dictionary);
          const required = entries.flatMap(([name, [, how]]) => (how === 0 ? [name] : []));
          const given = entries.filter(([, [, how]]) => how < 2).map(([name, [{ value }]]) => [name, value] as const);
          const more = rest && !Object.hasOwn(dictionary, "zz") ? [["zz", rest.value] as const] : [];
          return {
            schema: {
              type: "object" as const,
              properties: Object.fromEntries(entries.map(([name, [{ schema }]]) => [name, schema])),
              required,
              ...(rest ? { additionalProperties: rest.schema } : {}),
            },
            value: Object.fromEntries([...given, ...more]),
          };
        }),
      some.map(({ schema, value }) => ({
        schema: { allOf: [{ properties: { left: schema }, required: ["left"] }, { properties: { right: schema } }] },
        value: { left: value, right: value },
      })),
    ),
  };
});

it("should give types that take every value of their schema, and no symbol", () => {
  const times = rounds(2, 12);
  for (let round = 0; round < times; round++) {
    const cases = fc.sample(fitting, 50);
    const tools = cases.map(({ schema }, index) => tool({ name: `t${index}`, outputSchema: schema }));
    const lines = cases.flatMap(({ value }, index) => {
      const result = `Awaited<ReturnType<typeof t${index}>>`;
      const literal = renderJavaScriptCall({ name: "f", identifier: "f", params: [] }, { value });
      return [
        `const v${index}: { value: ${result} } = ${literal.slice(2, -1)};`,
        `const w${index}: unknown extends ${result} ? true : symbol extends ${result} ? false : true = true;`,
      ];
    });
    const text = `${declare(...tools)}${lines.join("\n")}\n`;
    const problems = check(text).map((problem) => `${problem}\n${text.split("\n")[Number.parseInt(problem, 10) - 1]}`);
    expect(problems).toEqual([]);
  }
}, 120_000);
