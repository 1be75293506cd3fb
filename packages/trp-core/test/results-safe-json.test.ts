import fc from "fast-check";
import { expect, it } from "vitest";
import { toSafeJson } from "../src/results/safe-json.ts";

const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(7);
const throwing = {
  fine: 1,
  get broken(): never {
    throw new Error("hunter2");
  },
};
const circle: Record<string, unknown> = { name: "a" };
circle.self = circle;
const hostile = new Proxy(
  {},
  {
    ownKeys() {
      throw new Error("hunter2");
    },
  },
);
class Point {
  x = 1;
  #hidden = 2;
  sum(): number {
    return this.x + this.#hidden;
  }
}
const url = new URL("https://a.example/");

it.each<[string, unknown, unknown, string[]]>([
  ["JSON", { a: [1, "x", null, true, { b: {} }] }, { a: [1, "x", null, true, { b: {} }] }, []],
  ["undefined", undefined, null, []],
  ["undefined members", { a: undefined, b: [undefined, 1] }, { b: [null, 1] }, []],
  ["big integers", { n: 12345678901234567890n }, { n: "12345678901234567890" }, ["/n: a big integer, as text"]],
  [
    "NaN",
    [Number.NaN, Number.NEGATIVE_INFINITY],
    [null, null],
    ["/0: NaN, which JSON does not have", "/1: -Infinity, which JSON does not have"],
  ],
  ["dates", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }, []],
  ["a date that is none", { at: new Date(Number.NaN) }, { at: null }, []],
  [
    "maps of texts",
    new Map([
      ["a", 1],
      ["__proto__", 2],
    ]),
    JSON.parse('{"a":1,"__proto__":2}'),
    ["data: a Map, as an object"],
  ],
  ["other maps", new Map([[1, "a"]]), [[1, "a"]], ["data: a Map, as an array of pairs"]],
  ["sets", { s: new Set(["a", "b"]) }, { s: ["a", "b"] }, ["/s: a Set, as an array"]],
  [
    "errors",
    { e: new TypeError("no file /etc/passwd") },
    { e: { error: "TypeError", message: "no file [path]" } },
    ["/e: an Error, as its class and message"],
  ],
  [
    "functions",
    { f: () => 1, l: [Symbol("x")] },
    { l: [null] },
    ["/f: a function, left out", "/l/0: a symbol, left out"],
  ],
  ["a function", () => 1, null, ["data: a function, left out"]],
  ["toJSON", { o: { toJSON: () => ({ a: 1 }) }, url }, { o: { a: 1 }, url: "https://a.example/" }, []],
  [
    "toJSON that throws",
    {
      o: {
        toJSON: () => {
          throw new Error("hunter2");
        },
      },
    },
    { o: "[unreadable]" },
    ["/o: throws when it is read"],
  ],
  ["getters that throw", throwing, { fine: 1, broken: "[unreadable]" }, ["/broken: throws when it is read"]],
  ["a proxy that throws", { a: hostile, b: 1 }, { a: "[unreadable]", b: 1 }, ["/a: throws when it is read"]],
  ["circles", circle, { name: "a", self: "[circular]" }, ["/self: inside itself"]],
  [
    "the same twice is no circle",
    (() => {
      const one = {};
      return [one, one];
    })(),
    [{}, {}],
    [],
  ],
  ["lone surrogates", ["a\ud800b"], ["a\ufffdb"], ["/0: half characters (lone surrogates), as U+FFFD"]],
  ["class instances", new Point(), { x: 1 }, []],
  [
    "boxed values",
    [Object(5), Object("s"), Object(true), Object(3n)],
    [5, "s", true, "3"],
    ["/3: a big integer, as text"],
  ],
  ["regular expressions", /a+/g, "/a+/g", []],
  ["typed arrays of numbers", new Float64Array([1.5, 2]), [1.5, 2], []],
  [
    "iterators",
    (function* () {
      yield 1;
      yield 2;
    })(),
    [1, 2],
    ["data: an iterator, as an array"],
  ],
  ["promises", { p: Promise.resolve(1) }, { p: "[unreadable]" }, ["/p: a promise that nobody waited for"]],
  ["sparse arrays", Object.assign(new Array(2), { 2: 3 }), [null, null, 3], []],
  ["objects without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }, []],
  ["__proto__ as a key", JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}'), []],
  ["keys in pointers", { "a/b~c": 1n }, { "a/b~c": "1" }, ["/a~1b~0c: a big integer, as text"]],
])("%s", (_name, value, data, notes) => {
  const safe = toSafeJson(value);
  expect(JSON.stringify(safe.data)).toBe(JSON.stringify(data));
  expect(safe.notes).toEqual(notes);
  expect(safe.binaries).toEqual([]);
});

it("gives bytes apart, and puts something in their place", () => {
  const buffer = bytes(3).buffer as ArrayBuffer;
  const safe = toSafeJson({ a: bytes(2), list: [buffer, new DataView(buffer, 1)] });
  expect(safe.binaries.map(({ path, bytes }) => [path, bytes.length])).toEqual([
    ["/a", 2],
    ["/list/0", 3],
    ["/list/1", 2],
  ]);
  for (const { path, place } of safe.binaries) place(`at ${path}`);
  expect(safe.data).toEqual({ a: "at /a", list: ["at /list/0", "at /list/1"] });
  const whole = toSafeJson(bytes(1));
  expect(whole.data).toBeNull();
  whole.binaries[0]?.place("it");
  expect(whole.data).toBe("it");
});

it("shares nothing with the value", () => {
  const value = { list: [{ a: 1 }], data: bytes(1) };
  const safe = toSafeJson(value);
  value.list[0] = { a: 2 };
  value.list.push({ a: 3 });
  value.data[0] = 99;
  expect(safe.data).toEqual({ list: [{ a: 1 }], data: null });
  expect(safe.binaries[0]?.bytes[0]).toBe(7);
});

it("ends where a value is too deep, too wide, or makes itself as it is read", () => {
  let deep: unknown = "end";
  for (let level = 0; level < 5_000; level++) deep = [deep];
  const { data, notes } = toSafeJson(deep);
  expect(JSON.stringify(data)).toContain("[too deep]");
  expect(notes[0]).toMatch(/nested more than 50 levels deep$/);
  const endless = { toJSON: () => ({ ...endless }) };
  expect(JSON.stringify(toSafeJson(endless).data)).toContain("[too deep]");
  const wide = toSafeJson(new Array(3_000_000).fill(0));
  expect((wide.data as unknown[]).length).toBe(1_000_000);
  expect(wide.notes).toEqual(["data: only the first 1000000 of 3000000 items: more than 1000000 values"]);
});

it("names eight changes, and counts the others", () => {
  const { notes } = toSafeJson(Array.from({ length: 20 }, () => 1n));
  expect(notes).toHaveLength(9);
  expect(notes.at(-1)).toBe("and 12 more values are not as they were");
});

it("keeps all JSON as it is, and knows a bound of its size", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!/\\ud[89a-f]/i.test(text));
      const safe = toSafeJson(JSON.parse(text));
      expect(JSON.stringify(safe.data)).toBe(text);
      expect(safe.notes).toEqual([]);
      expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(safe.bytesAtMost);
    }),
  );
});

it("never throws, and always gives JSON, whatever the value", () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withNullPrototype: true,
        withSparseArray: true,
        withBoxedValues: true,
        withObjectString: true,
      }),
      (value) => {
        const { data } = toSafeJson(value);
        expect(JSON.parse(JSON.stringify(data))).toEqual(data);
      },
    ),
  );
});
