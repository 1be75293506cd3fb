import { spawnSync } from "node:child_process";
import { isThorough } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bindNames, type JsonSchema, type ToolDefinition } from "../../src/index.ts";
import { renderPythonStubs, typeHint } from "../../src/stubs/python-stubs.ts";
import { specifiedStubs, specifiedTools } from "./specification-tools.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython && isThorough) throw new Error("python3 is needed to check the stubs");

/** Compiles each source with Python; gives its functions: name, parameters, docstring, and what defaults evaluate to. */
function readFunctions(sources: string[]): PythonFunction[][] {
  const script = `
import ast, doctest, inspect, json, sys
def examples(doc):
    try:
        return [[example.source, example.want] for example in doctest.DocTestParser().get_examples(doc)]
    except ValueError:
        return None

answer = []
for source in json.load(sys.stdin):
    tree = ast.parse(source)
    compile(tree, "stubs", "exec", dont_inherit=True)
    functions = []
    for node in tree.body:
        assert isinstance(node, ast.FunctionDef), ast.dump(node)
        last = node.body[-1]
        assert isinstance(last, ast.Pass) and len(node.body) <= 2
        functions.append({
            "name": node.name,
            "params": [arg.arg for arg in node.args.args],
            "hints": [ast.unparse(arg.annotation) for arg in node.args.args],
            "rest": node.args.kwarg.arg if node.args.kwarg else None,
            "defaults": [ast.literal_eval(value) for value in node.args.defaults],
            "returns": ast.unparse(node.returns),
            "doc": inspect.cleandoc(ast.get_docstring(node, clean=False) or ""),
            "examples": examples(ast.get_docstring(node) or ""),
        })
    answer.append(functions)
json.dump(answer, sys.stdout)
`;
  const run = spawnSync("python3", ["-W", "error", "-c", script], {
    input: JSON.stringify(sources),
    encoding: "utf8",
    env: { ...process.env, PYTHONIOENCODING: "utf-8:surrogatepass" },
    maxBuffer: 1 << 28,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as PythonFunction[][];
}

interface PythonFunction {
  name: string;
  params: string[];
  hints: string[];
  rest: string | null;
  defaults: unknown[];
  returns: string;
  doc: string;
  /** Code and expected output of each doctest; null when a description looks like a broken one. */
  examples: [string, string][] | null;
}

const tool = (more: Partial<ToolDefinition>): ToolDefinition => ({
  name: "t",
  description: "d",
  inputSchema: { type: "object" },
  ...more,
});

it("should write the specification's tools as the specification does, character by character", () => {
  expect(renderPythonStubs(specifiedTools, { locale: "zh" })).toBe(specifiedStubs);
  expect(renderPythonStubs(specifiedTools)).toBe(specifiedStubs);
});

it("should change heading and boilerplate with the language, not descriptions", () => {
  const english = renderPythonStubs(specifiedTools, { locale: "en" });
  expect(english).toBe(specifiedStubs.replace("可用工具列表", "Available tools"));
});

it.each<[JsonSchema | undefined, string]>([
  [{ type: "string" }, "str"],
  [{ type: "integer" }, "int"],
  [{ type: "number" }, "float"],
  [{ type: "boolean" }, "bool"],
  [{ type: "null" }, "None"],
  [{ type: "array" }, "list"],
  [{ type: "array", items: { type: "integer" } }, "list[int]"],
  [{ type: "array", items: { type: "array", items: {} } }, "list[list[Any]]"],
  [{ items: { type: "string" } }, "list[str]"],
  [{ type: "object" }, "dict"],
  [{ type: "object", properties: { a: {} } }, "dict"],
  [{ properties: { a: {} } }, "dict"],
  [{ type: "object", additionalProperties: { type: "number" } }, "dict[str, float]"],
  [{ enum: ["a", 'b"', 3, true, null] }, 'Literal["a", "b\\"", 3, True, None]'],
  [{ type: "string", enum: ["a", "a"] }, 'Literal["a"]'],
  [{ enum: [1.5, 2.5] }, "float"],
  [{ enum: ["a", [1], { b: 1 }] }, 'Literal["a"] | list | dict'],
  [{ const: "x" }, 'Literal["x"]'],
  [{ type: ["string", "null"] }, "str | None"],
  [{ anyOf: [{ type: "string" }, { type: "integer" }, { type: "string" }] }, "str | int"],
  [{ oneOf: [{ type: "string" }, {}] }, "Any"],
  [{ allOf: [{ description: "x" }, { type: "integer" }] }, "int"],
  [{ type: "integer", nullable: true }, "int | None"],
  [{ type: "integer", anyOf: [{ minimum: 1 }, { maximum: -1 }] }, "int"],
  [{ $ref: "#/$defs/x", $defs: { x: { type: "integer" } } }, "int"],
  [{ $ref: "#/$defs/none" }, "Any"],
  [{ $ref: "#" }, "Any"],
  [{}, "Any"],
  [true, "Any"],
  [undefined, "Any"],
  [{ type: "strange" as "string" }, "Any"],
  [{ enum: [] }, "Any"],
])("should give %j the type hint %s", (schema, hint) => {
  expect(typeHint(schema)).toBe(hint);
});

it("should end on types that hold themselves", () => {
  const tree: JsonSchema = { type: "array", items: { $ref: "#" } };
  expect(typeHint(tree)).toMatch(/^(list\[)+Any\]+$/);
});

it("should put required parameters first and give optional ones their default, else None", () => {
  const inputSchema = {
    type: "object" as const,
    properties: {
      a: { type: "boolean" as const, default: false },
      b: { type: "string" as const },
      c: { type: "object" as const, default: { k: [1, null, "x"] } },
      d: { type: "integer" as const },
    },
    required: ["d"],
  };
  expect(renderPythonStubs([tool({ inputSchema })])).toContain(
    'def t(d: int, a: bool = False, b: str = None, c: dict = {"k": [1, None, "x"]}) -> Any:',
  );
});

it("should name a tool that had to be renamed", () => {
  const stubs = renderPythonStubs([tool({ name: "File.Write" }), tool({ name: "class" }), tool({ name: "ok" })]);
  expect(stubs).toContain("# File.Write\ndef File_Write() -> Any:");
  expect(stubs).toContain("# class\ndef class_() -> Any:");
  expect(stubs).toContain("\n\ndef ok() -> Any:");
});

it("should list the fields of objects in arguments and results", () => {
  const inputSchema = {
    type: "object" as const,
    properties: {
      filter: {
        type: "object" as const,
        description: "Which rows.",
        properties: {
          since: { type: "string" as const, description: "ISO date" },
          tags: {
            type: "array" as const,
            items: { type: "object" as const, properties: { name: { type: "string" as const } } },
          },
        },
        required: ["since"],
      },
    },
  };
  const outputSchema = {
    type: "array" as const,
    items: { type: "object" as const, properties: { id: { type: "integer" as const } } },
  };
  const stubs = renderPythonStubs([tool({ inputSchema, outputSchema })], { locale: "en" });
  expect(stubs).toContain(`    Args:
        filter: Which rows, with these fields:
            - since: str - ISO date
            - tags: list[dict], optional
                - name: str

    Returns:
        list[dict]: each with these fields:
            - id: int
    """
    pass
`);
});

it("should write examples from input, with required arguments by position", () => {
  const inputSchema = {
    type: "object" as const,
    properties: { path: {}, "line-no": {}, deep: {} },
    required: ["path"],
  };
  const examples = [
    { input: { "line-no": 3, path: 'a"b' }, output: { ok: true, text: "it's" } },
    { input: { deep: [null], extra: 1.5 } },
    { code: "for x in t('a'):\n    print(x)\nprint(1)" },
  ];
  expect(renderPythonStubs([tool({ inputSchema, examples })])).toContain(`    Example:
        >>> t("a\\\\"b", line_no=3)
        {'ok': True, 'text': "it's"}

        >>> t(deep=[None], **{"extra": 1.5})

        >>> for x in t('a'):
        ...     print(x)
        >>> print(1)
    """`);
});

it("should write a tool without any description", () => {
  expect(renderPythonStubs([tool({ description: "" })], { locale: "en" })).toBe(
    "# ===== Available tools =====\n\ndef t() -> Any:\n    pass\n",
  );
  expect(renderPythonStubs([], { locale: "en" })).toBe("# ===== Available tools =====\n");
});

it("should refuse two tools of one name", () => {
  expect(() => renderPythonStubs([tool({}), tool({})])).toThrow(TypeError);
});

const nasty = fc.oneof(
  fc.constantFrom(
    '"""',
    '""""',
    "\\",
    '\\"""',
    "'''",
    '"',
    "a\n",
    "\r\n",
    "\0",
    "\ud800",
    "\\N{x}",
    "\\x",
    "\\u12",
    "\n    pass\n",
    "import os",
    "#",
    "\f",
    "\u2028",
    "\ufeff",
    "\t",
    "{x}",
    "中文",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);
/** Characters that this Python, older than the sandbox's, does not know yet; Node may call them letters. */
const unknownToPython = new Set(
  hasPython
    ? (JSON.parse(
        spawnSync("python3", [
          "-c",
          "import unicodedata as u; print([i for i in range(65536) if u.category(chr(i)) == 'Cn'])",
        ]).stdout.toString(),
      ) as number[])
    : [],
);
const known = (text: string): string =>
  Array.from(text, (c) => (unknownToPython.has(c.codePointAt(0) ?? 0) ? "中" : c)).join("");
const nastyText = fc.array(nasty, { maxLength: 5 }).map((parts) => known(parts.join("")));
const nastySchema = fc.oneof(
  fc.record({
    type: fc.constantFrom("string" as const, "integer" as const, "array" as const, "object" as const),
    description: nastyText,
  }),
  fc.record({ enum: fc.array(fc.jsonValue(), { maxLength: 4 }), description: nastyText }),
  fc.record({
    type: fc.constant("object" as const),
    description: nastyText,
    properties: fc.dictionary(nastyText, fc.record({ description: nastyText }), { maxKeys: 3 }),
  }),
  fc.record({ default: fc.jsonValue() }),
);
const nastyTool: fc.Arbitrary<ToolDefinition> = fc.record({
  name: nastyText,
  description: nastyText,
  inputSchema: fc.record({
    type: fc.constant("object" as const),
    properties: fc.dictionary(nastyText, nastySchema, { maxKeys: 4 }),
    required: fc.array(nastyText, { maxLength: 2 }),
    additionalProperties: fc.constantFrom(true, false, { type: "string" as const }),
  }),
  outputSchema: nastySchema,
  raises: fc.array(fc.record({ type: nastyText, description: nastyText }), { maxLength: 2 }),
  examples: fc.array(fc.record({ code: nastyText, output: fc.jsonValue() }), { maxLength: 2 }),
});

it.skipIf(!hasPython)(
  "should be valid Python, with the names of the bindings, whatever tools are called and described as",
  () => {
    const lists = fc.sample(fc.uniqueArray(nastyTool, { selector: (entry) => entry.name, maxLength: 4 }), 400);
    const functions = readFunctions(lists.map((tools) => renderPythonStubs(tools)));
    for (const [index, tools] of lists.entries()) {
      const bound = bindNames(tools, "python").tools;
      expect(functions[index]?.map((entry) => [entry.name, entry.params])).toEqual(
        bound.map((entry) => [entry.identifier, entry.params.map((param) => param.identifier)]),
      );
    }
  },
);

it.skipIf(!hasPython)("should keep descriptions and defaults as they are, for Python to read", () => {
  const description = 'Takes """text""" and C:\\new\\x,\n  indented \\N{DASH}.';
  const value = { a: [1, -2.5, 1e21, true, null, 'it\'s "x" \\ \n \u007f \u2028 😀 \ud800'], "k'": {} };
  const inputSchema = {
    type: "object" as const,
    properties: { p: { default: value }, q: { type: "string" as const, default: "'" } },
  };
  const [[found] = []] = readFunctions([
    renderPythonStubs([tool({ description, inputSchema, outputSchema: { type: ["string", "null"] } })]),
  ]);
  expect(found?.doc.split("\n\n")[0]).toBe('Takes """text""" and C:\\new\\x,\nindented \\N{DASH}.');
  expect(found?.defaults).toEqual([value, "'"]);
  expect(found?.returns).toBe("str | None");
  expect(found?.hints).toEqual(["Any", "str"]);
});

it.skipIf(!hasPython)("should compile the specification's tools", () => {
  const [functions] = readFunctions([renderPythonStubs(specifiedTools)]);
  expect(functions?.map((entry) => [entry.name, entry.returns, entry.defaults])).toEqual([
    ["search_web", "list[dict]", [5]],
    ["read_file", "str", []],
    ["write_file", "bool", []],
    ["list_files", "list[str]", ["*"]],
  ]);
  expect(functions?.[1]?.examples).toEqual([
    ['content = read_file("/home/user/config.json")\n', ""],
    ["print(content)\n", "'{\"timeout\": 30}'\n"],
  ]);
});

it.skipIf(!hasPython)("should write examples that Python's doctest reads", () => {
  const output = { text: "a\\b\n'c'", list: [1, null] };
  const examples = [{ code: "for x in t():\n    print(x)\nelse:\n    pass", output }, { input: { path: "C:\\new" } }];
  const inputSchema = { type: "object" as const, properties: { path: {} }, required: ["path"] };
  const [[found] = []] = readFunctions([renderPythonStubs([tool({ inputSchema, examples })])]);
  expect(found?.examples).toEqual([
    ["for x in t():\n    print(x)\nelse:\n    pass\n", `{'text': "a\\\\b\\n'c'", 'list': [1, None]}\n`],
    ['t("C:\\\\new")\n', ""],
  ]);
});
