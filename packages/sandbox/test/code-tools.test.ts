import type { AnyTool, ApprovalRequest, ToolContext } from "@toolglot/core";
import { leftToCi } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { codeTools, type Sandbox, ToolError } from "../src/node/index.ts";
import { addTool, tool } from "./support.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

const remove = tool("remove", { id: { type: "integer" } }, () => "removed", { annotations: { destructiveHint: true } });
const look = tool("look", {}, (_, { callId }: ToolContext) => callId, { annotations: { readOnlyHint: true } });
const python = sharedSandbox("python", { tools: [addTool, look] });

const context = (signal = new AbortController().signal): ToolContext => ({ signal, callId: "call-7" });
const first = (sandbox: Sandbox, options?: Parameters<typeof codeTools>[1]): AnyTool =>
  codeTools(sandbox, options)[0] as AnyTool;
const failure = async (run: unknown): Promise<ToolError> => {
  const error = await Promise.resolve(run).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!ToolError.isInstance(error)) throw new Error(`no ToolError: ${String(error)}`);
  return error;
};

describe("the tool", () => {
  it("should say what a program finds: the sandbox's tools, and those of its own", () => {
    const own = { ...addTool, description: "Adds better." };
    const { name, description, inputSchema } = first(python, { tools: [own, remove] });
    expect(name).toBe("executePythonCode");
    expect(description).toContain("`__result__`");
    expect(description).toContain("may work for 120 s");
    expect(description).toContain("def add(a: float, b: float = 2) -> Any:");
    expect(description).toContain("Adds better.");
    expect(description).not.toContain("The tool add.");
    expect(description).toContain("def look() -> Any:");
    expect(description).toContain("def remove(id: int) -> Any:");
    expect(inputSchema).toMatchObject({ required: ["code"], additionalProperties: false });
    expect(first(python, { locale: "zh" }).description).toMatch(/^运行一个 Python 程序[\s\S]*# ===== 可用工具列表/);
  });

  it("should hint at what its tools do", () => {
    expect(first(python).annotations).toEqual({ readOnlyHint: false, idempotentHint: false, openWorldHint: false });
    const bare = { ...python, tools: [] };
    expect(first(bare).annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
    expect(first(bare).description).not.toContain("these functions");
    const web: AnyTool = { ...look, name: "web", annotations: { idempotentHint: true, openWorldHint: true } };
    expect(first(bare, { tools: [look, web] }).annotations).toEqual({
      readOnlyHint: false,
      idempotentHint: true,
      openWorldHint: true,
    });
  });

  it("should be one for each language", () => {
    const javascript: Sandbox = { ...python, language: "javascript" };
    expect(codeTools([javascript, python]).map(({ name }) => name)).toEqual([
      "executeJavascriptCode",
      "executePythonCode",
    ]);
    expect(first(javascript).description).toContain(
      "declare function add(input: { a: number; b?: number /* default 2 */ })",
    );
    expect(() => codeTools([python, python])).toThrow(/one sandbox for each language/);
  });
});

describe("a program", () => {
  it("should give its value, what it printed, and what came out changed", async () => {
    const { execute } = first(python);
    expect(await execute({ code: "print('hi')\n__result__ = {'sum': add(1), 'at': look()}" }, context())).toEqual({
      value: { sum: 3, at: "call-7:2" },
      logs: [{ stream: "stdout", text: "hi" }],
    });
    expect((await failure(execute({ code: "import math\n__result__ = {1, 2}" }, context()))).message).toContain(
      "ImportForbidden",
    );
    const lenient = first(python, { imports: "ignore-allowed" });
    expect(await lenient.execute({ code: "import math\n__result__ = {1, 2}" }, context())).toMatchObject({
      value: [1, 2],
      warnings: [expect.stringContaining("math"), "value: set became array"],
    });
  });

  it("should count as done when it only printed, and as failed when it did not even that", async (test) => {
    // As JavaScript below does.
    leftToCi(test);
    const { execute } = first(python);
    expect(await execute({ code: "print(add(2))" }, context())).toEqual({
      value: null,
      logs: [{ stream: "stdout", text: "4" }],
    });
    expect((await failure(execute({ code: "add(2)" }, context()))).message).toContain("MissingResult");
  });

  it("should say to the model what failed, where, what to do, and what was printed before", async () => {
    const { execute } = first(python);
    const error = await failure(execute({ code: "print('one')\nx = ad(1)" }, context()));
    expect(error.message).toBe(
      "NameError: name 'ad' is not defined (line 2: x = ad(1))\nthe tool is called add\nPrinted before:\none",
    );
    expect(error.data).toMatchObject({ error: { type: "NameError", line: 2 }, toolCalls: [] });
    const long = await failure(execute({ code: "print('x' * 9999)\n1 / 0" }, context()));
    expect(long.message.length).toBeLessThan(2200);
    expect((await failure(execute({ code: 3 }, context()))).message).toContain("code must be");
  });

  it("should be denied what needs approval, unless somebody is asked", async (test) => {
    leftToCi(test);
    const code = "__result__ = remove(4)";
    const denied = await failure(first(python, { tools: [remove] }).execute({ code }, context()));
    expect(denied.message).toContain("remove was denied");
    const asked: ApprovalRequest[] = [];
    const approve = async (request: ApprovalRequest) => {
      asked.push(request);
      return { approved: true };
    };
    expect(await first(python, { tools: [remove], approve }).execute({ code }, context())).toMatchObject({
      value: "removed",
    });
    expect(asked).toMatchObject([{ kind: "tool-call", tool: "remove", callId: "call-7:1", input: { id: 4 } }]);
  });

  it("should end with the signal's reason", async () => {
    const stop = new AbortController();
    const running = first(python).execute({ code: "while True: pass" }, context(stop.signal));
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });
});

it("should run JavaScript, whose tools are async functions that take one object", async () => {
  const javascript = sharedSandbox("javascript", { tools: [addTool, look] });
  const { name, description, execute } = first(javascript, { tools: [remove] });
  expect(name).toBe("executeJavascriptCode");
  expect(description).toContain("declare function remove(input: { id: number }): Promise<unknown>;");
  const code = 'console.log("hi");\nconst [sum, at] = await Promise.all([add({ a: 1 }), look()]);\nreturn { sum, at };';
  expect(await execute({ code }, context())).toEqual({
    value: { sum: 3, at: "call-7:2" },
    logs: [{ stream: "stdout", text: "hi" }],
  });
  const wrong = await failure(execute({ code: 'console.log("one");\nreturn add(1);' }, context()));
  expect(wrong.message).toBe(
    "TypeError: add() takes one object, not a number (line 2: return add(1);)\ncall it as add({ a, b = 2 })\nPrinted before:\none",
  );
  expect(await execute({ code: "console.log(await add({ a: 2 }));" }, context())).toMatchObject({
    value: null,
    logs: [{ text: "4" }],
  });
  expect((await failure(execute({ code: "await add({ a: 2 });" }, context()))).message).toContain("MissingResult");
  expect((await failure(execute({ code: "return remove({ id: 1 });" }, context()))).message).toContain("was denied");
  const approve = async () => ({ approved: true });
  const asking = first(javascript, { tools: [remove], approve });
  expect(await asking.execute({ code: "return remove({ id: 1 });" }, context())).toMatchObject({ value: "removed" });
});
