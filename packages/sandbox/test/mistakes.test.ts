import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { afterAll, expect, it } from "vitest";
import {
  codeTools,
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxRunOptions,
  sandboxExecutor,
} from "../src/node/index.ts";
import { addTool } from "./support.ts";

const sandbox = createSandbox({ language: "javascript", tools: [addTool], pool: { size: 0 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

const schemaOf = (inputSchema: unknown) => [{ name: "x", description: "", inputSchema, execute: () => 1 }];

it.each([
  [{ limits: null }, /limits must be an object/],
  [{ limits: 5 }, /limits must be an object/],
  [{ timeoutMs: 5 }, /timeoutMs is a limit: give it as limits: \{ timeoutMs \}/],
  [{ pool: 5 }, /pool must be an object/],
  [{ pool: { max: 5 } }, /pool has no option "max"\. It has: size, maxConcurrency, maxWaiting/],
  [{ pool: { size: Number.NaN } }, /pool.size must be a whole number from 0 to 64, not NaN/],
  [{ tool: [] }, /createSandbox\(\) has no option "tool"\. Did you mean "tools"\?/],
  [{ seeds: 1 }, /createSandbox\(\) has no option "seeds"\. Did you mean "seed"\?/],
  [{ guard: "no" }, /guard must be true or false/],
  [{ tools: schemaOf(null) }, /each with name, inputSchema and execute/],
  [{ tools: [{ ...addTool, name: "" }] }, /each with name, inputSchema and execute/],
  [{ tools: schemaOf({ "~standard": {}, type: "object" }) }, /must be JSON Schema: make the tool with defineTool/],
  [{ tools: schemaOf({ properties: null }) }, /The inputSchema of x must be the JSON Schema of an object/],
  [{ tools: schemaOf({ properties: { a: null } }) }, /The inputSchema of x/],
  [{ tools: schemaOf({ properties: {}, required: "a" }) }, /The inputSchema of x/],
  [{ tools: schemaOf({ properties: { a: { default: 5n } } }) }, /The inputSchema of x/],
])("should throw at once, with the cure, for createSandbox with %o", (options, message) => {
  const make = () => createSandbox({ language: "javascript", ...options } as SandboxOptions);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(message);
});

it.each([
  [null, /The run takes an object of options/],
  ["fast", /The run takes an object of options/],
  [{ limits: { timeoutMs: 5 } }, /limits are those of the sandbox: give them to createSandbox/],
  [{ signal: new AbortController() }, /signal must be an AbortSignal/],
  [{ tools: {} }, /tools must be an array/],
  [{ callIdPrefix: 5 }, /callIdPrefix must be text/],
  [{ approve: true }, /approve must be a function/],
  [{ onLog: "print" }, /onLog must be a function/],
  [{ durable: null }, /durable must be an object/],
  [{ onLogs: () => {} }, /has no option "onLogs"\. Did you mean "onLog"\?/],
  [
    { durable: { storage: { operations: new MemoryOperationLog() }, id: "x", leaseMS: 5 } },
    /durable has no option "leaseMS"\. Did you mean "leaseMs"\?/,
  ],
])("should reject a run with %o, with the cure", async (options, message) => {
  const run = sandbox.run("return 1", options as unknown as SandboxRunOptions);
  await expect(run).rejects.toThrow(TypeError);
  await expect(run).rejects.toThrow(message);
  expect(sandbox.stats()).toMatchObject({ started: 0, running: 0 });
});

it("should reject to resume nothing, or with options that make no sense", async () => {
  await expect(sandbox.resume(undefined as never)).rejects.toThrow(/durable needs options: \{ storage, id \}/);
  await expect(sandbox.resume({} as never, null as never)).rejects.toThrow(/The run takes an object of options/);
});

it.each([codeTools, sandboxExecutor])(
  "should take nothing but a sandbox, and options that make sense, in %o",
  (take) => {
    const given = take as (sandbox: Sandbox, options?: object) => unknown;
    expect(() => given(undefined as never)).toThrow(/takes a sandbox, made with createSandbox/);
    expect(() => given({} as never)).toThrow(/takes a sandbox, made with createSandbox/);
    expect(() => given(sandbox, { tools: {} })).toThrow(/tools must be an array/);
    expect(() => given(sandbox, { tools: [null] })).toThrow(/tools\[0\] must be an object, not null/);
    expect(() => given(sandbox, { imports: "all" })).toThrow(/imports must be/);
    expect(() => given(sandbox, { import: "refuse" })).toThrow(/has no option "import"\. Did you mean "imports"\?/);
  },
);

it("should know the languages of descriptions", () => {
  expect(() => codeTools(sandbox, { locale: "de" as never })).toThrow(/locale must be "zh" or "en", not "de"/);
});

it("should refuse to run under Deno, where its walls would not stand", () => {
  const { versions } = process;
  Object.defineProperty(process, "versions", { value: { ...versions, deno: "2.9.6" } });
  try {
    expect(() => createSandbox({ language: "javascript" })).toThrow(
      expect.objectContaining({ code: "sandbox/runtime-unsupported", data: { runtime: "Deno 2.9.6" } }),
    );
  } finally {
    Object.defineProperty(process, "versions", { value: versions });
  }
});
