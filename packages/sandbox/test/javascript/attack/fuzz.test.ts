import type { AnyTool } from "@toolglot/core";
import { share } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { SandboxRun } from "../../../src/run-types.ts";
import { javascriptSandbox } from "../../own-sandbox.ts";
import { tool } from "../../support.ts";
import { corpusPrograms, programTools } from "../support.ts";

const seed = 20_261_122;
const long = 1_800_000;

let values: unknown[] = [];
let received: unknown[] = [];
const valueTools: AnyTool[] = [
  tool("values", {}, () => values),
  tool("give", { value: {} }, ({ value }: { value: unknown }) => {
    received.push(value);
    return value;
  }),
];

const limits = { timeoutMs: 300, maxToolCalls: 30, toolTimeMs: 2000 };
const pool = { size: 2, maxConcurrency: 2 };
const sandbox = javascriptSandbox({ limits, tools: programTools, pool });
const carrier = javascriptSandbox({ limits: { maxToolCalls: 1000 }, tools: valueTools });
afterAll(() => Promise.all([sandbox, carrier].map((each) => each[Symbol.asyncDispose]())));

/** Whatever a program is, its run comes to an outcome that says so, and the interpreter is never to blame. */
function expectOutcome(run: SandboxRun): void {
  expect(["ok", "error"]).toContain(run.status);
  if (run.status === "ok") {
    expect(run.value === undefined ? "undefined" : JSON.stringify(run.value)).not.toBe("undefined");
    return;
  }
  const { type, message, line, column } = run.error;
  expect(type, message).not.toBe("EngineFailure");
  expect(type).not.toBe("");
  expect(message).not.toContain("packages/sandbox");
  for (const place of [line, column]) expect(place === undefined || (Number.isInteger(place) && place > 0)).toBe(true);
}

const pieces =
  "( ) { } [ ] ; , . ... ?. ?? ??= => = == === + - * / % ** ++ -- ! ~ & | ^ << >>> < > ? : ` ' \" \\ /* */ // <!-- --> # #x @ 0 1 1n 1e999 0x .5 a b _ $ __result__ __proto__ constructor prototype then toJSON await async function class extends super this new typeof void delete return throw try catch finally if else for while do switch case default break continue let const var in of instanceof yield import export with static get set null undefined true NaN eval arguments globalThis Object Array Promise Proxy Reflect Symbol JSON Map Error ToolError console.log add get_user echo wait (()=>1) [1,2] {a:1} 'text' /x+/gu `t` Symbol.iterator .call .length .constructor";
const token = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...pieces.split(" ")) },
  { weight: 1, arbitrary: fc.constantFrom("\u0024{", "\n", "\r\n", "\u2028", "\0", "\ufeff", "\ud800", "😀") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
);

const soups = share("rows of tokens", 25, 10_000);

it(
  `should survive any row of tokens: ${soups.told}`,
  async () => {
    const soup = fc.array(token, { minLength: 1, maxLength: 40 }).map((tokens) => tokens.join(" "));
    await fc.assert(
      fc.asyncProperty(soup, async (code) => expectOutcome(await sandbox.run(code))),
      { seed, numRuns: soups.count },
    );
  },
  long,
);

const programs = corpusPrograms().filter(({ name }) => !["big but bounded work", "many promises"].includes(name));

/** A change of a text: where (0 to 1), how far, and what. */
const change = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat(30),
  fc.oneof(
    token.map((text) => ({ kind: "put" as const, text })),
    fc.constant({ kind: "drop" as const, text: "" }),
    fc.constant({ kind: "repeat" as const, text: "" }),
    fc.constantFrom(...programs).map(({ code }) => ({ kind: "graft" as const, text: code })),
  ),
);

function mutate(
  code: string,
  [where, length, { kind, text }]: [number, number, { kind: string; text: string }],
): string {
  const at = Math.floor(where * code.length);
  const [head, middle, tail] = [code.slice(0, at), code.slice(at, at + length), code.slice(at + length)];
  if (kind === "put") return head + text + middle + tail;
  if (kind === "repeat") return head + middle + middle + tail;
  const donor = Math.floor(where * text.length);
  return kind === "graft" ? head + text.slice(donor, donor + length * 3) + tail : head + tail;
}

const mutants = share("programs", 25, 10_000);

it(
  `should survive programs that were changed at random: ${mutants.told}`,
  async () => {
    const mutant = fc
      .tuple(fc.constantFrom(...programs), fc.array(change, { minLength: 1, maxLength: 4 }))
      .map(([{ code }, changes]) => changes.reduce(mutate, code));
    await fc.assert(
      fc.asyncProperty(mutant, async (code) => expectOutcome(await sandbox.run(code))),
      { seed, numRuns: mutants.count },
    );
  },
  long,
);

const stripped = ["__proto__", "constructor", "prototype"];

/** What must come of a value: JSON as JSON does it, less the keys of prototypes. */
function expected(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).filter(([key]) => !stripped.includes(key)));
  });
}

const key = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "__proto__",
      "constructor",
      "prototype",
      "then",
      "toJSON",
      "0",
      "-1",
      "",
      "length",
      "type",
      "value",
    ),
  },
);
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 2 ** 53, -(2 ** 53) - 2, 1e300, 5e-324, 1e21, ""),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: fc.constantFrom("\ud800", "\udc00", "\0", "\u2028", '"', "\\", "é", "😀", "\x7f"), maxLength: 6 }),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.uniqueArray(fc.tuple(key, tie("value")), { selector: ([name]) => name, maxLength: 4 }).map((entries) => {
      const object = {};
      for (const [name, value] of entries) {
        Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
      }
      return object;
    }),
  ),
})).value;

const lists = share("lists of values", 8, 2000);

it(
  `should bring any JSON through arguments, answers and results as it was: ${lists.told}`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(json, { maxLength: 20 }), async (given) => {
        values = given;
        received = [];
        const run = await carrier.run(`
        const all = await values({});
        const back = [];
        for (const value of all) back.push(await give({ value }));
        const together = await Promise.all(all.map((value) => give({ value })));
        return { all, back, together };`);
        const same = expected(given) as unknown[];
        expect(run.status === "ok" ? run.value : run.error).toEqual({ all: same, back: same, together: same });
        expect(received).toEqual([...same, ...same]);
        expect(run.stats.conversions.filter(({ to }) => to !== "dropped")).toEqual([]);
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      }),
      { seed, numRuns: lists.count },
    );
  },
  long,
);

it(
  `should bring any JSON that a program writes itself out as it was: ${lists.told}`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(json, { maxLength: 20 }), async (given) => {
        const text = JSON.stringify(JSON.stringify(given));
        const run = await carrier.run(`return JSON.parse(${text});`);
        expect(run.status === "ok" ? run.value : run.error).toEqual(expected(given));
      }),
      { seed, numRuns: lists.count },
    );
  },
  long,
);
