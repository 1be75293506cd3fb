import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { readSections, tool } from "../support.ts";

// What a program must not reach: a file, a variable, a socket and a process of this host.
const secret = `canary-${Math.random().toString(36).slice(2)}-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), "toolglot-escape-"));
const file = join(folder, "canary.txt");
const mark = join(folder, "mark");
let connections = 0;
let server: Server;
let port = 0;

beforeAll(async () => {
  writeFileSync(file, secret);
  process.env.TOOLGLOT_CANARY = secret;
  server = createServer((socket) => {
    connections++;
    socket.end(secret);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address ? address.port : 0;
});

const limits = { timeoutMs: 20_000 };
const guarded = createSandbox({ language: "python", limits });
const unguarded = createSandbox({ language: "python", limits, guard: false });

afterAll(async () => {
  await guarded[Symbol.asyncDispose]();
  await unguarded[Symbol.asyncDispose]();
  server.close();
  delete process.env.TOOLGLOT_CANARY;
  rmSync(folder, { recursive: true });
});

const attempts = readSections(new URL("./escape-attempts.txt", import.meta.url));

function fill(code: string): string {
  const places: Record<string, string> = {
    FILE: file,
    MARK: mark,
    DIR: folder,
    PORT: `${port}`,
    PID: `${process.pid}`,
  };
  return code.replace(/\{(FILE|MARK|DIR|PORT|PID)\}/g, (_, name: string) => places[name] ?? "");
}

function expectUntouched(outcome: unknown): void {
  const text = JSON.stringify(outcome);
  expect(text).not.toContain(secret);
  expect(text).not.toContain("REACHED");
  expect(existsSync(mark)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe(secret);
  expect(connections).toBe(0);
}

it("should hold at least forty attempts", () => {
  expect(attempts.length).toBeGreaterThanOrEqual(40);
});

// Attempts that only fail while they run, and every sixteenth of the others; all of them with TOOLGLOT_ALL_ESCAPES=1. Each
// needs a process of its own, which is half a second of processor time.
const all = process.env.TOOLGLOT_ALL_ESCAPES === "1";
const atRunTime = ["format strings at run time"];
const endToEnd = attempts.filter(({ name }, index) => all || index % 16 === 0 || atRunTime.includes(name));

it.each(endToEnd)("should be refused by the guard: $name", async ({ code }) => {
  const run = await guarded.run(fill(code));
  expectUntouched(run);
  expect(run).toMatchObject({ status: "error", error: { line: expect.any(Number) } });
  expect(["ForbiddenName", "ImportForbidden"]).toContain(run.status === "error" && run.error.type);
});

it("should refuse every other attempt before it runs", async () => {
  const read = `
import ast
from toolglot_guest import guard, library, safe_builtins
verdicts = {}
for name, code in json.loads(attempts()):
    available = safe_builtins.TABLE.keys() | library.LIBRARIES.keys()
    try:
        guard.check(ast.parse(code), available, False, library.PUBLIC, [])
        verdicts[name] = "not refused"
    except guard.Refused as refused:
        verdicts[name] = refused.type
__result__ = verdicts`;
  const sources = tool("attempts", {}, () => JSON.stringify(attempts.map(({ name, code }) => [name, fill(code)])));
  const run = await unguarded.run(read, { tools: [sources] });
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  const verdicts = Object.entries(run.value as Record<string, string>);
  expect(verdicts.length).toBe(attempts.length);
  const passed = verdicts.filter(([, type]) => type !== "ForbiddenName" && type !== "ImportForbidden");
  expect(passed.map(([name]) => name)).toEqual(atRunTime);
});

const alone = attempts.filter(({ name }) => all || name.endsWith("(alone)"));
const together = attempts.filter((attempt) => !alone.includes(attempt));

it.each(alone)("should reach nothing without the guard: $name", async ({ code }) => {
  expectUntouched(await unguarded.run(fill(code)));
});

const groups = Array.from({ length: Math.ceil(together.length / 10) }, (_, index) =>
  together.slice(index * 10, (index + 1) * 10),
);

it.each(groups)("should reach nothing without the guard: $name and those after it", async (...group) => {
  const sources = tool("attempts", {}, () => JSON.stringify(group.map(({ code }) => fill(code))));
  const harness = `
names = dict(globals())
outcomes = []
for code in json.loads(attempts()):
    own = dict(names)
    try:
        exec(code, own)
        outcomes.append(repr(own.get("__result__")))
    except BaseException as error:
        outcomes.append(f"{type(error).__name__}: {error}")
__result__ = outcomes`;
  const run = await unguarded.run(harness, { tools: [sources] });
  expectUntouched({ ...run, toolCalls: [] });
  // Every attempt of the group had its turn.
  expect(run.status === "ok" ? run.value : run.error).toHaveLength(group.length);
});
