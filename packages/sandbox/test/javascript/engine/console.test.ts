import { format } from "node:util";
import { expect, it } from "vitest";
import type { SandboxRun } from "../../../src/node/index.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const sandbox = sharedSandbox("javascript");

const print = async (code: string): Promise<SandboxRun["logs"]> => (await sandbox.run(`${code}\nreturn 1`)).logs;
const out = (text: string): object[] => text.split("\n").map((line) => ({ stream: "stdout", text: line }));

// Printed as Node prints them, each as the arguments of console.log.
const values = [
  "'text', 1, -0, 2n, true, null, undefined, Symbol('s')",
  "['a', 'it\\'s', 'a \"b\" \\'c\\'', 'line\\nbreak\\t\\x01']",
  "{ a: 1, 'b-c': [1, 2], [Symbol('k')]: { d: { e: { f: 1 } } } }",
  "[], {}, [[]], [{}], [[[[1]]]]",
  "[1, , , 4], [undefined, null], Object.assign([1], { extra: 2 })",
  "new Map([['a', { b: 1 }], [{ c: 2 }, 3]]), new Set([1, 'b']), new Map(), new Set()",
  "new Date(0), new Date(NaN), /x/g",
  "function f() {}, () => 1, class A {}, async function g() {}",
  "new (class Order { id = 1; lines = [] })(), new (class Empty {})(), Object.create(null)",
  "{ get a() { return 1 }, set b(x) {}, get c() { return 1 }, set c(x) {} }",
  "new Uint8Array([1, 2, 3]), new Float32Array(0)",
  "Object(1), Object('s'), Object(false)",
  "(() => { const a = { b: {} }; a.b.a = a; a.list = [a]; return a })()",
  "Array.from({ length: 120 }, (_, i) => i)",
  "Array.from({ length: 30 }, (_, i) => 'item ' + i)",
  "Array.from({ length: 8 }, (_, i) => ({ id: i, name: 'name ' + i }))",
  "{ long: 'x'.repeat(60), other: 'y'.repeat(30), list: ['z'.repeat(40), 'z'.repeat(40)] }",
  "{ id: 1, customer: { name: 'Ada', address: { city: 'Paris', geo: { lat: 1 } } }, total: 12.5 }",
  "'%s is %d years, %i, %f, %j, %O %%', 'Ada', 36.5, 36.9, '1.5', { a: 1 }, [1], 'rest', { b: 2 }",
  "'100%', 1, '%s'",
];

it.each(values)("should print as Node does: %s", async (args) => {
  const expected = format(...(new Function(`return [${args}]`)() as unknown[]));
  expect(await print(`console.log(${args})`)).toEqual(out(expected));
});

it("should print one entry for each line, on the stream of the method", async () => {
  const logs = await print(
    "console.log('a\\nb'); console.info(1); console.debug(2); console.warn('w'); console.error('e'); console.log()",
  );
  expect(logs.map(({ stream, text }) => `${stream} ${text}`)).toEqual([
    "stdout a",
    "stdout b",
    "stdout 1",
    "stdout 2",
    "stderr w",
    "stderr e",
    "stdout ",
  ]);
});

it("should print errors with their line, and groups with a margin", async () => {
  expect(await print("console.log(new RangeError('far'))")).toEqual(out("RangeError: far\n    at line 1"));
  expect(await print("console.log([new RangeError('far')])")).toEqual(out("[ [RangeError: far] ]"));
  expect(await print("console.group('g'); console.log('in'); console.groupEnd(); console.log('out')")).toEqual(
    out("g\n  in\nout"),
  );
  expect(await print("console.assert(1 === 1, 'no'); console.assert(false, 'is %s', 'so')")).toEqual([
    { stream: "stderr", text: "Assertion failed: is so" },
  ]);
});

it("should say of a promise that nobody awaited it", async () => {
  expect(await print("console.log({ p: Promise.resolve(1) })")).toEqual(out("{ p: Promise { <not awaited> } }"));
});

it("should print what cannot be printed, and run no getter for it", async () => {
  expect(await print("console.log(new Proxy({}, { ownKeys() { throw 1 } }))")).toEqual(
    out("[an object that cannot be printed]"),
  );
  const run = await sandbox.run("let ran = 0; console.log({ get a() { ran++ } }); return ran");
  expect(run).toMatchObject({ value: 0, logs: out("{ a: [Getter] }") });
});

it("should keep the beginning and the end of much output, with a mark between them, and go on", async () => {
  const small = sharedSandbox("javascript", { limits: { maxLogBytes: 20 } });
  const run = await small.run(
    "for (let i = 0; i < 1000; i++) console.log('line ' + i);\nconsole.error('é'.repeat(100));\nreturn 'on'",
  );
  expect(run).toMatchObject({ status: "ok", value: "on" });
  const [first, mark, end] = run.logs.map(({ text }) => text);
  expect([first, end]).toEqual(["line 0", "é".repeat(6)]);
  expect(mark).toMatch(/^\[\d+ bytes of output are left out here, 999 whole lines\]$/);
  expect(run.stats.warnings).toEqual([expect.stringMatching(/^output of more than 20 bytes: \d+ in the middle/)]);
  const wide = await small.run("console.log('é'.repeat(100)); return 1");
  expect(wide.logs.map(({ text }) => text)).toEqual([
    "é".repeat(4),
    expect.stringContaining("left out"),
    "é".repeat(5),
  ]);
  const exact = await small.run("console.log('abcdefghi'); console.log('123456789'); return 1");
  expect(exact.logs.map(({ text }) => text)).toEqual(["abcdefghi", "123456789"]);
  expect(exact.stats.warnings).toEqual([]);
});

it("should hand on what a program prints while it still runs", async () => {
  const hurried = sharedSandbox("javascript", { limits: { timeoutMs: 1000 } });
  const seen: string[] = [];
  let seenAtEnd = -1;
  const ended = hurried.run("console.log('early');\nfor (;;);", { onLog: ({ text }) => seen.push(text) }).then(() => {
    seenAtEnd = seen.length;
  });
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual(["early"]);
  expect(seenAtEnd).toBe(-1);
  await ended;
});

it("should keep huge values short", async () => {
  const logs = await print(
    "console.log({ text: 'x'.repeat(1e6), list: Array(1e5).fill(1), map: new Map(Array.from({ length: 300 }, (_, i) => [i, i])) })",
  );
  const text = logs.map((entry) => entry.text).join("\n");
  expect(text).toContain("more characters");
  expect(text).toContain("... 99900 more items");
  expect(text).toContain("... 200 more items");
  expect(text.length).toBeLessThan(20_000);
});
