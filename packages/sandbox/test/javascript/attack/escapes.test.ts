import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AnyTool, ToolError } from "@toolglot/core";
import { drawn, isLong, leftToCi, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/node/index.ts";
import { Canary } from "../../canary.ts";
import { addTool, readSections, tool } from "../../support.ts";
import { look, lookFresh, looksAfter, threads } from "./clean-program.ts";

const canary = new Canary();
const { secret, file, mark } = canary;
const [root = ""] = import.meta.dirname.split("/packages/");
beforeAll(() => canary.open());

/** Keys of everything in `value`, at any depth. */
function allKeys(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Reflect.ownKeys(value).flatMap((key) => [
    String(key),
    ...allKeys(Object.getOwnPropertyDescriptor(value, key)?.value),
  ]);
}

const tools: AnyTool[] = [
  addTool,
  tool("echo", { value: {} }, ({ value }: { value: unknown }) => value),
  tool("keys", {}, (args) => allKeys(args), { additionalProperties: {} }),
  tool("poisoned", {}, () =>
    JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":{"polluted":1}}}',
    ),
  ),
  tool("plain_error", {}, () => {
    throw new ToolError('read /etc/hosts first, see https://example.com/help?x=1 (é "q")');
  }),
  tool("secret_error", {}, () => {
    const message = `cannot open ${file} for https://user:${secret}@example.com/?token=${secret}`;
    throw Object.assign(new Error(message, { cause: new Error(secret) }), { path: file, token: secret });
  }),
  tool(
    "destroy",
    {},
    () => {
      writeFileSync(mark, "destroyed");
      return "destroyed";
    },
    { annotations: { destructiveHint: true } },
  ),
];

afterAll(() => canary.close());

/** Tries what a Function constructor of the host could do. Gives the outcomes as text. */
const reach = `const reach = async (make) => {
  const out = [];
  for (const body of [
    "return process.env.TOOLGLOT_CANARY",
    "return JSON.stringify(process.env)",
    "return process.getBuiltinModule('fs').readFileSync('{FILE}', 'utf8')",
    "return process.mainModule.require('fs').writeFileSync('{MARK}', 'x')",
    "return require('node:fs').readFileSync('{FILE}', 'utf8')",
    "return import('node:fs').then((fs) => fs.readFileSync('{FILE}', 'utf8'))",
    "return fetch('http://127.0.0.1:{PORT}').then((r) => r.text())",
    "return new Worker('{FILE}')",
    "return globalThis.constructor.constructor('return process')().env.TOOLGLOT_CANARY",
    "return std.loadFile('{FILE}')",
  ]) {
    try { out.push(String(await make(body)())); } catch (e) { out.push(String(e)); }
  }
  return out;
};`;

const odd = { NUL: "\0", BOM: "\ufeff", LS: "\u2028", LONE: "\ud800" };
const fill = (code: string): string => canary.fill(code.replace("{REACH}", reach), odd);

/** What a program could have changed in this process without leaving a file. */
function hostGlobals(): string[] {
  const objects = { Object, Array, Function, Promise, JSON, Reflect, Map, String, Error, globalThis, process };
  return Object.entries(objects).flatMap(([name, object]) =>
    [object, (object as { prototype?: object }).prototype].map((each) =>
      each ? `${name}: ${Reflect.ownKeys(each).map(String).join(" ")}` : "",
    ),
  );
}

const before = hostGlobals();
const attempts = readSections(new URL("./escape-attempts.txt", import.meta.url)).map(({ name, code }) => {
  const [what = "", wanted = ""] = name.split(" → ");
  return { what, wanted, code: code.replace(/\n$/, "") };
});

it("should hold at least sixty attempts, each named once and with its outcome", () => {
  expect(attempts.length).toBeGreaterThanOrEqual(60);
  expect(new Set(attempts.map(({ what }) => what)).size).toBe(attempts.length);
  expect(attempts.filter(({ wanted }) => wanted === "")).toEqual([]);
});

describe.each([
  ["each in a thread of its own", someOf(attempts, 12), 6],
  ["one after another in one thread", someOf(attempts, 60), 40],
] as const)("attempts, %s", (how, some, sampled) => {
  const make = (): Sandbox =>
    createSandbox({ language: "javascript", tools, limits: { timeoutMs: 60_000 }, ...threads[how] });
  const sandbox = make();
  let fresh: Awaited<ReturnType<typeof lookFresh>>;
  beforeAll(async () => {
    fresh = await lookFresh(make);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  const sample = drawn(some, sampled);

  it.for(some)("should reach nothing: $what", async (attempt, context) => {
    leftToCi(context, sample.includes(attempt));
    const { wanted, code } = attempt;
    const run = await sandbox.run(fill(code));
    // What the program gave to a tool or to the host comes back as it is: only what it learned counts.
    const text = JSON.stringify({ ...run, error: run.status === "error" ? { ...run.error, sourceLine: "" } : null });
    const told = [secret, "REACHED", "BROKE OUT", root].filter((each) => text.includes(each));
    expect(told, text.slice(0, 600)).toEqual([]);
    expect(existsSync(mark)).toBe(false);
    expect(readFileSync(file, "utf8")).toBe(secret);
    expect(canary.connections).toBe(0);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(hostGlobals()).toEqual(before);
    const outcome = run.status === "ok" ? "ok" : run.error.type;
    expect(outcome, text.slice(0, 600)).not.toBe("EngineFailure");
    expect(outcome, text.slice(0, 600)).not.toBe("Timeout");
    if (run.status === "error" && run.error.line !== undefined) {
      expect(run.error.line).toBeLessThanOrEqual(code.split(/\r\n|[\n\r\u2028\u2029]/).length);
    }
    if (wanted === "ok") expect(outcome, text.slice(0, 600)).toBe("ok");
    else if (/^[["{\d]|^(true|false|null)$/.test(wanted))
      expect(run.status === "ok" ? run.value : run.error).toEqual(JSON.parse(wanted));
    else if (wanted !== "any") expect(wanted.split("|"), text.slice(0, 600)).toContain(outcome);
    if (looksAfter(isLong ? some : sample, attempt)) expect(await look(sandbox)).toEqual(fresh);
  });
});
