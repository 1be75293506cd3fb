import { type Action, type Executor, type ExecutorContext, ToolError, type ToolResult } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { defineTool, Toolkit, type ToolResponse } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { maskingExecutor, openSecrets, type SecretStore } from "../src/index.ts";
import { valueMiddleware } from "../src/toolkit.ts";
import { valuesOf } from "../src/values.ts";

const value = 'ghp_"0123456789"';
const action = { kind: "calls", calls: [] } as unknown as Action;

async function secretsWith(values: Readonly<Record<string, string>> = { TOKEN: value }) {
  const secrets = await openSecrets();
  for (const [name, text] of Object.entries(values)) await secrets.set(name, text);
  return secrets;
}

describe("maskingExecutor", () => {
  const inner = (execute: (context: ExecutorContext) => Promise<ToolResult[]>): Executor => ({
    handles: () => true,
    execute: (_action, context) => execute(context),
  });

  it("should mask results, events and approvals", async () => {
    const events: unknown[] = [];
    const asked: unknown[] = [];
    const executor = maskingExecutor(
      inner(async ({ emit, approve }) => {
        emit({ type: "tool-call-start", callId: "1", name: "t", input: { [value]: JSON.stringify({ value }) } });
        emit({ type: "log", callId: "1", entry: { level: "info", text: value } as never });
        const { approved } = await approve({ kind: "tool-call", callId: "1", input: [value], reason: value });
        return [
          { callId: "1", name: "t", status: "ok", content: [{ type: "text", text: value }], data: { approved, value } },
        ];
      }),
      await secretsWith(),
    );
    const results = await executor.execute(
      action,
      executorContext({
        emit: (event) => events.push(event),
        approve: async (request) => {
          asked.push(request);
          return { approved: true };
        },
      }),
    );
    expect(results).toEqual([
      {
        callId: "1",
        name: "t",
        status: "ok",
        content: [{ type: "text", text: "‹TOKEN›" }],
        data: { approved: true, value: "‹TOKEN›" },
      },
    ]);
    expect(JSON.stringify([events, asked])).not.toContain("0123456789");
    expect(events).toHaveLength(2);
    expect(asked).toHaveLength(1);
  });

  it("should mask what is thrown, and keep what it is", async () => {
    const cause = new TypeError(`cause ${value}`);
    const executor = maskingExecutor(
      inner(() => Promise.reject(new ToolError(`failed: ${value}`, { data: { value }, cause }))),
      await secretsWith(),
    );
    const error = await executor.execute(action, executorContext()).catch((thrown: unknown) => thrown);
    expect(ToolError.isInstance(error)).toBe(true);
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ message: "failed: ‹TOKEN›", code: "tool-error", data: { value: "‹TOKEN›" } });
    expect((error as Error).cause).toBeInstanceOf(TypeError);
    const { inspect } = await import("node:util");
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toContain("0123456789");
  });

  it("should refuse what is no executor", async () => {
    const secrets = await secretsWith();
    expect(() => maskingExecutor({} as never, secrets)).toThrow(TypeError);
    expect(() =>
      maskingExecutor(
        inner(async () => []),
        {} as never,
      ),
    ).toThrow(TypeError);
  });
});

describe("valueMiddleware", () => {
  async function call(
    input: Record<string, unknown>,
    {
      tools = { create_issue: ["TOKEN"] },
      name = "create_issue",
      secrets = secretsWith(),
      answer = (got: unknown): unknown => JSON.stringify(got),
    }: {
      tools?: Record<string, string[]>;
      name?: string;
      secrets?: ReturnType<typeof secretsWith>;
      answer?: (got: unknown) => unknown;
    } = {},
  ): Promise<{ seen: unknown[]; responses: ToolResponse[]; last: ToolResponse }> {
    const seen: unknown[] = [];
    const toolkit = new Toolkit();
    toolkit.registerToolFunction(
      defineTool({
        name,
        description: "A foreign tool.",
        input: { type: "object", additionalProperties: true },
        execute: (got: unknown) => {
          seen.push(got);
          return answer(got);
        },
      }),
    );
    toolkit.registerMiddleware(valueMiddleware(await secrets, { tools }));
    const responses: ToolResponse[] = [];
    for await (const response of toolkit.callToolFunction({ name, input })) responses.push(response);
    return { seen, responses, last: responses.at(-1) as ToolResponse };
  }
  const textOf = (response: ToolResponse | undefined): string => JSON.stringify(response?.content);

  it("should fill the values that a tool may have, once, and mask what it answers", async () => {
    const { seen, last } = await call({ auth: "Bearer $KARYI{TOKEN}", deep: [{ text: "$$KARYI{TOKEN} costs $5" }] });
    expect(seen).toEqual([{ auth: `Bearer ${value}`, deep: [{ text: "$KARYI{TOKEN} costs $5" }] }]);
    expect(last.status).toBe("ok");
    expect(textOf(last)).toContain("Bearer ‹TOKEN›");
    expect(textOf(last)).not.toContain("0123456789");
  });

  it("should not read again what was filled in", async () => {
    const secrets = secretsWith({ TOKEN: "holds $KARYI{OTHER}", OTHER: "another-value" });
    const { seen } = await call({ auth: "$KARYI{TOKEN}" }, { secrets });
    expect(seen).toEqual([{ auth: "holds $KARYI{OTHER}" }]);
  });

  it.each([
    ["a tool that is not in the table", { other: ["TOKEN"] }, "$KARYI{TOKEN}", "ValueNotAllowed"],
    ["a name that is not in the tool's row", { create_issue: ["TOKEN"] }, "$KARYI{OTHER}", "ValueNotAllowed"],
    ["a name without a value", { create_issue: ["NPM_TOKEN", "TOKEN"] }, "$KARYI{NPM_TOKEN}", "UnknownValue"],
    ["what is no name", { create_issue: ["TOKEN"] }, "$KARYI{not a name", "ValueNotAllowed"],
  ])("should refuse %s", async (_what, tools, text, type) => {
    const { seen, last } = await call({ text }, { tools });
    expect(seen).toEqual([]);
    expect(last.status).toBe("error");
    expect(last.error?.type).toBe(type);
  });

  it("should not fill keys", async () => {
    const { seen, last } = await call({ "$KARYI{TOKEN}": 1 });
    expect([seen, last.error?.type]).toEqual([[], "InvalidInput"]);
  });

  it("should refuse a kept value that can't be read, and not say why to the model", async () => {
    const store = {
      kind: "broken",
      list: async () => [{ name: "TOKEN", scope: "*", at: 1 }],
      get: () => Promise.reject(new Error("host's own words")),
    } as unknown as SecretStore;
    const secrets = openSecrets({ store: { ...store, set: async () => {} } });
    const { seen, last } = await call({ auth: "$KARYI{TOKEN}" }, { secrets });
    expect([seen, last.error?.type]).toEqual([[], "ValueLocked"]);
    expect(textOf(last)).not.toContain("own words");
  });

  it("should leave the calls of tools that fill in their own placeholders as they are", async () => {
    const input = { script: "echo $KARYI{TOKEN} $$KARYI{A}" };
    const secrets = await secretsWith();
    const before = await call(input, { name: "command", secrets: Promise.resolve(secrets) });
    expect([before.seen, before.last.error?.type]).toEqual([[], "ValueNotAllowed"]);
    valuesOf(secrets).fillingTools.add("command");
    const { seen } = await call(input, { name: "command", secrets: Promise.resolve(secrets) });
    expect(seen).toEqual([input]);
  });

  const cut = [`a ${value.slice(0, 9)}`, `${value.slice(9)} b`];
  it("should mask chunks in which a value is cut", async () => {
    const { responses } = await call(
      {},
      {
        answer: async function* () {
          yield cut[0];
          yield cut.join("");
        },
      },
    );
    expect(responses.length).toBeGreaterThan(1);
    for (const response of responses) expect(textOf(response)).not.toMatch(/ghp_|0123|789/);
    expect(textOf(responses.at(-1))).toContain("a ‹TOKEN› b");
  });

  it("should mask errors", async () => {
    const { last } = await call({}, { answer: () => Promise.reject(new ToolError(`no: ${value}`)) });
    expect(last.error?.message).toBe("no: ‹TOKEN›");
    expect(textOf(last)).not.toContain("0123456789");
  });

  it("should refuse a table that is none, and secrets of another kind", async () => {
    const secrets = await secretsWith();
    expect(() => valueMiddleware(secrets, {} as never)).toThrow(TypeError);
    expect(() => valueMiddleware(secrets, { tools: { a: "TOKEN" } as never })).toThrow(TypeError);
    expect(() => valueMiddleware({ ...secrets }, { tools: {} })).toThrow(TypeError);
  });
});
