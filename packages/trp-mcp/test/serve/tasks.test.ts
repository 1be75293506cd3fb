import { InMemoryTransport } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolglot/core";
import { principal as makePrincipal, type PolicyRule } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { expect, it, onTestFinished } from "vitest";
import { sharedPlace, storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import type { McpGate, OwnTool, ServeMcpOptions } from "../../src/index.ts";
import { type Answer, ask, gateOf, inProcess, newestRequest, routed, until } from "./support.ts";

const extensions = { "io.modelcontextprotocol/tasks": {} };
const forms = { elicitation: { form: {} }, extensions };
const boss = makePrincipal({ id: "boss", roles: ["approver"] });
const approve: PolicyRule[] = [{ id: "ask", decision: "approve" }];
const final = ["completed", "failed", "cancelled"];

interface Setting {
  store?: RouterStore;
  rules?: PolicyRule[];
  answer?: Answer;
  ran?: string[];
  taskAfterMs?: number;
  approvalTtlMs?: number;
  repeat?: "free";
  /** What the gate gets in place of the store. */
  taskStore?: ServeMcpOptions["store"];
}

/** A gate with tasks before one server, all of it real. */
async function shop({ rules = approve, store: given, answer, ran = [], ...more }: Setting = {}) {
  const store = given ?? (await storeUnderTest());
  const { taskAfterMs, approvalTtlMs = 900_000, repeat, taskStore = store } = more;
  const transport = inProcess("shop", [{ name: "refund" }], async (name, args, context) => {
    ran.push(`${name} ${JSON.stringify(args)}`);
    return (await answer?.(name, args, context)) ?? { content: [{ type: "text", text: `done ${ran.length}` }] };
  });
  const { servers, calls, router } = await routed(
    { shop: transport },
    { rules, store, approvalTtlMs, ...(repeat && { repeat }) },
  );
  const set = gateOf(servers, { calls, store: taskStore, ...(taskAfterMs !== undefined && { taskAfterMs }) });
  return { ...set, calls, servers, router, ran };
}

interface From {
  capabilities?: object;
  token?: string;
  headers?: Record<string, string>;
}

/** Sends a request to a gate, from a client with forms and tasks unless it is said otherwise. */
const send = (gate: McpGate, method: string, params: Record<string, unknown> = {}, from: From = {}) =>
  ask(gate, newestRequest("http://gate.test/mcp", method, params, { capabilities: forms, ...from }));

const refund = (gate: McpGate, from: From = {}, args: JsonObject = { id: "o1" }) =>
  send(gate, "tools/call", { name: "shop__refund", arguments: args }, from);

/** A task once it has a status. */
async function taskAt(gate: McpGate, taskId: string, statuses: string[], from: From = {}) {
  let result = { status: "" } as Record<string, never> & { status: string };
  await until(async () => {
    const answer = await send(gate, "tasks/get", { taskId }, from);
    if (answer.error !== undefined) throw new Error(answer.error.message);
    result = answer.result;
    return statuses.includes(result.status);
  });
  // biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to look at
  return result as any;
}

const acknowledged = { status: 200, result: { resultType: "complete", _meta: expect.any(Object) } };

it("announces tasks where it keeps them, and only on 2026-07-28", async () => {
  const { gate } = await shop();
  const { result } = await send(gate, "server/discover");
  expect(result.capabilities.extensions).toEqual(extensions);
  const { servers, calls } = await routed({ shop: inProcess("shop", [{ name: "refund" }], () => ({ content: [] })) });
  const { gate: without } = gateOf(servers, { calls });
  expect((await send(without, "server/discover")).result.capabilities.extensions).toBeUndefined();
  expect(await send(without, "tasks/get", { taskId: "any" })).toMatchObject({ status: 404, error: { code: -32601 } });
});

it("runs what is approved through a task, once, and answers with its result", async () => {
  const { gate, ran } = await shop();
  const { result: task } = await refund(gate);
  expect(task).toEqual({
    resultType: "task",
    taskId: expect.any(String),
    status: "input_required",
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    lastUpdatedAt: expect.any(String),
    ttlMs: expect.any(Number),
    pollIntervalMs: expect.any(Number),
    _meta: expect.any(Object),
  });
  const { taskId } = task;
  // A call that is repeated meanwhile waits for the same decision.
  expect((await refund(gate)).result.taskId).toBe(taskId);
  const waiting = await taskAt(gate, taskId, ["input_required"]);
  expect(waiting.resultType).toBe("complete");
  const [[key = "", request]] = Object.entries(waiting.inputRequests) as [[string, JsonObject]];
  expect(request).toMatchObject({
    method: "elicitation/create",
    params: { message: expect.stringContaining("o1"), requestedSchema: { required: ["decision"] } },
  });
  // An answer that is none, and one to what was not asked, decide nothing.
  for (const inputResponses of [
    { [key]: { action: "cancel" } },
    { [key]: { action: "accept", content: { decision: "perhaps" } } },
    { other: { action: "accept", content: { decision: "approve" } } },
    {},
  ]) {
    expect(await send(gate, "tasks/update", { taskId, inputResponses })).toEqual(acknowledged);
  }
  expect((await send(gate, "tasks/get", { taskId })).result.status).toBe("input_required");
  expect(ran).toEqual([]);
  const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
  expect(await send(gate, "tasks/update", { taskId, inputResponses })).toEqual(acknowledged);
  expect(await send(gate, "tasks/update", { taskId, inputResponses })).toEqual(acknowledged);
  const done = await taskAt(gate, taskId, final);
  expect(done).toMatchObject({
    status: "completed",
    result: { content: [{ text: "done 1" }], _meta: { "toolglot/outcome": { status: "done", dispatched: true } } },
  });
  expect(await send(gate, "tasks/cancel", { taskId })).toEqual(acknowledged);
  expect((await taskAt(gate, taskId, final)).status).toBe("completed");
  expect((await refund(gate)).result._meta["toolglot/outcome"].status).toBe("replayed");
  expect(ran).toHaveLength(1);
});

it.each([
  ["a form that says so", { action: "accept", content: { decision: "deny" } }],
  ["a form that is declined", { action: "decline" }],
])("runs nothing after %s", async (_how, answer) => {
  const { gate, ran } = await shop();
  const { taskId } = (await refund(gate)).result;
  const [key = ""] = Object.keys((await taskAt(gate, taskId, ["input_required"])).inputRequests);
  await send(gate, "tasks/update", { taskId, inputResponses: { [key]: answer } });
  expect(await taskAt(gate, taskId, final)).toMatchObject({
    status: "completed",
    result: { isError: true, _meta: { "toolglot/outcome": { status: "refused", dispatched: false } } },
  });
  expect(ran).toEqual([]);
});

it("withdraws an approval with its task: nobody can approve it any more", async () => {
  const { gate, ran, router } = await shop();
  const { taskId } = (await refund(gate)).result;
  const [key = ""] = Object.keys((await taskAt(gate, taskId, ["input_required"])).inputRequests);
  expect(await send(gate, "tasks/cancel", { taskId })).toEqual(acknowledged);
  await expect(router.approvals.approve(boss, key)).rejects.toMatchObject({ code: "trp/approval-not-pending" });
  const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
  expect(await send(gate, "tasks/update", { taskId, inputResponses })).toEqual(acknowledged);
  expect((await send(gate, "tasks/get", { taskId })).result).toMatchObject({ status: "cancelled" });
  expect(ran).toEqual([]);
});

it("leaves the decision to the page where the client can't be asked, and runs then", async () => {
  const { gate, ran, router } = await shop();
  const from = { capabilities: { extensions } };
  const { result: task } = await refund(gate, from);
  expect(task).toMatchObject({ resultType: "task", status: "working" });
  expect(task.statusMessage).toContain("https://gate.test/approvals/");
  const { id = "" } = (await router.approvals.list(boss))[0] ?? {};
  // What it was not asked, it can't answer.
  const inputResponses = { [id]: { action: "accept", content: { decision: "approve" } } };
  await send(gate, "tasks/update", { taskId: task.taskId, inputResponses }, from);
  expect((await send(gate, "tasks/get", { taskId: task.taskId }, from)).result).toMatchObject({ status: "working" });
  await router.approvals.approve(boss, id);
  const done = await taskAt(gate, task.taskId, final, from);
  expect(done).toMatchObject({ status: "completed", result: { content: [{ text: "done 1" }] } });
  expect(ran).toHaveLength(1);
});

it("ends a task that nobody decided about in time, and runs nothing", async () => {
  const { gate, ran } = await shop({ approvalTtlMs: 1_000 });
  const { taskId } = (await refund(gate)).result;
  const done = await taskAt(gate, taskId, final);
  expect(done).toMatchObject({
    status: "completed",
    result: { isError: true, _meta: { "toolglot/outcome": { status: "refused", dispatched: false } } },
  });
  expect(done.result.content[0].text).toContain("expired");
  expect(ran).toEqual([]);
});

it("runs nothing for a caller whose token was revoked meanwhile", async () => {
  const { gate, router, ran } = await shop();
  await refund(gate, { token: "berta" });
  const { id = "" } = (await router.approvals.list(boss))[0] ?? {};
  const { taskId } = (await refund(gate, {}, { id: "o2" })).result;
  await gate.end(({ credential }) => credential === "berta");
  await router.approvals.approve(boss, id);
  const [other] = (await router.approvals.list(boss)).filter(({ status }) => status === "pending");
  await router.approvals.approve(boss, other?.id ?? "");
  // What was approved later has run.
  expect(await taskAt(gate, taskId, final)).toMatchObject({ status: "completed" });
  expect(ran).toEqual([`refund {"id":"o2"}`]);
});

it("fails a task whose tool is gone when it is approved", async () => {
  const { gate, servers, router, ran } = await shop();
  const { taskId } = (await refund(gate)).result;
  const { id = "" } = (await router.approvals.list(boss))[0] ?? {};
  servers.splice(0);
  await router.approvals.approve(boss, id);
  expect(await taskAt(gate, taskId, final)).toMatchObject({
    status: "failed",
    statusMessage: expect.stringContaining("shop__refund"),
    error: { code: -32602 },
  });
  expect(ran).toEqual([]);
});

it("makes a task of a call that takes long; its end is noted, and cancels nothing", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const rules: PolicyRule[] = [{ id: "all", decision: "allow" }];
  const { gate, ran } = await shop({ rules, taskAfterMs: 20, answer: () => held });
  const { result: task } = await refund(gate);
  expect(task).toMatchObject({ resultType: "task", status: "working" });
  const { taskId } = task;
  expect(await send(gate, "tasks/cancel", { taskId })).toEqual(acknowledged);
  expect((await send(gate, "tasks/get", { taskId })).result).toMatchObject({ status: "working" });
  release();
  expect(await taskAt(gate, taskId, final)).toMatchObject({
    status: "completed",
    result: { content: [{ text: "done 1" }], _meta: { "toolglot/outcome": { status: "done" } } },
  });
  expect(ran).toHaveLength(1);
});

it("answers a call that is quick enough at once", async () => {
  const { gate } = await shop({ rules: [{ id: "all", decision: "allow" }] });
  const { result } = await refund(gate);
  expect(result).toMatchObject({ resultType: "complete", content: [{ text: "done 1" }] });
});

/** A server that asks these questions at once, and says what was answered. */
const asks =
  (...messages: string[]): Answer =>
  async (_name, _args, { mcpReq }) => {
    const requestedSchema = { type: "object" as const, properties: {} };
    const ask = async (message: string) => {
      const { action, content } = await mcpReq.send({
        method: "elicitation/create",
        params: { message, requestedSchema },
      });
      return `${message} ${action} ${content?.name}`;
    };
    return { content: [{ type: "text", text: (await Promise.all(messages.map(ask))).join(", ") }] };
  };

it("passes on what a server asks in the middle of a task, all at once, and each answer", async () => {
  const { gate } = await shop({ answer: asks("Whom?", "How?") });
  const { taskId } = (await refund(gate)).result;
  const first = await taskAt(gate, taskId, ["input_required"]);
  const [approval = ""] = Object.keys(first.inputRequests);
  const said = { [approval]: { action: "accept", content: { decision: "approve" } } };
  await send(gate, "tasks/update", { taskId, inputResponses: said });
  /** The keys of what is asked, by its words. */
  const keys: Record<string, string> = {};
  const look = async (): Promise<string[]> => {
    const { inputRequests = {} } = (await send(gate, "tasks/get", { taskId })).result;
    const asked = Object.entries<{ params: { message: string } }>(inputRequests);
    for (const [key, { params }] of asked) keys[params.message] = key;
    return asked.map(([, { params }]) => params.message);
  };
  await until(async () => (await look()).length === 2);
  const answer = (message: string, name: string) =>
    send(gate, "tasks/update", {
      taskId,
      inputResponses: { [keys[message] as string]: { action: "accept", content: { name } } },
    });
  await answer("How?", "by post");
  expect(await look()).toEqual(["Whom?"]);
  // What is answered stays as it was answered.
  await answer("How?", "by hand");
  await answer("Whom?", "kim");
  expect(await taskAt(gate, taskId, final)).toMatchObject({
    result: { content: [{ text: "Whom? accept kim, How? accept by post" }] },
  });
});

it("has nobody answer for a client that wants its task's end", async () => {
  const rules: PolicyRule[] = [{ id: "all", decision: "allow" }];
  const answer: Answer = async (...given) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return asks("Whom?")(...given);
  };
  const { gate } = await shop({ rules, taskAfterMs: 1, answer });
  const { taskId } = (await refund(gate)).result;
  await taskAt(gate, taskId, ["input_required"]);
  expect(await send(gate, "tasks/cancel", { taskId })).toEqual(acknowledged);
  expect(await taskAt(gate, taskId, ["working", ...final])).not.toHaveProperty("inputRequests");
  expect(await taskAt(gate, taskId, final)).toMatchObject({
    result: { content: [{ text: "Whom? cancel undefined" }] },
  });
});

it("knows no task of another principal, none that is made up, and none that is over", async () => {
  const clock = { now: Date.now() };
  const { gate, ran } = await shop({ store: await storeUnderTest({ now: () => clock.now }) });
  const { taskId, ttlMs } = (await refund(gate)).result;
  const [key = ""] = Object.keys((await taskAt(gate, taskId, ["input_required"])).inputRequests);
  const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
  const unknown = { status: 200, error: { code: -32602 } };
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    expect(await send(gate, method, { taskId, inputResponses }, { token: "berta" })).toMatchObject(unknown);
    for (const other of [
      "",
      "nobody",
      `${taskId}0`,
      "../gateway/tasks",
      "zzzzzzzzzzz-00000000-0000-0000-0000-000000000000",
    ]) {
      expect(await send(gate, method, { taskId: other, inputResponses })).toMatchObject(unknown);
    }
  }
  expect(await send(gate, "tasks/get", { taskId: 7 })).toMatchObject(unknown);
  expect(await send(gate, "tasks/update", { taskId })).toMatchObject(unknown);
  expect((await send(gate, "tasks/get", { taskId })).result.status).toBe("input_required");
  clock.now += ttlMs;
  expect(await send(gate, "tasks/get", { taskId })).toMatchObject(unknown);
  expect(ran).toEqual([]);
});

it("deletes tasks that are over", async () => {
  const clock = { now: Date.now() };
  const store = await storeUnderTest({ now: () => clock.now });
  const { gate } = await shop({ store });
  const { ttlMs } = (await refund(gate)).result;
  clock.now += ttlMs;
  const { taskId } = (await refund(gate, {}, { id: "o2" })).result;
  const kept: string[] = [];
  for await (const name of store.logs.list("gateway/tasks/")) kept.push(name);
  expect(kept).toEqual([`gateway/tasks/${taskId}`]);
});

it("has no tasks for a client that does not declare them", async () => {
  const { gate, ran } = await shop();
  const plain = { capabilities: { elicitation: { form: {} } } };
  expect((await refund(gate, plain)).result.resultType).toBe("input_required");
  expect((await refund(gate, { capabilities: {} })).result).toMatchObject({
    resultType: "complete",
    _meta: { "toolglot/outcome": { status: "pending" } },
  });
  const { taskId } = (await refund(gate)).result;
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    expect(await send(gate, method, { taskId, inputResponses: {} }, plain)).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: { extensions } } },
    });
  }
  expect(ran).toEqual([]);
});

it("refuses to tell a client of tasks that does not declare them", async () => {
  const { gate } = await shop();
  const listen = { notifications: { taskIds: ["any"] } };
  expect(await send(gate, "subscriptions/listen", listen, { capabilities: {} })).toMatchObject({
    status: 400,
    error: { code: -32021, data: { requiredCapabilities: { extensions } } },
  });
});

it("wants the task's id in the header, as the body has it", async () => {
  const { gate } = await shop();
  const { taskId } = (await refund(gate)).result;
  const wrong = await send(gate, "tasks/get", { taskId }, { headers: { "mcp-name": "another" } });
  expect(wrong).toMatchObject({ status: 400, error: { code: -32020 } });
  const request = newestRequest("http://gate.test/mcp", "tasks/get", { taskId }, { capabilities: forms });
  request.headers.delete("mcp-name");
  expect((await ask(gate, request, { lenientHeaders: true })).result).toMatchObject({ taskId });
});

/** Two stores on the same data, as two processes have them. */
async function twoStores(): Promise<[RouterStore, RouterStore]> {
  const place = sharedPlace();
  return [await place.open(), await place.open()];
}

it("serves a task from any process on the store, and goes on when the first is gone", async () => {
  const [one, two] = await twoStores();
  const ran: string[] = [];
  const first = await shop({ store: one, ran });
  const second = await shop({ store: two, ran });
  const { taskId } = (await refund(first.gate)).result;
  const [key = ""] = Object.keys((await taskAt(second.gate, taskId, ["input_required"])).inputRequests);
  const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
  // The other process decides, and the one that works on the task learns of it.
  expect(await send(second.gate, "tasks/update", { taskId, inputResponses })).toEqual(acknowledged);
  const done = await taskAt(second.gate, taskId, final);
  expect(done).toMatchObject({ status: "completed", result: { content: [{ text: "done 1" }] } });

  const { taskId: next } = (await refund(first.gate, {}, { id: "o2" })).result;
  await first.gate.close();
  const [again = ""] = Object.keys((await taskAt(second.gate, next, ["input_required"])).inputRequests);
  const answers = { [again]: { action: "accept", content: { decision: "approve" } } };
  await send(second.gate, "tasks/update", { taskId: next, inputResponses: answers });
  expect(await taskAt(second.gate, next, final)).toMatchObject({ result: { content: [{ text: "done 2" }] } });
  expect(ran).toEqual([`refund {"id":"o1"}`, `refund {"id":"o2"}`]);
});

it.each([
  ["still runs", false],
  ["is done, of which nothing was written down", true],
])("does nothing twice when a process takes over a call that %s in another", async (_how, isDone) => {
  const [one, two] = await twoStores();
  const ran: string[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const setting = { rules: [{ id: "all", decision: "allow" as const }], taskAfterMs: 20, ran, answer: () => held };
  let isCut = false;
  const append: RouterStore["logs"]["append"] = (...given) =>
    isCut ? Promise.reject(new Error("cut off")) : one.logs.append(...given);
  const taskStore = { now: () => one.now(), logs: { ...one.logs, append }, blobs: one.blobs };
  // Without a rule for repeats: a call that is done would run again.
  const first = await shop({ store: one, repeat: "free", ...setting, taskStore });
  const second = await shop({ store: two, repeat: "free", ...setting });
  const { taskId } = (await refund(first.gate)).result;
  isCut = true;
  const end = async (): Promise<void> => {
    release();
    await until(() => first.errors.some(({ message }) => message === "cut off"));
  };
  if (isDone) await end();
  const name = `gateway/tasks/${taskId}`;
  const lines = (await two.logs.read(name))?.length ?? 0;
  expect(await two.logs.append(name, [JSON.stringify({ leaseUntil: 0 })], lines)).toBe(true);
  expect((await send(second.gate, "tasks/get", { taskId })).result).toMatchObject({ status: "working" });
  if (!isDone) await end();
  expect(await taskAt(second.gate, taskId, final)).toMatchObject({
    status: "completed",
    result: { content: expect.arrayContaining([{ type: "text", text: "done 1" }]) },
  });
  expect(ran).toHaveLength(1);
});

it("says that nobody knows how far a program came whose process is gone, and does not begin it again", async () => {
  const [one, two] = await twoStores();
  let begun = 0;
  const own = (): OwnTool[] => [
    {
      listed: { name: "program", inputSchema: { type: "object" } },
      call: () => {
        begun++;
        return new Promise(() => {});
      },
    },
  ];
  const { servers, calls } = await routed({}, { store: one });
  const { gate: first } = gateOf(servers, { calls, own, store: one, taskAfterMs: 20 });
  const { gate: second } = gateOf(servers, { calls, own, store: two });
  const { taskId } = (await send(first, "tools/call", { name: "program", arguments: {} })).result;
  const name = `gateway/tasks/${taskId}`;
  const lines = (await two.logs.read(name))?.length ?? 0;
  expect(await two.logs.append(name, [JSON.stringify({ leaseUntil: 0 })], lines)).toBe(true);
  expect(await taskAt(second, taskId, final)).toMatchObject({
    status: "completed",
    result: { isError: true, _meta: { "toolglot/outcome": { status: "unknown" } } },
  });
  expect(begun).toBe(1);
});

it("has tasks on a pipe as well, on 2026-07-28", async () => {
  const { gate, ran } = await shop();
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  // biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to look at
  const answers: any[] = [];
  ours.onmessage = (message) => answers.push(message);
  const connection = gate.connect(theirs as never, { principal: makePrincipal({ id: "anna" }) });
  onTestFinished(() => connection.close());
  await ours.start();
  let id = 0;
  const over = async (method: string, params: Record<string, unknown>, capabilities: object = forms) => {
    const { params: sent } = await newestRequest("http://pipe.test", method, params, { capabilities }).json();
    await ours.send({ jsonrpc: "2.0", id: ++id, method, params: sent });
    await until(() => answers.some((answer) => answer.id === id));
    return answers.find((answer) => answer.id === id);
  };
  const call = { name: "shop__refund", arguments: { id: "o1" } };
  const { taskId } = (await over("tools/call", call)).result;
  expect((await over("tasks/get", { taskId })).result).toMatchObject({ status: "input_required" });
  expect((await over("tasks/get", { taskId }, {})).error.code).toBe(-32021);
  const listen = { notifications: { taskIds: [taskId] } };
  expect((await over("subscriptions/listen", listen, {})).error.code).toBe(-32021);
  expect((await over("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  // Over HTTP, the same principal finds it.
  expect((await send(gate, "tasks/get", { taskId })).result).toMatchObject({ status: "cancelled" });
  expect(ran).toEqual([]);
});

/** What a stream of events says, as it comes. */
async function* eventsOf(response: Response): AsyncGenerator<JsonObject> {
  let text = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

it("tells a client that listens how its tasks stand, and no other client", async () => {
  const { gate } = await shop();
  const { taskId } = (await refund(gate)).result;
  const listen = (token: string) => {
    const notifications = { taskIds: [taskId, "unknown"], toolsListChanged: true };
    const request = newestRequest(
      "http://gate.test/mcp",
      "subscriptions/listen",
      { notifications },
      { token, capabilities: forms },
    );
    return gate.fetch(request, { principal: makePrincipal({ id: token, tenant: "default" }) });
  };
  const events = eventsOf(await listen("anna"));
  const next = async (): Promise<JsonObject> => (await events.next()).value;
  expect(await next()).toMatchObject({
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { toolsListChanged: true, taskIds: [taskId] } },
  });
  const asked = (await next()) as never as { params: { inputRequests: object; _meta: object } };
  expect(asked).toMatchObject({ method: "notifications/tasks", params: { taskId, status: "input_required" } });
  expect(Object.keys(asked.params._meta)).toEqual(["io.modelcontextprotocol/subscriptionId"]);
  const [key = ""] = Object.keys(asked.params.inputRequests);
  const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } } };
  await send(gate, "tasks/update", { taskId, inputResponses });
  let last: JsonObject;
  do last = await next();
  while ((last.params as JsonObject).status !== "completed");
  expect(last).toMatchObject({ method: "notifications/tasks", params: { result: { content: [{ text: "done 1" }] } } });
  const others = eventsOf(await listen("eve"));
  const { value: taken } = await others.next();
  expect(taken.params.notifications).toEqual({ toolsListChanged: true, taskIds: [] });
  await Promise.all([events.return(undefined), others.return(undefined)]);
});

it("tells it on a pipe as well", async () => {
  const { gate } = await shop({
    rules: [{ id: "all", decision: "allow" }],
    taskAfterMs: 1,
    answer: () => new Promise((resolve) => setTimeout(() => resolve({ content: [] }), 50)),
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const got: JsonObject[] = [];
  ours.onmessage = (message) => void got.push(message as never);
  gate.connect(theirs as never, { principal: makePrincipal({ id: "anna" }) });
  await ours.start();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": forms,
  };
  const ask = (id: number, method: string, params: object) =>
    ours.send({ jsonrpc: "2.0", id, method, params: { ...params, _meta } } as never);
  await ask(1, "tools/call", { name: "shop__refund", arguments: { id: "o1" } });
  await until(() => got.some(({ id }) => id === 1));
  const { taskId } = Object(got.find(({ id }) => id === 1)?.result) as { taskId: string };
  await ask(2, "subscriptions/listen", { notifications: { taskIds: [taskId] } });
  await until(() => got.some(({ params }) => (params as JsonObject | undefined)?.status === "completed"));
  const told = got.filter(({ method }) => method !== undefined);
  expect(told[0]).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
  expect(new Set(told.slice(1).map(({ method }) => method))).toEqual(new Set(["notifications/tasks"]));
  await ours.close();
});
