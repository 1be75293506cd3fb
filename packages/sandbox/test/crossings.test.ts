import { readFileSync, writeFileSync } from "node:fs";
import type { AnyTool } from "@toolglot/core";
import { expect, it } from "vitest";
import type { Sandbox, SandboxRun } from "../src/node/index.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

/** What becomes of values on their way: each row is run, and what comes of it must stand in the document. */
const document = new URL("../../../docs/sandbox-conversions.md", import.meta.url);

const cycle: unknown[] = [];
cycle.push(cycle);
/** By kind: in JavaScript, in Python, and what a tool gives. */
const kinds: [kind: string, javascript: string | undefined, python: string | undefined, given: unknown][] = [
  ["a map", "new Map([['a', 1]])", "collections.OrderedDict(a=1)", new Map([["a", 1]])],
  [
    "a map with keys 1 and '1'",
    "new Map([[1, 1], ['1', 2]])",
    "{1: 1, '1': 2}",
    new Map<unknown, number>([
      [1, 1],
      ["1", 2],
    ]),
  ],
  ["a set", "new Set([1])", "{1}", new Set([1])],
  ["NaN", "NaN", "float('nan')", Number.NaN],
  ["infinity", "-Infinity", "-float('inf')", Number.NEGATIVE_INFINITY],
  ["a big integer within 2^53", "5n", "5", 5n],
  ["a big integer beyond 2^53", "2n ** 60n", "2 ** 60", 2n ** 60n],
  ["a date", "new Date(0)", "datetime.datetime(1970, 1, 1)", new Date(0)],
  ["an invalid date", "new Date(NaN)", undefined, new Date(Number.NaN)],
  ["bytes", "new Uint8Array([1, 2])", "b'\\x01\\x02'", Buffer.from([1, 2])],
  ["numbers of a typed array", "new Float64Array([1, 2])", "array.array('d', [1, 2])", new Float64Array([1, 2])],
  ["an error", "new RangeError('far')", "ValueError('far')", new RangeError("far")],
  ["a cycle", "(() => { const a = []; a.push(a); return a; })()", "cycle()", cycle],
  ["undefined in an object", "{ a: undefined, b: 1 }", undefined, { a: undefined, b: 1 }],
  ["undefined in an array", "[undefined]", undefined, [undefined]],
  ["a tuple", undefined, "(1, 2)", undefined],
  ["a decimal", undefined, "decimal.Decimal('1.50')", undefined],
  ["a function", "function far() {}", "lambda: 1", function far() {}],
  [
    "a class's object",
    "new (class Point { x = 1; })()",
    "Point(1)",
    new (class Point {
      x = 1;
    })(),
  ],
  ["a promise", "Promise.resolve(1)", undefined, Promise.resolve(1)],
  ["a text of 17 million characters", "'ab'.repeat(8500000)", "'ab' * 8500000", "ab".repeat(8_500_000)],
  ["a list of 900,000 numbers", "Array.from({ length: 9e5 }, (_, i) => i)", "list(range(900000))", undefined],
  ["a key named __proto__", "JSON.parse('{\"__proto__\": 1}')", "{'__proto__': 1}", JSON.parse('{"__proto__": 1}')],
];
const setup =
  "import array, collections, dataclasses, datetime, decimal\ndef cycle():\n    a = []\n    a.append(a)\n    return a\n@dataclasses.dataclass\nclass Point:\n    x: int\n";

let given: unknown;
let seen: unknown;
const properties = { value: {} };
const tools: AnyTool[] = [
  {
    name: "take",
    description: "",
    inputSchema: { type: "object", properties },
    execute: ({ value }) => {
      seen = value;
    },
  },
  { name: "give", description: "", inputSchema: { type: "object" }, execute: () => ({ v: given }) },
];
const python = sharedSandbox("python", { style: "notebook", tools });
const javascript = sharedSandbox("javascript", { style: "notebook", tools });

/** One cell: the text that came over, and how that was told. */
function cell(run: SandboxRun, crossed: unknown): string {
  if (run.status === "error") {
    // What it was must be in the words that the model reads.
    const was = / \((?:it was|they were) (.*)\)$/s.exec(run.error.message)?.[1];
    return was === undefined ? run.error.type : `${run.error.type}: \`${was.replaceAll("|", "\\|")}\``;
  }
  // What the program's own result is noted for is another row.
  const crossing = run.stats.conversions.filter(({ callId }) => callId === run.toolCalls[0]?.callId);
  const notes = crossing.map(({ from, to }) => `${from} → ${to}`);
  return `\`${JSON.stringify(crossed)}\`${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

async function results(sandbox: Sandbox, value: string | undefined, head: string): Promise<string> {
  if (value === undefined) return "";
  const run = await sandbox.run(`${head}({ ${sandbox.language === "python" ? "'v'" : "v"}: ${value} })`);
  return cell(run, run.status === "ok" ? (run.value as { v: unknown }).v : undefined);
}

async function argument(sandbox: Sandbox, value: string | undefined, head: string): Promise<string> {
  if (value === undefined) return "";
  seen = "not called";
  const call = sandbox.language === "python" ? `take(value=${value})` : `await take({ value: ${value} })`;
  const run = await sandbox.run(`${head}${call}`);
  if (run.status === "error") {
    expect(seen).toBe("not called");
    expect(run.error.message).toContain("value");
  }
  return cell(run, seen);
}

async function answer(sandbox: Sandbox, value: unknown): Promise<string> {
  if (value === undefined) return "";
  given = value;
  const run = await sandbox.run(sandbox.language === "python" ? "give()['v']" : "(await give()).v");
  if (run.status === "error") expect(run.error.message).toMatch(/v(\[0\])? is |{v: /);
  return cell(run, run.status === "ok" ? run.value : undefined);
}

it("should do at each crossing what the document says", async () => {
  const rows: string[][] = [];
  for (const [kind, inJavaScript, inPython, value] of kinds) {
    // A tool's result is converted before it enters the interpreter.
    const result = await answer(javascript, value);
    expect(await answer(python, value)).toBe(result);
    rows.push([
      kind,
      await results(javascript, inJavaScript, ""),
      await results(python, inPython, setup),
      await argument(javascript, inJavaScript, ""),
      await argument(python, inPython, setup),
      result,
    ]);
  }
  const head = [
    "",
    "result, JavaScript",
    "result, Python",
    "argument, JavaScript",
    "argument, Python",
    "tool's result",
  ];
  const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  const text = readFileSync(document, "utf8");
  const marks = /(<!-- table -->\n)[\s\S]*?(\n<!-- \/table -->)/;
  if (process.env.UPDATE_DOCS)
    writeFileSync(
      document,
      text.replace(marks, (_, from, to) => from + table + to),
    );
  else expect(marks.exec(text)?.[0]).toBe(`<!-- table -->\n${table}\n<!-- /table -->`);
});

it("should take bytes and text as files, and give bytes back", async () => {
  const files = [
    { path: "a.bin", data: new Uint8Array([0, 255]) },
    { path: "b.txt", data: "ä" },
  ];
  const code = "open('c.bin', 'wb').write(open('a.bin', 'rb').read() + open('b.txt', 'rb').read())";
  const run = await python.run(code, { files });
  expect(run.status === "ok" && run.files?.map(({ path, data }) => [path, [...(data ?? [])]])).toEqual([
    ["c.bin", [0, 255, 0xc3, 0xa4]],
  ]);
  for (const data of [new Map(), 5n, Number.NaN, new Date(0), undefined, [1], new Error("x"), "\ud800"]) {
    await expect(python.run("1", { files: [{ path: "a", data: data as string }] })).rejects.toThrow(TypeError);
  }
});

it("should tell of what it refuses without running its code", async () => {
  const code = `const seen = [];
const fault = new RangeError("far");
Object.defineProperty(fault, "message", { get() { seen.push("getter"); return "x"; } });
Object.defineProperty(fault, "name", { get() { seen.push("name"); return "x"; } });
class Odd extends Promise { get far() { seen.push("far"); return 1; } then(...more) { seen.push("then"); return super.then(...more); } }
const list = [];
Object.defineProperty(list, 0, { enumerable: true, configurable: true, get() { return list; } });
const told = [];
for (const value of [fault, new Odd(() => {}), list, new Map([[1, fault], ["1", fault]])]) {
  try { await take({ value }); } catch ({ message }) { told.push(message); }
}
return [seen, told];`;
  const run = await javascript.run(code);
  expect(run.status === "ok" && run.value).toEqual([
    [],
    [
      expect.stringMatching(/ \(it was RangeError undefined\)$/),
      expect.stringMatching(/a promise: await it$/),
      expect.stringMatching(/ \(it was an Array of 1: \[undefined\]\)$/),
      expect.stringMatching(/ \(it was <Map of 2>\)$/),
    ],
  ]);
  const own = `class Odd:
    def __repr__(self):
        seen.append('repr')
        return 'x'
    def __len__(self):
        seen.append('len')
        return 1
class Far(ValueError):
    def __str__(self):
        seen.append('str')
        return 'x'
    __repr__ = __str__
seen = []
told = []
for value in (Odd(), Far(Odd())):
    try:
        take(value=value)
    except TypeError as error:
        told.append(str(error))
[seen, told]`;
  const second = await python.run(own);
  expect(second.status === "ok" && second.value).toEqual([
    [],
    [expect.stringMatching(/ \(it was <Odd>\)$/), expect.stringMatching(/ \(it was Far\(<Odd>,\)\)$/)],
  ]);
});
