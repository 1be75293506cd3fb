import type { ElicitRequest } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import {
  answerIn,
  ask,
  clientAt,
  gateOf,
  listening,
  newest,
  newestRequest,
  principal,
  until,
  upstream,
} from "./support.ts";

const eras = [newest, "2025-11-25"];
const anything = { "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) } };
const url = "http://gate.test/mcp";
const call = (name: string, args: object = {}, more: object = {}, options: object = {}) =>
  newestRequest(url, "tools/call", { name, arguments: args, ...more }, options);

it.each(eras)("passes a question of the server to the client whose call runs, in %s", async (revision) => {
  const server = await upstream("desk", [{ name: "book" }], async (_name, _args, { mcpReq }) => {
    const requestedSchema = { type: "object", properties: { seat: { type: "string" } }, required: ["seat"] };
    const said: unknown[] = [];
    for (const message of ["Which seat?", "And for the way back?"]) {
      said.push(await mcpReq.send({ method: "elicitation/create", params: { message, requestedSchema } }, anything));
    }
    return { content: [{ type: "text", text: JSON.stringify(said) }] };
  });
  const { gate, calls } = gateOf([server]);
  const client = await clientAt(await listening(gate), revision, { capabilities: { elicitation: { form: {} } } });
  const questions: ElicitRequest["params"][] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params);
    return { action: "accept", content: { seat: `${questions.length}A` } };
  });
  const { content } = await client.callTool({ name: "desk__book" });
  const accepted = (seat: string) => ({ action: "accept", content: { seat } });
  expect(JSON.parse((content[0] as { text: string }).text)).toEqual([accepted("1A"), accepted("2A")]);
  expect(questions.map(({ message }) => message)).toEqual(["Which seat?", "And for the way back?"]);
  expect(questions[0]).toMatchObject({ requestedSchema: { properties: { seat: { type: "string" } } } });
  expect(calls.ran).toHaveLength(1);
});

it.each(eras)("asks nobody through a client in %s that its caller may not be asked through", async (revision) => {
  const server = await upstream("desk", [{ name: "book" }], async (_name, _args, { mcpReq }) => {
    const params = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
    const { action } = (await mcpReq.send({ method: "elicitation/create", params }, anything)) as { action: string };
    return { content: [{ type: "text", text: action }] };
  });
  const { gate } = gateOf([server]);
  const at = await listening(gate, { mayElicit: false });
  const client = await clientAt(at, revision, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler("elicitation/create", () => {
    throw new Error("asked nevertheless");
  });
  expect(await client.callTool({ name: "desk__book" })).toMatchObject({ content: [{ text: "decline" }] });
});

it("lets a model of the client answer, in every revision", async () => {
  const server = await upstream("desk", [{ name: "think" }], async (_name, _args, { mcpReq }) => {
    const params = { messages: [{ role: "user", content: { type: "text", text: "Why?" } }], maxTokens: 10 };
    const said = await mcpReq
      .send({ method: "sampling/createMessage", params }, anything)
      .catch((error) => error.message);
    return { content: [{ type: "text", text: JSON.stringify(said) }] };
  });
  const { gate } = gateOf([server]);
  const at = await listening(gate);
  const answer = { role: "assistant" as const, content: { type: "text" as const, text: "Because." }, model: "m" };
  for (const revision of eras) {
    const client = await clientAt(at, revision, { capabilities: { sampling: {} } });
    client.setRequestHandler("sampling/createMessage", () => answer);
    const { content } = await client.callTool({ name: "desk__think" });
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual(answer);
  }
});

it("goes on with a call only for its principal, its tool and its arguments", async () => {
  const answers: unknown[] = [];
  const server = await upstream("desk", [{ name: "book" }], async (_name, { day }, { mcpReq }) => {
    if (day !== 1) return { content: [] };
    const params = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
    answers.push(
      ((await mcpReq.send({ method: "elicitation/create", params }, anything)) as { action: string }).action,
    );
    return { content: [] };
  });
  const { gate, calls } = gateOf([server]);
  const capabilities = { elicitation: {} };
  const { result } = await ask(gate, call("desk__book", { day: 1 }, {}, { capabilities }));
  const { requestState } = result;
  const inputResponses = { question: { action: "accept", content: {} } };
  const back = (args: object, options: object = {}) =>
    ask(gate, call("desk__book", args, { requestState, inputResponses }, { capabilities, ...options }));
  expect((await back({ day: 1 }, { token: "berta" })).error.code).toBe(-32602);
  expect(answers).toEqual([]);
  // Other arguments: the question is over, and another call begins.
  expect((await back({ day: 2 })).result.resultType).toBe("complete");
  await until(() => answers.length === 1);
  expect(answers).toEqual(["cancel"]);
  expect(calls.ran).toEqual([`desk__book {"day":1}`, `desk__book {"day":2}`]);
});

it.each(eras)("passes progress where it is wanted, and _meta that is not the protocol's, in %s", async (revision) => {
  const server = await upstream("desk", [{ name: "print" }], async (_name, _args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken as string;
    for (const progress of [1, 2]) {
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 2, message: "p" },
      });
    }
    return { content: [] };
  });
  const { gate, calls } = gateOf([server]);
  const client = await clientAt(await listening(gate), revision);
  const heard: unknown[] = [];
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await client.callTool(
    { name: "desk__print", _meta: { traceparent, "toolglot/idempotencyKey": "k1", "example.com/x": 1 } },
    { onprogress: (progress) => heard.push(progress) },
  );
  expect(heard).toEqual([1, 2].map((progress) => ({ progress, total: 2, message: "p" })));
  await client.callTool({ name: "desk__print" });
  expect(calls.contexts.map(({ onProgress }) => onProgress === undefined)).toEqual([false, true]);
  expect(calls.seen[0]).toMatchObject({ key: "k1", meta: { traceparent, "example.com/x": 1 } });
  expect(Object.keys(calls.seen[0]?.meta ?? {})).toHaveLength(2);
  await expect(
    client.callTool({ name: "desk__print", _meta: { "toolglot/idempotencyKey": "x".repeat(257) } }),
  ).rejects.toMatchObject({ code: -32602 });
});

/** A tool that runs until the test lets it go, or until its signal says so. */
async function slow() {
  const state = { running: 0, aborted: 0, finish: () => {} };
  const server = await upstream("desk", [{ name: "wait" }], async (_name, _args, { mcpReq: { signal } }) => {
    state.running += 1;
    signal.addEventListener("abort", () => {
      state.aborted += 1;
    });
    await new Promise<void>((resolve) => {
      state.finish = resolve;
    });
    return { content: [{ type: "text", text: "late" }] };
  });
  return { state, ...gateOf([server]) };
}

it("takes a closed stream of the newest revision for the end of the request", async () => {
  const { state, gate, calls } = await slow();
  const at = await listening(gate);
  const gone = new AbortController();
  const request = newestRequest(at, "tools/call", { name: "desk__wait" });
  const sent = fetch(request, { signal: gone.signal }).catch((error: Error) => error.name);
  await until(() => state.running === 1);
  gone.abort();
  expect(await sent).toBe("AbortError");
  await until(() => calls.contexts[0]?.signal?.aborted === true);
});

it("cancels nothing on earlier revisions when the client is gone, but what it takes back", async () => {
  const { state, gate, calls } = await slow();
  const at = await listening(gate);
  const client = await clientAt(at, "2025-11-25");
  const taken = new AbortController();
  const withdrawn = client.callTool({ name: "desk__wait" }, { signal: taken.signal }).catch((error: Error) => error);
  await until(() => state.running === 1);
  taken.abort("changed my mind");
  await withdrawn;
  await until(() => calls.contexts[0]?.signal?.aborted === true);
  const lost = client.callTool({ name: "desk__wait" }).catch((error: Error) => error);
  await until(() => state.running === 2);
  await client.close();
  await lost;
  await gate.end(() => true);
  expect(calls.contexts[1]?.signal?.aborted).toBe(false);
});

it("gives results exactly as they came, whatever the official schemas think of them", async () => {
  const odd = {
    content: [
      { type: "text", text: "a", annotations: { audience: ["user"], odd: 1 }, extra: true },
      { type: "hologram", data: [1, 2] },
      { type: "text", text: "b", _meta: { "example.com/k": "v" } },
    ],
    structuredContent: { z: 1, a: { b: null } },
    _meta: { "example.com/trace": { deep: [1] } },
    unknown: "member",
  };
  const { gate } = gateOf([await upstream("desk", [{ name: "odd" }])], {
    calls: {
      call: async () => ({
        result: { ...odd, _meta: { ...odd._meta, "toolglot/outcome": {} } },
        outcome: { status: "done", dispatched: true, receipt: "r" },
      }),
      now: Date.now,
      decide: async () => false,
      whenDecided: async () => false,
      again: async () => expect.unreachable(),
      status: async () => expect.unreachable(),
      close: async () => {},
    },
  });
  const { result } = await ask(gate, call("desk__odd"));
  const { resultType, _meta, ...rest } = result;
  const { _meta: given, ...all } = odd;
  expect(resultType).toBe("complete");
  expect(rest).toEqual(all);
  expect(JSON.stringify(rest.structuredContent)).toBe(JSON.stringify(odd.structuredContent));
  expect(_meta).toMatchObject(given);
});

it("gives structured content of any kind to clients of the newest revision, objects alone to others", async () => {
  const schemas = { list: { type: "array", items: { type: "number" } }, map: { type: "object" } };
  const server = await upstream(
    "desk",
    Object.entries(schemas).map(([name, outputSchema]) => ({ name, outputSchema })),
    (name) => ({ content: [], structuredContent: name === "list" ? [1, 2] : { one: 1 } }),
  );
  const { gate } = gateOf([server], {
    calls: {
      call: async ({ tool }) => ({
        result: { content: [], structuredContent: tool.tool === "list" ? [1, 2] : { one: 1 }, _meta: {} },
        outcome: { status: "done", dispatched: true, receipt: "r" },
      }),
      now: Date.now,
      decide: async () => false,
      whenDecided: async () => false,
      again: async () => expect.unreachable(),
      status: async () => expect.unreachable(),
      close: async () => {},
    },
  });
  const at = await listening(gate);
  const [now, before] = await Promise.all(eras.map((revision) => clientAt(at, revision)));
  const outputs = async (client = now) => {
    const { tools } = (await client?.listTools()) ?? { tools: [] };
    return Object.fromEntries(tools.map(({ name, outputSchema }) => [name, outputSchema]));
  };
  expect(await outputs()).toMatchObject({ desk__list: schemas.list, desk__map: schemas.map });
  expect(await outputs(before)).toMatchObject({ desk__list: undefined, desk__map: schemas.map });
  expect(await now?.callTool({ name: "desk__list" })).toMatchObject({ structuredContent: [1, 2] });
  const old = await before?.callTool({ name: "desk__list" });
  expect(old).toMatchObject({ content: [{ type: "text", text: "[1,2]" }] });
  expect(old).not.toHaveProperty("structuredContent");
  expect(await before?.callTool({ name: "desk__map" })).toMatchObject({ structuredContent: { one: 1 } });
});

it("answers again and status by receipt, and says what is missing", async () => {
  const { gate } = gateOf([]);
  const text = async (name: string, args: object) => (await ask(gate, call(name, args))).result;
  expect(await text("toolglot_again", { receipt: "r1" })).toMatchObject({ content: [{ text: "again r1" }] });
  expect(await text("toolglot_status", { receipt: "r2" })).toMatchObject({ content: [{ text: "status of r2" }] });
  expect(await text("toolglot_status", { approval: "a3" })).toMatchObject({ content: [{ text: "status of a3" }] });
  expect(await text("toolglot_again", {})).toMatchObject({ isError: true, content: [{ text: /needs "receipt"/ }] });
  expect(await text("toolglot_status", {})).toMatchObject({
    isError: true,
    content: [{ text: /"receipt" of a call, or/ }],
  });
});

it("has no tool for a caller that his policy could not allow", async () => {
  const server = await upstream("desk", [{ name: "open" }, { name: "secret" }]);
  const { gate, calls } = gateOf([server], {
    visible: ({ principal: { id } }, { tool }) => tool !== "secret" || id === "boss",
  });
  const names = async (token: string) => {
    const { result } = await ask(gate, newestRequest(url, "tools/list", {}, { token }));
    return result.tools.map(({ name }: { name: string }) => name);
  };
  expect(await names("anna")).toEqual(["desk__open", "toolglot_again", "toolglot_status"]);
  expect(await names("boss")).toContain("desk__secret");
  const { error } = await ask(gate, call("desk__secret"));
  const { error: unknown } = await ask(gate, call("desk__nothing"));
  expect(error).toEqual({ ...unknown, message: unknown.message.replace("nothing", "secret") });
  expect(calls.ran).toEqual([]);
  const response = await gate.fetch(call("desk__secret", {}, {}, { token: "boss" }), { principal: principal("boss") });
  expect((await answerIn(response)).result.content).toEqual([{ type: "text", text: "secret" }]);
});
