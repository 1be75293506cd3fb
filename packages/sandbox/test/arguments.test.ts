import type { AnyTool, JsonSchema } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { toInputSchema } from "@toolglot/schema";
import { beforeEach, describe, expect, it } from "vitest";
import { createSandbox, type SandboxLanguage } from "../src/node/index.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

let seen: unknown[] = [];
beforeEach(() => {
  seen = [];
});
const execute = async (input: unknown) => {
  seen.push(input);
  return "paid";
};
const properties: Record<string, JsonSchema> = {
  amount: { type: "integer", minimum: 1 },
  to: {
    type: "object",
    properties: { kind: { enum: ["iban", "card"] as string[] }, note: { type: "string" } },
    required: ["kind"],
  },
  tags: { type: "array", items: { type: "string" }, maxItems: 2 },
  by: { type: "string", pattern: "^[a-z]+$" },
};
const pay: AnyTool = {
  name: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties, required: ["amount"] },
  execute,
};
const own: AnyTool = { ...pay, name: "own", validatesInput: true };
const given = { type: "object", properties: { n: { type: "integer", default: 3 } } } as const;
const defined = {
  name: "defined",
  description: "",
  inputSchema: given,
  schema: toInputSchema(given),
  execute,
} as AnyTool;
const tools = [pay, own, defined];
const sandboxes = {
  python: sharedSandbox("python", { style: "notebook", tools }),
  javascript: sharedSandbox("javascript", { style: "notebook", tools }),
};

/** A call with these arguments, in the words of both languages. */
const call = (language: SandboxLanguage, name: string, args: object): string =>
  language === "python"
    ? `${name}(**json.loads(${JSON.stringify(JSON.stringify(args))}))`
    : `await ${name}(${JSON.stringify(args)})`;

describe.each(["python", "javascript"] as const)("arguments of a plain tool, from %s", (language) => {
  const sandbox = sandboxes[language];

  it.each([
    [{ amount: "5" }, /amount is string, not integer: did you mean 5\?/],
    [{ amount: -3 }, /amount/],
    [{ amount: 1.5 }, /amount/],
    [{ amount: true }, /amount/],
    [{ amount: 1, to: { kind: "ibann" } }, /to\.kind.*iban/],
    [{ amount: 1, to: {} }, /to\.kind/],
    [{ amount: 1, tags: ["a", "b", "c"] }, /tags/],
    [{ amount: 1, tags: "a" }, /tags/],
    [{ amount: 1, by: "Ada" }, /by/],
  ])("should be refused before the tool is called: %j", async (args, message) => {
    const run = await sandbox.run(call(language, "pay", args));
    expect(run).toMatchObject({
      status: "error",
      error: { type: "ToolError", message: expect.stringMatching(message), callId: run.toolCalls[0]?.callId },
    });
    expect(run.toolCalls).toMatchObject([{ ok: false, error: { type: "InvalidInput" } }]);
    expect(seen).toEqual([]);
  });

  it("should reach the tool as they are when they fit", async () => {
    const args = { amount: 2, to: { kind: "card", note: "ä" }, tags: ["x"], by: "ada" };
    expect(await sandbox.run(call(language, "pay", args))).toMatchObject({ value: "paid" });
    expect(seen).toEqual([args]);
  });

  it("should be nobody's business when the tool validates by itself", async () => {
    await sandbox.run(call(language, "own", { amount: "5" }));
    expect(seen).toEqual([{ amount: "5" }]);
  });

  it("should be as a tool's own schema gives them", async () => {
    await sandbox.run(call(language, "defined", {}));
    expect(seen).toEqual([{ n: 3 }]);
    expect(await sandbox.run(call(language, "defined", { n: "x" }))).toMatchObject({ error: { type: "ToolError" } });
  });

  it("should be caught by the program, which may call again", async () => {
    const code =
      language === "python"
        ? "try:\n    pay(amount='5')\nexcept ToolError:\n    r = pay(amount=5)\nr"
        : "let r; try { await pay({ amount: '5' }); } catch { r = await pay({ amount: 5 }); }\nreturn r";
    expect(await sandbox.run(code)).toMatchObject({ status: "ok", value: "paid" });
    expect(seen).toEqual([{ amount: 5 }]);
  });

  it("should ask nobody for an approval of what does not fit", async () => {
    const asked: unknown[] = [];
    const run = await sandbox.run(call(language, "pay", { amount: 0 }), {
      tools: [{ ...pay, annotations: { requiresApproval: true } }],
      approve: async (request) => {
        asked.push(request);
        return { approved: true };
      },
    });
    expect([run.status, asked, seen]).toEqual(["error", [], []]);
  });

  it("should come to the same when a journal repeats them, with what was noted", async () => {
    const log = new MemoryOperationLog();
    const dates = { ...own, execute: () => ({ at: new Date(0) }) };
    const code =
      language === "python"
        ? "try:\n    pay(amount='5')\nexcept ToolError as e:\n    s = str(e)\n[s, own(amount=(1,))]"
        : "let s; try { await pay({ amount: '5' }); } catch (e) { s = e.message; }\nreturn [s, await own({ amount: new Set([1]) })]";
    const options = { tools: [dates], durable: { storage: { operations: log }, id: `run-${language}` } };
    const first = await sandbox.run(code, options);
    const stats = {
      conversions: [
        { callId: `run-${language}:2`, path: "amount" },
        { callId: `run-${language}:2`, path: "at", from: "Date" },
      ],
    };
    expect(first).toMatchObject({
      status: "ok",
      value: [expect.stringContaining("did you mean 5?"), { at: "1970-01-01T00:00:00.000Z" }],
      stats,
    });
    expect(await sandbox.run(code, options)).toMatchObject({
      status: "ok",
      value: first.status === "ok" && first.value,
      stats,
    });
    expect(seen).toEqual([]);
  });
});

it("should say at once that a schema is none", () => {
  const broken = { ...pay, inputSchema: { type: "object", properties: { a: { type: "text" } } } } as unknown as AnyTool;
  expect(() => createSandbox({ language: "javascript", tools: [broken] })).toThrow(TypeError);
});

it("should not be slow, whatever a program gives to a pattern", async () => {
  const slow = {
    ...pay,
    name: "slow",
    inputSchema: { type: "object", properties: { x: { type: "string", pattern: "^(a+)+$" } } },
  } as const;
  const began = performance.now();
  const run = await sandboxes.javascript.run("await slow({ x: 'a'.repeat(5000) + '!' })", { tools: [slow] });
  expect([run.status, seen, performance.now() - began < 2000]).toEqual(["error", [], true]);
});
