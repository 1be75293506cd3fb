import { share } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { SandboxRun } from "../../src/node/index.ts";
import { pythonSandbox } from "../own-sandbox.ts";
import { addTool, readSections, tool } from "../support.ts";
import { inGroups } from "./support.ts";

const seed = 20_261_122;
const long = 3_600_000;
const limits = { timeoutMs: 600, maxToolCalls: 20 };
const sandbox = pythonSandbox({ limits, tools: [addTool], pool: { size: 0 } });
const reader = pythonSandbox({ limits: { timeoutMs: 900_000 }, guard: false, pool: { size: 0 } });
afterAll(() => Promise.all([sandbox, reader].map((each) => each[Symbol.asyncDispose]())));

const programs = readSections(new URL("./corpus/programs.txt", import.meta.url)).map(({ code }) => code);

const words =
  '( ) { } [ ] : , ; . = == := -> @ + - * / // % ** << >> & | ^ ~ < > != ... \\ \' " """ # 0 1 1e999 0x 1_0 1j a b x _ __x__ __class__ ' +
  "__globals__ __match_args__ __result__ False None True and as assert async await break class continue def del elif else " +
  "except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case " +
  "type print len range list dict str int getattr type super open eval exec add math json re random datetime statistics " +
  "ToolError Exception .format .append .__init__ f'{x}' f'{x!r:>{y}}' t'{x}' b'x' r'\\' rb'' u'x' except* *args **kw (x for x in y) [1,2] {1:2} {1,2} lambda: def f(): class C:";
const token = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...words.split(" ")) },
  { weight: 6, arbitrary: fc.constantFrom("\n", "\n    ", "\n        ", "\n\t", ":\n    ") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\0", "\r", "\f", "\ufeff", "\ud800", "ｅval", "\u2028", "😀", "\\N{BULLET}"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
);
const soup = fc.array(token, { minLength: 1, maxLength: 60 }).map((tokens) => tokens.join(" "));
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }).map((codes) => String.fromCharCode(...codes)),
);

/** A program of the corpus with some of it gone, doubled, changed, or taken from another. */
const mutated = fc
  .tuple(
    fc.constantFrom(...programs),
    fc.array(fc.tuple(fc.nat(), fc.nat(60), fc.nat(3), token, fc.constantFrom(...programs)), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([program, edits]) => {
    let code = program;
    for (const [place, length, kind, text, other] of edits) {
      const at = place % (code.length + 1);
      const gone = code.slice(at, at + length);
      const instead = [text, "", gone + gone, other.slice(place % other.length, (place % other.length) + length)][kind];
      code = code.slice(0, at) + instead + code.slice(at + length);
    }
    return code;
  });

const deep = fc
  .tuple(
    fc.constantFrom(
      ...[
        "(",
        "[",
        "{1:",
        "{",
        "-",
        "~",
        "not ",
        "lambda:",
        "f(",
        "x[",
        "x.",
        "*",
        "await ",
        "1+",
        "1 if 1 else ",
        "a=",
        "f'{",
        "@",
      ],
      ...[
        "x:=(",
        "[x for x in ",
        "(yield ",
        "1<",
        "1**",
        "'a' 'b' ",
        "x,",
        "not(",
        "t'{",
        "else:",
        "match x:\n case ",
        "del ",
        "",
      ],
    ),
    fc.integer({ min: 10, max: 20_000 }),
    fc.constantFrom("1", "", "x", ")", "]"),
  )
  .map(
    ([opener, count, end]) => opener.repeat(Math.min(count, Math.floor(120_000 / Math.max(1, opener.length)))) + end,
  );
const nested = fc
  .tuple(
    fc.constantFrom("if 1:", "def f():", "class C:", "for x in y:", "try:", "with x:", "while 1:"),
    fc.integer({ min: 2, max: 300 }),
  )
  .map(([head, depth]) => Array.from({ length: depth }, (_, level) => " ".repeat(level) + head).join("\n"));
const wide = fc
  .tuple(
    fc.constantFrom("x=1;", "a+", "x and ", "'é',", "f(x)(", "\\\n", "\n", " ", "#", "x=", "1,", "\t", "é"),
    fc.integer({ min: 10_000, max: 60_000 }),
  )
  .map(([piece, count]) => piece.repeat(Math.min(count, Math.floor(100_000 / piece.length))));

const special =
  "Timeout MemoryError Aborted MissingResult ImportForbidden ForbiddenName ToolCallLimit ResultTooLarge SourceTooLarge ToolError";

/** Whatever a program is, its run comes to an outcome that says so, and the interpreter is never to blame. */
function expectOutcome(run: SandboxRun, code: string): void {
  expect(["ok", "error"]).toContain(run.status);
  expect(run.stats.memoryMb ?? 0).toBeLessThanOrEqual(256);
  if (run.status === "ok") {
    expect(JSON.stringify(run.value)).toEqual(expect.any(String));
    return;
  }
  const { type, message, line, column } = run.error;
  expect(type, message).not.toBe("EngineFailure");
  // A class of CPython's, one of ours, or one that the program has made.
  const known = /^[A-Z]\w*(Error|Exception|Exit|Warning|Iteration|Interrupt|Group)$/.test(type);
  expect(known || special.split(" ").includes(type) || code.includes(type), `${type}: ${message}`).toBe(true);
  expect(message).not.toContain("toolglot_guest");
  for (const place of [line, column]) expect(place === undefined || (Number.isInteger(place) && place > 0)).toBe(true);
}

async function survive(sources: fc.Arbitrary<string>, numRuns: number): Promise<void> {
  // Without shrinking: each step is a process.
  await fc.assert(
    fc.asyncProperty(sources, async (code) => expectOutcome(await sandbox.run(code), code)),
    { seed, numRuns, endOnFailure: true },
  );
}

const senseless = share("sources", 1, 300);

it(
  `should end every run of a source without sense in an outcome: ${senseless.told}`,
  async () => {
    await survive(fc.oneof(soup, anyText, mutated), senseless.count);
  },
  long,
);

const large = share("sources", 1, 150);

it(
  `should end every run of a source that is deep or wide in an outcome: ${large.told}`,
  async () => {
    await survive(fc.oneof(deep, nested, wide), large.count);
  },
  long,
);

// The guard's reading and the compiler, thousands of times in one interpreter.
const read = share("sources", 200, 20_000);

it(
  `should read any source with no error but those it is made for: ${read.told}`,
  async () => {
    const sources = fc.sample(fc.oneof(soup, anyText, mutated), { seed, numRuns: read.count });
    const harness = `
import ast
from toolglot_guest import guard, library, safe_builtins
import warnings
warnings.simplefilter("ignore")
available = safe_builtins.TABLE.keys() | library.LIBRARIES.keys() | {"add", "ToolError"}
odd, seen = [], {}
for code in json.loads(sources()):
    try:
        tree = ast.parse(code, guard.PROGRAM)
        guard.check(tree, available, library.MODULES, len(code) % 2 == 0, [])
        compile(tree, guard.PROGRAM, "exec")
        kind = "compiled"
    except (guard.Refused, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        kind = type(error).__name__
        if kind == "ValueError" and "tree" in locals() and not ("null" in str(error) or "surrogates" in str(error)):
            odd.append([f"{kind}: {error}", code])
    except BaseException as error:
        odd.append([f"{type(error).__name__}: {error}", code])
    seen[kind] = seen.get(kind, 0) + 1
__result__ = [seen, odd[:20]]`;
    for (const group of inGroups(sources, 2000)) {
      const run = await reader.run(harness, { tools: [tool("sources", {}, () => JSON.stringify(group))] });
      if (run.status === "error") throw new Error(JSON.stringify(run.error));
      const [seen, odd] = run.value as [Record<string, number>, unknown[]];
      expect(odd).toEqual([]);
      // Sources of each fate are among them.
      for (const fate of ["compiled", "Refused", "SyntaxError"]) expect(seen[fate]).toBeGreaterThan(0);
    }
  },
  long,
);
