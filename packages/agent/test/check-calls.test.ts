import { type AgentOptions, createAgent, nativeProtocol } from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import type { ToolCall } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { expect, it } from "vitest";

let calls = 0;
const call = (name: string, input: unknown): ScriptedTurn => [
  { type: "call", call: { id: `c${calls++}`, name, input, protocol: "native" } as ToolCall },
];
const swallowing = { content: 'a</parameter>\n<parameter name="path">b.txt' };
const leaking = (): object => ({ path: "a", content: "ls</parameter>" });

function setUp(turns: ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const ran: unknown[] = [];
  const toolkit = new Toolkit();
  const execute = (input: unknown): string => {
    ran.push(input);
    return "done";
  };
  const args = { "path?": "string", content: "string" } as const;
  toolkit.registerToolFunction(defineTool({ name: "write", description: "Writes.", args, execute }));
  const annotations = { readOnlyHint: true };
  toolkit.registerToolFunction(defineTool({ name: "show", description: "Shows.", args, annotations, execute }));
  const model = scriptedModel(turns);
  const executor = toolkitExecutor(toolkit);
  const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit, ...options });
  return { agent, model, ran };
}

it("refuses a damaged call with words for the model, which writes it again", async () => {
  const { agent, model, ran } = setUp([
    call("write", swallowing),
    call("write", { path: "b.txt", content: "a" }),
    "It is written.",
  ]);
  const { status, results } = await agent.run("Go").result;
  expect([status, ran]).toEqual(["answered", [{ path: "b.txt", content: "a" }]]);
  expect(results[0]).toMatchObject({ status: "error", error: { type: "DamagedCall" } });
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("which the call lacks");
});

it("speaks the language of the run, and names arguments that end early", async () => {
  const { agent, model, ran } = setUp([call("write", '{"content":"a'), "好的。"], { locale: "zh" });
  await agent.run("开始").result;
  expect(ran).toEqual([]);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("参数没有写完");
});

it("lets through what only reads, and what is sent a second time, once for agent and toolkit together", async () => {
  const { agent, ran } = setUp([call("show", swallowing), call("write", leaking()), call("write", leaking()), "Done."]);
  const { results } = await agent.run("Go").result;
  expect(results.map(({ status }) => status)).toEqual(["ok", "error", "ok"]);
  expect(results[0]?.metadata?.findings).toMatchObject([{ code: "core/swallowed-argument" }]);
  expect(results[2]?.metadata?.findings).toMatchObject([{ code: "core/leaked-closer" }]);
  expect(ran).toEqual([swallowing, leaking()]);
});

it("does not run the steps behind a damaged one of a plan", async () => {
  const plan = (first: string): string =>
    [
      "<|[REQUEST_TOOL]|>",
      "command1: »»» write «««",
      `content1: »»» ${first} «««`,
      "command2: »»» write «««",
      "content2: »»» b «««",
      "<|[END_TOOL]|>",
    ].join("\n");
  const { agent, ran } = setUp([plan("a</content>"), "It failed."], { protocol: tamProtocol({ prompt: tamPrompt }) });
  const { results, ...rest } = await agent.run("Go").result;
  expect(
    results.map(({ error }) => error?.type),
    JSON.stringify(rest),
  ).toEqual(["DamagedCall", "NotRun"]);
  expect(ran).toEqual([]);
});

it("reports only, or does not look, where the host says so", async () => {
  for (const checkCalls of ["report", "off"] as const) {
    const { agent } = setUp([call("write", swallowing), "Done."], {
      checkCalls,
      executor: {
        handles: () => true,
        execute: async (action) =>
          (action.kind === "calls" ? action.calls : []).map(({ id: callId }) => ({
            callId,
            status: "ok",
            content: [],
          })),
      },
    });
    const [result] = (await agent.run("Go").result).results;
    expect(result?.status).toBe("ok");
    expect(result?.metadata?.findings).toEqual(
      checkCalls === "report" ? [expect.objectContaining({ code: "core/swallowed-argument" })] : undefined,
    );
  }
});
