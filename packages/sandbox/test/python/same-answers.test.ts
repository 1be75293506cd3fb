import { drawn, isLong, leftToCi, someOf } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { createSandbox, type SandboxRun } from "../../src/node/index.ts";
import { addTool, readSections, tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { SharedInterpreter } from "./shared-interpreter.ts";

// Most tests of what a program means share an interpreter. These programs go through the real thing as well, some with a
// process of their own each (all in test:long), and must answer alike.
const echo = tool("echo", { value: true }, ({ value }: { value: unknown }) => value);
const imports = "ignore-allowed";
const options = { tools: [addTool, echo] };
const alone = createSandbox({ language: "python", ...options, pool: { size: 0 } });
const kept = sharedSandbox("python", options);
const shared = new SharedInterpreter({ ...options, imports });
afterAll(() => Promise.all([alone, shared].map((each) => each[Symbol.asyncDispose]())));

const corpus = readSections(new URL("./corpus/programs.txt", import.meta.url)).filter((_, index) => index % 28 === 0);
const programs = [
  "print('a', 1)\nimport sys",
  "from random import random\n__result__ = [random() < 1, add(1), echo(map(str, [1]))]",
  "__result__ = {1: 1, '1': 2}",
  "def main():\n    __result__ = 1\nmain()",
  "x = (",
  "total = add(1)\nprint('total', total)",
  "add(1)\nraise ValueError('a')",
  "__result__ = getattr(add, '__glo' + 'bals__')",
  "@dataclasses.dataclass\nclass P:\n    x: int\n__result__ = [P(1), lambda: 1, {3, 1}, decimal.Decimal('1.5'), float('nan')]",
  "__result__ = add('1', nope=2)",
  "from json import nope",
  "print('x')\nprint('y', end='')\n__result__ = serch",
  "__result__ = [sum(range(10)), datetime(2024, 1, 2), statistics.mean([1, 3]), re.findall('a', 'aa')]",
  "try:\n    echo({1: 1, '1': 2})\nexcept TypeError as error:\n    __result__ = str(error)",
];

function seen(run: SandboxRun): unknown {
  const { conversions, warnings } = run.stats;
  const calls = run.toolCalls.map(({ name, args, ok }) => ({ name, args, ok }));
  // What became of arguments is seen where calls are made, which the shared interpreter's host does by itself.
  const own = conversions.filter(({ callId }) => callId === undefined);
  return { outcome: run.status === "ok" ? run.value : run.error, logs: run.logs, calls, conversions: own, warnings };
}

const all = [...programs, ...corpus.map(({ code }) => code)];
const sample = drawn(all, 3);
const some = someOf(all, 9);

it.for(some)("should answer alike alone and in company: %s", async (code, context) => {
  leftToCi(context, sample.includes(code));
  const sandbox = isLong || sample.includes(code) ? alone : kept;
  expect(seen(await sandbox.run(code, { imports }))).toEqual(seen(await shared.run(code)));
});
