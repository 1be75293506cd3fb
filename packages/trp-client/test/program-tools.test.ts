import { type Decision, type Tool, ToolError } from "@toolglot/core";
import { expect, it } from "vitest";
import { type ProgramToolsOptions, programExecutor, programTools } from "../src/index.ts";
import { boss, capabilities, world } from "./support.ts";

/** Calls a tool as a sandbox does. */
async function made(
  tools: readonly Tool[],
  name: string,
  input: object,
  callId = "p:1",
  decision?: Decision,
): Promise<unknown> {
  const tool = tools.find((one) => one.name === name) as Tool<object>;
  const { signal } = new AbortController();
  return await tool.execute(input, { callId, signal, ...(decision && { decision }) });
}

const toolsOf = (trp: ReturnType<ReturnType<typeof world>["client"]>, more: Partial<ProgramToolsOptions> = {}) =>
  programTools(trp, { runId: "r1", ...more });

it("offers each capability as a function, and the router's three", async () => {
  const { client } = world();
  const tools = await toolsOf(client());
  expect(tools.map(({ name }) => name)).toEqual(
    "echo add_note send_mail slow router.call router.batch router.search".split(" "),
  );
  expect(tools[0]).toMatchObject({
    inputSchema: { properties: { text: { type: "string" }, times: { type: "integer" } }, required: ["text"] },
    annotations: { readOnlyHint: true, idempotentHint: true, riskTier: "LOW" },
  });
  expect(await made(tools, "echo", { text: "a" })).toEqual({ said: "a" });
  expect(await made(tools, "router.call", { name: "echo", args: { text: "b" } })).toEqual({ said: "b" });
  expect(await made(tools, "router.search", { query: "send mail" })).toEqual([
    expect.stringMatching(/^2 send_mail\(to\) W !HIGH Sends a mail/),
  ]);
  const few = await toolsOf(client(), { inlineLimit: 3 });
  expect(few.map(({ name }) => name)).toEqual(["router.call", "router.batch", "router.search"]);
});

it("tells a program what the router refuses, and what a call means that can't be found", async () => {
  const { client, effects } = world();
  const tools = await toolsOf(client());
  await expect(made(tools, "echo", { text: 5 })).rejects.toThrow(/text/);
  await expect(made(tools, "echo", { text: 5 })).rejects.toMatchObject({ data: { code: "TRP_2001", executed: "no" } });
  await expect(made(tools, "router.call", { name: "eco" })).rejects.toThrow(/There is no capability "eco".*echo/);
  await expect(made(tools, "router.batch", { calls: 1 })).rejects.toThrow(ToolError);
  expect(effects).toEqual([]);
});

it("makes a batch side by side, with an outcome for each", async () => {
  const { client, effects } = world();
  const tools = await toolsOf(client());
  const calls = [
    { name: "echo", args: { text: "a" } },
    { name: "echo", args: { wrong: 1 } },
    { name: "add_note", args: { text: "x" } },
    { name: "add_note", args: { text: "x" } },
  ];
  const [a, b, ...notes] = (await made(tools, "router.batch", { calls })) as { ok: boolean; value: unknown }[];
  expect([a, b]).toEqual([
    { ok: true, value: { said: "a" } },
    { ok: false, error: expect.stringContaining("wrong"), code: "TRP_2001", executed: "no" },
  ]);
  expect(notes.map(({ ok }) => ok)).toEqual([true, true]);
  // Twice the same is meant twice; the same call of the same run, made again, is not another one.
  expect(effects).toEqual(["x", "x"]);
  expect(((await made(tools, "router.batch", { calls })) as unknown[]).slice(2)).toEqual(notes);
  expect(effects).toHaveLength(2);
  await made(tools, "router.batch", { calls }, "p:2");
  expect(effects).toHaveLength(4);
});

it("gives the whole of what was cut for a model", async () => {
  const rows = Array.from({ length: 900 }, (_, n) => ({ n, text: `Zeile ${n} 漢字 😀` }));
  const big = { ...capabilities([])[0], execute: () => ({ rows, note: "é".repeat(9000) }) } as never;
  const { client } = world({ capabilities: [big] });
  expect(await made(await toolsOf(client()), "echo", { text: "" })).toEqual({ rows, note: "é".repeat(9000) });
});

it("does nothing before an approval, which may be given elsewhere", async () => {
  const { client, router, effects } = world();
  const trp = client();
  const tools = await toolsOf(trp);
  const waits = made(tools, "send_mail", { to: "a" });
  await expect(waits).rejects.toMatchObject({ data: { needs: "later", approvalIds: [expect.any(String)] } });
  const again = made(await toolsOf(client()), "send_mail", { to: "a" });
  const { data } = (await again.catch((error: unknown) => error)) as ToolError;
  await router.approvals.approve(boss, (data.approvalIds as string[])[0] ?? "");
  // Whichever process makes the call again.
  expect(await made(await toolsOf(client()), "send_mail", { to: "a" })).toEqual({ sent: true });
  expect(await made(tools, "send_mail", { to: "a" })).toEqual({ sent: true });
  expect(effects).toEqual(["mail a"]);
});

it("keeps equal calls of one program apart while they wait, and joins those of a program that was written again", async () => {
  const { client, router, effects } = world();
  const tools = await toolsOf(client());
  const ids = new Set<unknown>();
  for (const callId of ["p:1", "p:2", "p:1", "p:2", "q:1"]) {
    const error = await made(tools, "send_mail", { to: "a" }, callId).catch((thrown: unknown) => thrown);
    ids.add((error as ToolError).data.approvalIds?.toString());
  }
  expect(ids.size).toBe(2);
  for (const id of ids) await router.approvals.approve(boss, String(id));
  for (const callId of ["p:1", "p:2", "p:1"]) await made(tools, "send_mail", { to: "a" }, callId);
  expect(effects).toEqual(["mail a", "mail a"]);
});

it("brings the host's decision to the router", async () => {
  const { client, router, effects } = world();
  const decided: unknown[] = [];
  const approvals = {
    async decide({ approvalId, args }: { approvalId: string | undefined; args: object }, { approved }: Decision) {
      decided.push([args, approved]);
      await router.approvals[approved ? "approve" : "deny"](boss, approvalId ?? "");
    },
  };
  const tools = await toolsOf(client(), { approvals });
  const asked = made(tools, "send_mail", { to: "a" });
  await expect(asked).rejects.toMatchObject({
    data: { needs: "approval", code: "TRP_4002", executed: "no", approvalIds: [expect.stringMatching(/^apr_/)] },
    message: expect.stringContaining("apr_"),
  });
  expect(await made(tools, "send_mail", { to: "a" }, "p:1", { approved: true })).toEqual({ sent: true });
  const calls = [1, 2].map((n) => ({ name: "send_mail", args: { to: `b${n}` } }));
  await expect(made(tools, "router.batch", { calls }, "p:2", { approved: false })).rejects.toThrow(ToolError);
  expect(effects).toEqual(["mail a"]);
  expect(decided[0]).toEqual([{ to: "a" }, true]);
  // Calls of a batch are made side by side.
  expect(decided.slice(1)).toHaveLength(2);
  expect(decided.slice(1)).toEqual(expect.arrayContaining([1, 2].map((n) => [{ to: `b${n}` }, false])));
});

it("names the program in the audit of each of its calls", async () => {
  const { client, router } = world();
  const execute = async (): Promise<never[]> => {
    throw new Error("not asked");
  };
  const context = { signal: new AbortController().signal, runId: "r", stepIndex: 0, emit: () => {}, approve: execute };
  let ran: readonly Tool[] = [];
  const executor = programExecutor(client(), (tools) => ({
    handles: () => true,
    async execute(action) {
      ran = tools;
      if (tools.length > 0) await made(tools, "add_note", { text: "t" }, `${(action as { id: string }).id}:1`);
      return [];
    },
  }));
  const action = { kind: "code", id: "c1", language: "python", source: "add_note('t')" } as never;
  await executor.execute(action, context as never);
  expect(ran.length).toBeGreaterThan(3);
  const rows = await router.audit.read({ limit: 100 });
  const digest = "program:sha256:031c2a";
  expect(rows.map(({ entry }) => entry.trace_id.slice(0, digest.length))).toContain(digest);
  const gone = world();
  await gone.router.close();
  const failed = await programExecutor(gone.client({ requestTimeoutMs: 200 }), () => executor).execute(
    action,
    context as never,
  );
  expect(failed).toMatchObject([{ callId: "c1", status: "error", error: { type: "RouterUnavailable" } }]);
});

it("refuses options that it doesn't know", async () => {
  const trp = world().client();
  await expect(programTools(trp, { runID: "r" } as never)).rejects.toThrow("runId");
  expect(() => programExecutor(trp, () => ({}) as never, { approval: {} } as never)).toThrow("approvals");
});
