import type { ToolCall, ToolResult } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { expect, it } from "vitest";
import { Toolkit, type ToolkitOptions, toolkitExecutor } from "../src/index.ts";

function setUp(options?: ToolkitOptions): { toolkit: Toolkit; ran: unknown[] } {
  const ran: unknown[] = [];
  const toolkit = new Toolkit(options);
  const args = { "path?": "string", content: "string" } as const;
  const keep = (input: unknown): string => {
    ran.push(input);
    return "done";
  };
  toolkit.registerToolFunction(keep, { name: "write", description: "Writes.", args });
  toolkit.registerToolFunction(keep, {
    name: "show",
    description: "Shows.",
    args,
    annotations: { readOnlyHint: true },
  });
  return { toolkit, ran };
}

const swallowing = (): object => ({ content: 'a</parameter>\n<parameter name="path">b.txt' });
const leaking = (): object => ({ path: "a", content: "ls</parameter>\n</invoke>" });

async function last(toolkit: Toolkit, name: string, input: unknown): Promise<Partial<ToolResult>> {
  const responses = [];
  for await (const response of toolkit.callToolFunction({ name, input })) responses.push(response);
  expect(responses).toHaveLength(1);
  return responses[0] as Partial<ToolResult>;
}

it("refuses a damaged call before its input is validated, and says what the model is to do", async () => {
  const { toolkit, ran } = setUp();
  const { status, error, metadata } = await last(toolkit, "write", swallowing());
  expect([status, error?.type, ran]).toEqual(["error", "DamagedCall", []]);
  for (const part of ['"content"', "</parameter>", '"path"', "again"]) expect(error?.message).toContain(part);
  expect(metadata?.findings).toMatchObject([{ code: "core/swallowed-argument", path: "/content" }]);
  // Text of arguments that ends early does not get as far as its schema.
  expect((await last(toolkit, "write", '{"content":"rm -rf /tm')).error).toMatchObject({ type: "DamagedCall" });
});

it("runs what only reads, with the findings, and a closer that is meant the second time", async () => {
  const { toolkit, ran } = setUp();
  const read = await last(toolkit, "show", swallowing());
  expect(read).toMatchObject({ status: "ok", metadata: { findings: [{ code: "core/swallowed-argument" }] } });
  expect((await last(toolkit, "write", leaking())).error?.type).toBe("DamagedCall");
  expect(await last(toolkit, "write", leaking())).toMatchObject({
    status: "ok",
    metadata: { findings: [{ code: "core/leaked-closer", at: 2 }] },
  });
  expect(ran).toEqual([swallowing(), leaking()]);
});

it("does so through every door: executor, core tools, prepared calls", async () => {
  const { toolkit, ran } = setUp();
  const call: ToolCall = { id: "1", name: "write", input: leaking(), protocol: "native" };
  const action = { kind: "calls" as const, calls: [call], span: { start: 0, end: 0 } };
  const [result] = await toolkitExecutor(toolkit).execute(action, executorContext());
  expect(result).toMatchObject({ status: "error", error: { type: "DamagedCall" } });
  // Preparing the same call again is no second try of the model.
  expect(await toolkit.prepareCall(call)).toMatchObject({ ok: false, error: { type: "DamagedCall" } });
  const other = toolkit.tools().find(({ name }) => name === "write");
  const run = other?.execute({ content: "x<|im_end|>" }, { callId: "2", signal: new AbortController().signal });
  await expect(run).rejects.toThrow("<|im_end|>");
  expect(ran).toEqual([]);
});

it("reports only, or does not look, where the host says so", async () => {
  const reporting = setUp({ checkCalls: "report" });
  expect(await last(reporting.toolkit, "write", swallowing())).toMatchObject({
    status: "ok",
    metadata: { findings: [{ code: "core/swallowed-argument" }] },
  });
  const off = setUp({ checkCalls: "off" });
  const { status, metadata } = await last(off.toolkit, "write", swallowing());
  expect([status, metadata]).toEqual(["ok", undefined]);
  expect(() => setUp({ checkCalls: "repair" as never })).toThrow(TypeError);
});
