import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { tool } from "../support.ts";
import { SharedInterpreter } from "./shared-interpreter.ts";

const echo = tool("echo", { value: true }, ({ value }: { value: unknown }) => value);
const sandbox = new SharedInterpreter({ tools: [echo] });
afterAll(() => sandbox[Symbol.asyncDispose]());

it("should give each kind of value its JSON form and list what it changed", async () => {
  const run = await sandbox.run(`
class Thing:
    def __repr__(self):
        return "Thing!"
class Broken:
    def __repr__(self):
        raise ValueError("no")
class Text(str):
    pass
cycle = [1]
cycle.append(cycle)
shared = [1]
__result__ = {
    "nan": float("nan"), "inf": [float("inf"), -float("inf")],
    "exact": 2**53, "beyond": [2**53 + 1, -2**53 - 1], "huge": 10**5000,
    "bytes": b"\\x00\\xff", "array": bytearray(b"hi"),
    "set": {3, 1, 2}, "mixed": len({1, "a"}), "frozen": frozenset(["b", "a"]),
    "tuple": (1, (2,)), "cycle": cycle, "shared": [shared, shared],
    "when": datetime(2024, 1, 2, 3, 4, 5), "day": datetime.date(2024, 1, 2), "hour": datetime.time(3, 4),
    "zone": datetime(2024, 1, 2, tzinfo=datetime.timezone.utc),
    "thing": Thing(), "broken": Broken(), "complex": 1 + 2j, "text": Text("t"), "bool": [True, False, None],
    1: "int key", None: "none key", True: "true key", (1, 2): "tuple key", datetime.date(2024, 1, 1): "date key",
    "float": [1.5, -0.0, 1e300, 1e-7], "unicode": "北京 🎉 \\ud800",
}`);
  expect(run.status === "ok" ? run.value : run.error).toEqual({
    nan: null,
    inf: [null, null],
    exact: 2 ** 53,
    beyond: ["9007199254740993", "-9007199254740993"],
    huge: `1${"0".repeat(5000)}`,
    bytes: "AP8=",
    array: "aGk=",
    set: [1, 2, 3],
    mixed: 2,
    frozen: ["a", "b"],
    tuple: [1, [2]],
    cycle: [1, null],
    shared: [[1], [1]],
    when: "2024-01-02T03:04:05",
    day: "2024-01-02",
    hour: "03:04:00",
    zone: "2024-01-02T00:00:00+00:00",
    thing: "Thing!",
    broken: "<Broken object>",
    complex: "(1+2j)",
    text: "t",
    bool: [true, false, null],
    // In Python True equals 1: one key.
    "1": "true key",
    null: "none key",
    "(1, 2)": "tuple key",
    "2024-01-01": "date key",
    float: [1.5, -0, 1e300, 1e-7],
    unicode: "北京 🎉 \ud800",
  });
  const changed = Object.fromEntries(run.stats.conversions.map(({ path, from, to }) => [path, `${from} → ${to}`]));
  expect(changed).toEqual({
    nan: "nan → null",
    "inf[0]": "inf → null",
    "inf[1]": "-inf → null",
    "beyond[0]": "integer beyond 2^53 → decimal text",
    "beyond[1]": "integer beyond 2^53 → decimal text",
    huge: "integer beyond 2^53 → decimal text",
    bytes: "bytes → base64 text",
    array: "bytearray → base64 text",
    set: "set → array",
    frozen: "frozenset → array",
    tuple: "tuple → array",
    "tuple[1]": "tuple → array",
    "cycle[1]": "cycle → null",
    when: "datetime → ISO 8601 text",
    day: "date → ISO 8601 text",
    hour: "time → ISO 8601 text",
    zone: "datetime → ISO 8601 text",
    thing: "Thing → repr",
    broken: "Broken → repr",
    complex: "complex → repr",
    "1": "key of type int → text",
    null: "key of type NoneType → text",
    "(1, 2)": "key of type tuple → text",
    "2024-01-01": "key of type date → text",
  });
});

it("should drop keys named __proto__ and keep constructor and prototype as data", async () => {
  const run = await sandbox.run(
    '__result__ = {"__proto__": {"x": 1}, "a": [{"__proto__": 1, "constructor": 2, "prototype": 3}]}',
  );
  expect(run).toMatchObject({ status: "ok", value: { a: [{ constructor: 2, prototype: 3 }] } });
  const value = run.status === "ok" ? (run.value as Record<string, unknown>) : {};
  expect(Object.keys(value)).toEqual(["a"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(run.stats.conversions).toEqual([
    { path: "__proto__", from: "key", to: "dropped" },
    { path: "a[0].__proto__", from: "key", to: "dropped" },
  ]);
});

it("should report the size of the value, and nothing converted for plain JSON", async () => {
  const run = await sandbox.run('__result__ = {"a": "é"}');
  expect(run.stats).toMatchObject({ resultBytes: 10, conversions: [], warnings: [] });
});

it("should take None for a value", async () => {
  expect(await sandbox.run("__result__ = None")).toMatchObject({ status: "ok", value: null });
});

it.each([
  ["a whole number and a text", "{1: 10, '1': 20}", "1 and '1'"],
  ["None and a text", "{None: 1, 'null': 2}", "None and 'null'"],
  ["a truth value and a text", "{'true': 1, True: 2}", "'true' and True"],
  [
    "a date and a text",
    "{datetime.date(2024, 1, 1): 1, '2024-01-01': 2}",
    "datetime.date(2024, 1, 1) and '2024-01-01'",
  ],
  ["a tuple and a text", "{(1, 2): 1, '(1, 2)': 2}", "(1, 2) and '(1, 2)'"],
  ["two that are not numbers", "{float('nan'): 1, float('nan'): 2}", "nan and nan"],
  ["texts that are two keys in Python", "{'a': 1, K('a'): 2}", "'a' and 'a'"],
  ["keys far inside", "{'rows': [{'x': {2: 1, '2': 2}}]}", "2 and '2' are the same text (in "],
  ["keys of a lazy result", "map(lambda n: {n: 1, str(n): 2}, [7])", "7 and '7'"],
  ["keys of a counter", "collections.Counter([1, '1'])", "1 and '1'"],
])("should never lose a value to another with the same key in JSON: %s", async (_, dict, keys) => {
  // A text that is another key in Python and the same one in JSON.
  const own = "class K(str):\n    def __hash__(self): return 7\n    def __eq__(self, other): return self is other\n";
  const run = await sandbox.run(`${own}__result__ = ${dict}`);
  expect(run).toMatchObject({
    status: "error",
    error: { type: "ValueError", hint: expect.stringContaining("list(d.items())") },
  });
  expect(run).toMatchObject({ error: { message: expect.stringContaining(keys) } });
  const call = await sandbox.run(
    `${own}\ntry:\n    echo(${dict})\nexcept TypeError as error:\n    __result__ = str(error)`,
  );
  expect(call).toMatchObject({ status: "ok", value: expect.stringContaining(keys), toolCalls: [] });
});

it("should drop no key of an argument without a word", async () => {
  const run = await sandbox.run('echo({"a": {"__proto__": 1}})');
  expect(run).toMatchObject({
    status: "error",
    error: { type: "TypeError", message: expect.stringContaining("__proto__") },
  });
});

it.each([
  ["map", "map(str, [1, 2])", ["1", "2"]],
  ["filter", "filter(None, [0, 1])", [1]],
  ["zip", "zip([1], 'a')", [[1, "a"]]],
  ["range", "range(1, 4)", [1, 2, 3]],
  ["generator", "(x * 2 for x in [1, 2])", [2, 4]],
  ["dict_keys", "{'a': 1}.keys()", ["a"]],
  ["dict_values", "{'a': 1}.values()", [1]],
  ["dict_items", "{'a': 1}.items()", [["a", 1]]],
  ["enumerate", "enumerate('a')", [[0, "a"]]],
  ["list_reverseiterator", "reversed([1, 2])", [2, 1]],
  ["deque", "collections.deque([1, 2])", [1, 2]],
  ["chain", "itertools.chain([1], [2])", [1, 2]],
  ["set", "{2, 1}", [1, 2]],
])("should write a lazy result as its items: %s", async (kind, code, value) => {
  const run = await sandbox.run(`__result__ = {"r": ${code}}`);
  expect(run).toMatchObject({ status: "ok", value: { r: value } });
  expect(run.stats.conversions).toContainEqual({ path: "r", from: kind, to: "array" });
  const call = await sandbox.run(`__result__ = echo(${code})`);
  expect(call).toMatchObject({ status: "ok", value });
});

it("should end a lazy result without an end at the limit", async (context) => {
  leftToCi(context);
  const run = await sandbox.run("__result__ = [itertools.count()]");
  expect(run).toMatchObject({ status: "error", error: { type: "ResultTooLarge" } });
});

it("should write what the libraries make as data, and no addresses", async () => {
  const run = await sandbox.run(`
@dataclasses.dataclass
class Point:
    x: int
    to: "Point" = None
class Plain: pass
class Color(enum.Enum):
    RED = "r"
class Pair(typing.NamedTuple):
    a: int
    b: int
loop = Point(1)
loop.to = loop
__result__ = [Point(1, Point(2)), loop, Color.RED, Pair(1, 2), decimal.Decimal("1.10"), fractions.Fraction(1, 3), uuid.UUID(int=1),
    collections.ChainMap({"a": 1}), collections.UserDict(b=2), collections.UserString("u"), Plain(), lambda: 1, [Plain()]]`);
  expect(run.status === "ok" ? run.value : run.error).toEqual([
    { x: 1, to: { x: 2, to: null } },
    { x: 1, to: null },
    ...["r", [1, 2], "1.10", "1/3", "00000000-0000-0000-0000-000000000001", { a: 1 }, { b: 2 }, "u"],
    ...["<__main__.Plain object>", "<function <lambda>>", ["<__main__.Plain object>"]],
  ]);
});
