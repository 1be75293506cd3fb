import { ToolError } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { expect, it } from "vitest";
import { tool } from "./support.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

// What a program catches says what it can decide by, and names functions as the program writes them.

const data = { code: "TRP_4002", executed: "no", approvalIds: ["apr_1"], more: { deep: [1, null] } };
const tools = () => [
  tool("pay", {}, () => {
    throw new ToolError("waits for approval", { data: { ...data, needs: undefined } });
  }),
  tool("plain", {}, () => {
    throw new ToolError("no data");
  }),
  tool("huge", {}, () => {
    throw new ToolError("too much", { data: { text: "x".repeat(100_000) } });
  }),
  tool("odd", {}, () => {
    throw new ToolError("no JSON", { data: { count: 1n } });
  }),
  tool("router.search", { query: { type: "string" } }, () => []),
];

const programs = {
  python: {
    told: (name: string) =>
      `try:\n    ${name}()\nexcept ToolError as error:\n    __result__ = [str(error), error.data, error.data.get("code")]`,
    dotted: "__result__ = router.search()",
    flat: "__result__ = router_search()",
  },
  javascript: {
    told: (name: string) =>
      `try { await ${name}() } catch (error) { return [error.message, error.data, error.data.code ?? null] }`,
    dotted: "return await router.search()",
    flat: "return await router_search()",
  },
};

for (const language of ["python", "javascript"] as const) {
  it(`should give a program the data of a tool's error, and call functions by its words: ${language}`, async () => {
    const { told, dotted, flat } = programs[language];
    const sandbox = sharedSandbox(language, { tools: tools() });
    expect(await sandbox.run(told("pay"))).toMatchObject({ value: ["waits for approval", data, "TRP_4002"] });
    for (const name of ["plain", "huge"]) {
      expect(await sandbox.run(told(name))).toMatchObject({ value: [expect.any(String), {}, null] });
    }
    expect(await sandbox.run(told("odd"))).toMatchObject({ status: "ok" });
    expect(await sandbox.run(dotted)).toMatchObject({
      error: { message: expect.stringMatching(/^router\.search\(\) /) },
    });
    expect(await sandbox.run(flat)).toMatchObject({ error: { message: expect.stringMatching(/^router_search\(\) /) } });
  });
}

it.each(["python", "javascript"] as const)("should print what a tool notes beside its value: %s", async (language) => {
  const pay = tool("pay", {}, (_, { note }) => {
    note?.("Nothing was done now.");
    return { paid: true };
  });
  const sandbox = sharedSandbox(language, { tools: [pay] });
  const code = language === "python" ? "__result__ = pay()" : "return await pay()";
  expect(await sandbox.run(code)).toMatchObject({
    value: { paid: true },
    logs: [{ stream: "stderr", text: "pay: Nothing was done now." }],
  });
  const durable = { storage: { operations: new MemoryOperationLog() }, id: `run-${language}` };
  const logs = [{ stream: "stderr", text: "pay: Nothing was done now." }];
  expect(await sandbox.run(code, { durable })).toMatchObject({ status: "ok", logs });
  expect(await sandbox.resume(durable)).toMatchObject({ status: "ok", logs });
});

it("should give the same data to a durable program that goes on", async () => {
  const log = new MemoryOperationLog();
  let answers = 0;
  const all = [
    tool("pay", {}, () => {
      answers += 1;
      throw new ToolError("waits", { data });
    }),
  ];
  const sandbox = sharedSandbox("javascript", { tools: all });
  const code = programs.javascript.told("pay");
  const durable = { storage: { operations: log }, id: "run-1" };
  const first = await sandbox.run(code, { durable });
  expect(first).toMatchObject({ value: ["waits", data, "TRP_4002"] });
  expect(await sandbox.resume({ storage: { operations: log }, id: "run-1" })).toMatchObject({
    value: ["waits", data, "TRP_4002"],
  });
  expect(answers).toBe(1);
});
