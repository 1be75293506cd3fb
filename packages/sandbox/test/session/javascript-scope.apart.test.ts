import { memoryStorage } from "@toolglot/core/storage";
import { drawn, leftToCi, someOf } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { SandboxRun } from "../../src/node/index.ts";
import { readImage } from "../../src/node/session/image.ts";
import { corpusPrograms, programTools } from "../javascript/support.ts";
import { javascriptSandbox } from "../own-sandbox.ts";
import { seenOf } from "../python/reuse/one-at-a-time.ts";
import { imageOf, key, value } from "./support.ts";

interface Wrapped {
  text: string;
  functions: string;
  names: { name: string }[];
  lines: string[];
  place(line: number, column: number): { line: number; column: number } | undefined;
}
const { wrap } = (await import(new URL("../../guest/javascript/wrap.mjs", import.meta.url).href)) as unknown as {
  wrap(code: string, awaitsLast: boolean, notebook?: boolean, persists?: boolean): Wrapped;
};

const domain = "tests";
const reuse = { maxPrograms: 10_000, maxMs: 86_400_000 };
const limits = { timeoutMs: 60_000 };
const sandbox = javascriptSandbox({ tools: programTools, domain, reuse, limits, seed: "1" });
afterAll(() => sandbox[Symbol.asyncDispose]());

describe("what a program declares", () => {
  it.each<[string, string[]]>([
    ["let a = 1, b, c = [1, 2].map((x) => x), d", ["a", "b", "c", "d"]],
    ["const { a, b: [c, , d = f(1, 2), ...e], f: { g } = {}, ['x' + 1]: h, ...i } = o, [j] = p", [..."acdeghij"]],
    ["var a = 1\nvar b\nlet c = a\n  + 1, d\n[1].map((e) => e)", ["a", "b", "c", "d"]],
    ["let a = `\u0024{[1, 2].map((x) => `\u0024{x}, y`)}\n, z`, b = /[,;{]/.test('x'), c", ["a", "b", "c"]],
    ["if (x) /re{/.test('q'); let a = () => { let inner; const other = 1 }\nlet b", ["a", "b"]],
    ["async function* a() { let x }\nfunction b({ c } = {}) { var y } let d", ["a", "b", "d"]],
    ["class A extends f(class X {}) { static b = 1; c() { let d } } class E {}", ["A", "E"]],
    ["x = function f() {}\ny = class C {}\nz = async function g() {}", []],
    ["{ let a; const b = 1; function c() {} class D {} } for (const e of []) {} for (let f = 0;;) {}", []],
    ["let = 1; o.let; o.class; ({ function: 1, class: 2 })", []],
    ["a++\nlet b = 1\n--a\nconst c = b ? 1 : 2, d = async (x) => { await x; }", ["b", "c", "d"]],
  ])("is %j", (code, names) => {
    const found = wrap(code, false, false, true).names.map(({ name }) => name);
    expect(found.sort()).toEqual(names.sort());
  });

  it("leaves every token in its place", () => {
    const token = fc.constantFrom(
      ..."let const var class function async a b c = , ; ( ) { } [ ] => + ++ / ` ${ \" ' : . ... * in of 1 x".split(
        " ",
      ),
      ..."\n \r\n //x\n /*\n*/".split(" "),
    );
    const program = fc.array(token, { maxLength: 40 }).map((parts) => parts.join(" "));
    fc.assert(
      fc.property(fc.oneof(program, fc.string()), fc.boolean(), (code, notebook) => {
        const made = wrap(code, true, notebook, true);
        const rows = made.text.split(/\r?\n/);
        for (const [index, line] of made.lines.entries()) {
          for (const match of line.matchAll(/\b[abcx1]\b/g)) {
            const [row = "", functionRow = ""] = [rows[index], made.functions.split(/\r?\n/)[index]];
            const places = [...row.matchAll(/\b[abcx1]\b/g)].map(
              ({ index: at }) => made.place(index + 1, at + 1)?.column,
            );
            const inFunctions = [...functionRow.matchAll(/\b[abcx1]\b/g)].map(
              ({ index: at }) => made.place(index + 1, at + 1)?.column,
            );
            expect([...places, ...inFunctions]).toContain(match.index + 1);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

const programs = corpusPrograms();
const some = someOf(programs, 40);
const sample = drawn(some, 20);

describe("a program of the corpus does the same in a session as by itself", () => {
  it.for(some)("$name", async ({ name, code }, context) => {
    leftToCi(
      context,
      sample.some((one) => one.name === name),
    );
    const alone = await sandbox.run(code);
    const session = await sandbox.openSession({ domain });
    const inSession = await session.run(code);
    if (inSession.state === "kept") expect(seenOf(inSession as SandboxRun)).toEqual(seenOf(alone));
    else expect(inSession).toMatchObject({ error: { type: (alone as { error: { type: string } }).error.type } });
    await session.close({ forget: true });
  });
});

it("should lie beside the same memory in every thread, whatever the time, the place and the thread before", async () => {
  const { TZ, LANG } = process.env;
  const seen = new Set<string>();
  try {
    for (const [zone, before] of [
      ["UTC", ""],
      ["Asia/Shanghai", "return [new Date(), Math.random()];"],
      ["America/New_York", "const all = []; for (let n = 0; n < 1e5; n++) all.push({ n }); return 1;"],
    ] as const) {
      process.env.TZ = zone;
      process.env.LANG = zone;
      const storage = memoryStorage();
      await using one = javascriptSandbox({
        pool: { size: 0 },
        limits: { memoryMb: 64 + zone.length },
      });
      if (before !== "") await one.run(before);
      await using session = await one.openSession({ id: "a", storage, key });
      await value(session, "let a = new Date(); return 1;");
      seen.add(readImage(await imageOf(storage, "a", 1), { id: "a", turn: 1 }, key).head.baseHash);
    }
  } finally {
    for (const [name, was] of Object.entries({ TZ, LANG })) {
      if (was === undefined) delete process.env[name];
      else process.env[name] = was;
    }
  }
  expect(seen.size).toBe(1);
});
