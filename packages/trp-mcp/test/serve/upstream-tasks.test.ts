import { ProtocolError } from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import type { PolicyRule } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import { type Answer, ask, gateOf, inProcess, listening, newestRequest, routed, until } from "./support.ts";

const final = ["completed", "failed", "cancelled"];
const extensions = { "io.modelcontextprotocol/tasks": {} };
// biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to look at
type Result = any;

/** A gate before a gate that makes tasks of calls, before a server of the official SDK. */
async function chain({
  answer,
  rules,
  taskAfterMs = 300,
}: {
  answer?: Answer;
  rules?: PolicyRule[];
  taskAfterMs?: number;
} = {}) {
  const store = await storeUnderTest();
  const ran: string[] = [];
  const transport = inProcess("shop", [{ name: "refund" }], async (name, args, context) => {
    ran.push(JSON.stringify(args));
    return (await answer?.(name, args, context)) ?? { content: [{ type: "text", text: `done ${ran.length}` }] };
  });
  const far = await routed({ shop: transport }, { store, ...(rules && { rules }) });
  const { gate: farGate } = gateOf(far.servers, { calls: far.calls, store, taskAfterMs: 20 });
  const url = await listening(farGate);
  const nearStore = await storeUnderTest();
  const near = await routed(
    { far: { type: "http", url, headers: { authorization: "Bearer near" } } },
    { store: nearStore },
  );
  const { gate } = gateOf(near.servers, { calls: near.calls, store: nearStore, taskAfterMs });
  const send = async (method: string, params: Record<string, unknown>, capabilities: object = {}): Promise<Result> => {
    const { result, error } = await ask(gate, newestRequest("http://gate.test/mcp", method, params, { capabilities }));
    return result ?? error;
  };
  return {
    ...{ ran, send, near, far },
    refund: (capabilities: object = {}, args: JsonObject = { id: "o1" }): Promise<Result> =>
      send("tools/call", { name: "far__shop__refund", arguments: args }, capabilities),
    taskAt: async (taskId: string, statuses: string[], capabilities: object): Promise<Result> => {
      let task: Result;
      await until(async () => {
        task = await send("tasks/get", { taskId }, capabilities);
        return statuses.includes(task.status);
      }, 20_000);
      return task;
    },
  };
}

/** An answer that comes when it is told to. */
function later(): { answer: Answer; go: () => void } {
  let go = (): void => {};
  const told = new Promise<void>((resolve) => {
    go = resolve;
  });
  return { go, answer: () => told.then(() => ({ content: [{ type: "text", text: "late" }] })) };
}

it("follows a server's task to its end, and a client that knows no tasks gets the plain result", async () => {
  const { answer, go } = later();
  const { refund, ran, near } = await chain({ answer });
  const called = refund();
  await until(() => ran.length === 1);
  setTimeout(go, 600);
  const result = await called;
  expect(result.content).toEqual([{ type: "text", text: "late" }]);
  expect(result._meta["toolglot/outcome"]).toMatchObject({ status: "done", dispatched: true });
  expect((await refund())._meta["toolglot/outcome"].status).toBe("replayed");
  expect(ran).toHaveLength(1);
  expect(near.servers[0]?.client.capabilities).toContain("io.modelcontextprotocol/tasks");
});

it("makes a task of its own for a client that takes one, and its result is that of the server's", async () => {
  const { answer, go } = later();
  const { refund, ran, taskAt } = await chain({ answer });
  const { resultType, taskId } = await refund({ extensions });
  expect(resultType).toBe("task");
  expect((await taskAt(taskId, ["working"], { extensions })).status).toBe("working");
  go();
  expect(await taskAt(taskId, ["completed"], { extensions })).toMatchObject({
    result: { content: [{ text: "late" }], _meta: { "toolglot/outcome": { status: "done" } } },
  });
  expect(ran).toHaveLength(1);
});

it.each([
  [-32603, "unknown", true],
  [-32602, "failed", true],
])("fails a task whose server answers with the error %i of JSON-RPC", async (code, status, dispatched) => {
  const { answer, go } = later();
  const failing: Answer = async (...call) => {
    await answer(...call);
    throw new ProtocolError(code, "the press is on fire");
  };
  const { refund, taskAt, ran } = await chain({ answer: failing });
  const { taskId } = await refund({ extensions });
  go();
  const task = await taskAt(taskId, final, { extensions });
  expect(task).toMatchObject({
    status: "failed",
    error: { code, message: expect.stringContaining("the press is on fire") },
    statusMessage: expect.stringContaining("the press is on fire"),
  });
  expect(task.error.data["toolglot/outcome"]).toMatchObject({ status, dispatched, receipt: expect.any(String) });
  expect(task).not.toHaveProperty("result");
  expect(ran).toHaveLength(1);
});

it("passes on what the server's task asks, and the client's answer", async () => {
  const { refund, ran, taskAt, send } = await chain({ rules: [{ id: "ask", decision: "approve" }], taskAfterMs: 1 });
  const capabilities = { elicitation: { form: {} }, extensions };
  // A question that came sooner would be the answer to the call.
  const { taskId } = await refund(capabilities);
  const asked = await taskAt(taskId, ["input_required"], capabilities);
  const [[key = "", request]] = Object.entries(asked.inputRequests) as [[string, Result]];
  expect(request.params.message).toContain("o1");
  expect(ran).toEqual([]);
  const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
  await send("tasks/update", { taskId, inputResponses }, capabilities);
  expect(await taskAt(taskId, ["completed"], capabilities)).toMatchObject({
    result: { content: [{ text: "done 1" }], _meta: { "toolglot/outcome": { status: "done" } } },
  });
  expect(ran).toHaveLength(1);
});

it("settles a call by its task: an error of the tool is the call's, and it can be made again", async () => {
  const { answer, go } = later();
  const failing: Answer = async (...call) => ({ ...((await answer(...call)) as object), isError: true });
  const { refund, ran } = await chain({ answer: failing });
  const called = refund();
  await until(() => ran.length === 1);
  go();
  expect((await called)._meta["toolglot/outcome"]).toMatchObject({ status: "failed", dispatched: true });
  await refund();
  expect(ran).toHaveLength(2);
});
