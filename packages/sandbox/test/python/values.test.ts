import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";

const sandbox = createSandbox({ language: "python" });
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
