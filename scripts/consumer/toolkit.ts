import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  args: { a: "number", b: "number" },
  execute: ({ a, b }) => a + b,
});

const paint = defineTool({
  name: "paint",
  description: "Paints, in the background.",
  args: { what: "string" },
  annotations: { async: true },
  execute: async ({ what }) => `a picture of ${what}`,
});

export async function consume(): Promise<string> {
  const toolkit = new Toolkit({ tracing: true });
  toolkit.registerToolFunction(add);
  toolkit.createToolGroup("art", { description: "Art.", active: true });
  toolkit.registerToolFunction(paint, { groupName: "art" });
  const shown = toolkit.getJsonSchemas().map((schema) => schema.function.name);
  const statuses: string[] = [];
  let text = "";
  // One number comes as text, as models like to write it.
  for await (const response of toolkit.callToolFunction({
    id: "1",
    name: "add",
    input: { a: 2, b: "3" },
  })) {
    if (response.isLast) statuses.push(response.status);
    text = response.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  }
  return [shown.join(), statuses.join(), text, await runPlan(toolkit)].join(" | ");
}

/** A plan of one step, whose tool works on in the background. */
async function runPlan(toolkit: Toolkit): Promise<string> {
  const executor = toolkitExecutor(toolkit);
  const span = { start: 0, end: 1 };
  const step = { index: 1, callId: "s1", tool: "paint", params: {}, uris: { what: "data:,an%20owl" } };
  const more = { onError: "stop" as const, retry: 0, errors: [], span };
  const plan = { requestId: "r1", common: {}, steps: [{ ...step, ...more }] };
  const [result] = await executor.execute(
    { kind: "plan", plan, span },
    {
      signal: new AbortController().signal,
      emit: () => {},
      approve: async () => ({ approved: true }),
      runId: "run",
      stepIndex: 0,
    },
  );
  await executor.tasks.idle();
  const [task] = executor.tasks.list();
  return `${result?.status} ${task?.status} ${task?.result?.data}`;
}

export const expected = "add,reset_equipped_tools,paint | ok | 5 | pending ok a picture of an owl";
