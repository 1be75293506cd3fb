import type { Action, Executor, ExecutorContext, ToolResult } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { openSecrets } from "@toolglot/secrets";
import { valueMiddleware } from "@toolglot/secrets/toolkit";
import { Toolkit } from "@toolglot/toolkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { localExecutor, openLocalTools } from "../../src/index.ts";
import { scratchFolder } from "../support/scratch.ts";

const value = 'ghp_"0123456789"';

async function secretsWith(values: Readonly<Record<string, string>> = { TOKEN: value }) {
  const secrets = await openSecrets();
  for (const [name, text] of Object.entries(values)) await secrets.set(name, text);
  return secrets;
}

describe("localExecutor of tools with secrets", () => {
  const call = (name: string, input: unknown = {}) => ({ id: name, name, input, protocol: "toolsxml" });
  /** What is let out of a batch whose foreign calls are run by `execute`. */
  async function letOut(execute: Executor["execute"], calls = [call("weather")]) {
    const { path } = await scratchFolder();
    const secrets = await secretsWith();
    const local = await openLocalTools({ roots: path, stateDir: `${path}-state`, secrets });
    onTestFinished(() => local.close());
    const others: Executor = { handles: () => true, honoursHooks: true, execute };
    const executor = localExecutor(local, { others, mcp: (server, tool) => `${server}_${tool}` });
    const heard: unknown[] = [];
    const listen = (told: unknown): void => void heard.push(told);
    const results = await executor.execute({ kind: "calls", calls, span: { start: 0, end: 0 } } as Action, {
      ...executorContext({
        emit: listen,
        approve: async (request) => {
          listen(request);
          return { approved: true };
        },
      }),
      ask: async (question) => {
        listen(question);
        return { action: "decline" };
      },
      hooks: { beforeCall: async (asked) => void listen(asked), afterCall: async (...told) => void listen(told) },
    });
    return { results, heard, all: JSON.stringify([results, heard]) };
  }
  const ok = (callId: string, ...texts: string[]): ToolResult[] => [
    { callId, name: callId, status: "ok", content: texts.map((text) => ({ type: "text", text })) },
  ];

  it("should let no value of another executor out: results, errors, events, questions", async () => {
    const { results, heard, all } = await letOut(async (_action, { emit, approve, ask }) => {
      emit({ type: "tool-call-start", callId: "weather", name: "weather", input: { [value]: 1 } });
      emit({ type: "log", callId: "weather", entry: { level: "info", text: value } as never });
      await approve({ kind: "tool-call", callId: "weather", input: { value }, reason: `for ${value}` } as never);
      await ask?.({ kind: "elicitation", server: "s", message: value }, { callId: "weather" });
      return ok("weather", value).map((result) => ({
        ...result,
        status: "error",
        data: { value: [value] },
        metadata: { [value]: 1 },
        error: { type: "X", message: value },
      }));
    });
    expect(all).not.toContain("0123456789");
    expect(heard.length).toBeGreaterThanOrEqual(4);
    expect(results).toMatchObject([{ error: { message: "‹TOKEN›" }, content: [{ text: "‹TOKEN›" }] }]);
  });

  it("should find a value that is cut by reports or by blocks of a result", async () => {
    const report = (emit: ExecutorContext["emit"], data: unknown): void =>
      emit({ type: "tool-call-progress", callId: "weather", name: "weather", data });
    const { heard, results } = await letOut(async (_action, { emit }) => {
      for (const output of ["a ", value.slice(0, 5), value.slice(5, 9), `${value.slice(9)} b`])
        report(emit, { output });
      for (const end of [3, 9, value.length]) report(emit, value.slice(0, end));
      return ok("weather", value.slice(0, 7), value.slice(7));
    });
    const told = heard.filter((one) => (one as { type?: string }).type === "tool-call-progress");
    const pieces = told.slice(0, 4).map((one) => (one as { data: { output: string } }).data.output);
    expect(pieces.join("")).toBe("a ‹TOKEN› b");
    expect(JSON.stringify(told.slice(4))).not.toContain("ghp_");
    expect(JSON.stringify(results)).not.toMatch(/ghp_|6789/);
  });

  it("should let none out of a tool of an MCP server, or of its own tools", async () => {
    const calls = [
      call("mcp", { server: "s", name: "t", arguments: {} }),
      call("command", { script: "echo $KARYI{TOKEN}" }),
    ];
    const { results, all } = await letOut(async () => ok("mcp", value), calls);
    expect(results.map(({ content }) => content)).toMatchObject([[{ text: "‹TOKEN›" }], [{ text: "‹TOKEN›" }]]);
    expect(all).not.toContain("0123456789");
  });
});

it("should have its placeholders left as they are by the middleware for foreign tools", async () => {
  const { path } = await scratchFolder();
  const secrets = await secretsWith();
  const local = await openLocalTools({ roots: path, stateDir: `${path}-state`, secrets });
  onTestFinished(() => local.close());
  const toolkit = new Toolkit();
  for (const tool of local.tools()) toolkit.registerToolFunction(tool);
  toolkit.registerMiddleware(valueMiddleware(secrets, { tools: {} }));
  const input = { script: "printf %s '$KARYI{TOKEN}' | wc -c; echo '$$KARYI{TOKEN}'" };
  const texts: string[] = [];
  for await (const { content } of toolkit.callToolFunction({ name: "command", input }))
    texts.push(JSON.stringify(content));
  expect(texts.at(-1)).toContain(`${value.length}`);
  expect(texts.at(-1)).toContain("$KARYI{TOKEN}");
});
