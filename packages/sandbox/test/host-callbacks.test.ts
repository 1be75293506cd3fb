import { leftToCi } from "@toolglot/internal/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ToolError } from "../src/node/index.ts";
import { tool } from "./support.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

/** An error whose message is what it is given. */
class Odd extends Error {
  constructor(message: unknown) {
    super();
    this.message = message as string;
  }
}
const told = new ToolError("x");
told.message = 5 as never;
const trap = () => {
  throw new Error("trap");
};

const thrown: Record<string, unknown> = {
  a_text: "no such order",
  nothing: undefined,
  a_null: null,
  a_number: 42,
  an_object: { message: "of the host" },
  a_symbol: Symbol("q"),
  object_as_message: new Odd({ a: 1 }),
  no_message: new Odd(undefined),
  throwing_message: Object.defineProperty(new Error(), "message", { get: trap }),
  a_proxy: new Proxy(new Error("q"), { get: trap, getPrototypeOf: trap }),
  tool_error_with_a_number: told,
};
const tools = [
  ...Object.entries(thrown).map(([name, error]) =>
    tool(name, {}, () => {
      throw error;
    }),
  ),
  tool("fine", {}, () => 1),
];

const unhandled: unknown[] = [];
const keep = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", keep);
});
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", keep);
  expect(unhandled).toEqual([]);
});

describe.each(["python", "javascript"] as const)("%s", (language) => {
  const sandbox = sharedSandbox(language, { tools });

  it("should make a ToolError of whatever a tool throws", async () => {
    const names = Object.keys(thrown);
    const code =
      language === "python"
        ? `__result__ = []\n${names.map((name) => `try:\n    ${name}()\nexcept ToolError as e:\n    __result__.append(str(e))`).join("\n")}`
        : `__result__ = [];\n${names.map((name) => `try { await ${name}() } catch (e) { __result__.push(e instanceof ToolError && e.message) }`).join("\n")}`;
    const run = await sandbox.run(code);
    const unknown = names.slice(1, -1).map(() => "unknown error");
    expect(run).toMatchObject({ status: "ok", value: ["no such order", ...unknown, ""] });
    expect(run.toolCalls.map(({ ok, error }) => [ok, error?.type])).toEqual(names.map(() => [false, "ToolError"]));
  });

  it("should call a tool with what the program gave, whoever changes what was shown", async (context) => {
    // What is the host's own is the same in both languages.
    leftToCi(context, language === "javascript");
    const given: unknown[] = [];
    const change = tool("change", { list: {} }, (input: { list?: number[] }) => {
      given.push(structuredClone(input));
      input.list?.push(9);
      delete input.list;
      return given.length;
    });
    change.annotations = { requiresApproval: true };
    const code = language === "python" ? "__result__ = change([1])" : "return await change({ list: [1] });";
    const spoil = ({ list }: Record<string, unknown>) => void (list as number[]).push(5);
    const calm = await sandbox.run(code, { tools: [change], approve: async () => ({ approved: true }) });
    expect(calm).toMatchObject({ status: "ok", toolCalls: [{ args: { list: [1] } }] });
    await sandbox.run(code, {
      tools: [change],
      onToolCallStart: ({ args }) => spoil(args),
      approve: async ({ input }) => {
        spoil(input as Record<string, unknown>);
        return { approved: true };
      },
    });
    expect(given).toEqual([{ list: [1] }, { list: [1] }]);
  });

  it("should ignore what observers throw, async ones too", async (context) => {
    leftToCi(context, language === "javascript");
    const fail = () => Promise.reject(new Error("of an observer"));
    const code = language === "python" ? 'print("x")\n__result__ = fine()' : 'console.log("x");\nreturn await fine();';
    const calm = await sandbox.run(code, { onLog: fail, onToolCallStart: fail, onToolCall: fail });
    expect(calm).toMatchObject({ status: "ok", value: 1, logs: [{ text: "x" }], toolCalls: [{ ok: true }] });
    expect(await sandbox.run(code, { onLog: trap, onToolCallStart: trap, onToolCall: trap })).toMatchObject({
      value: 1,
    });
  });
});
