import { createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { Message, MessagePart, ToolProtocol, ToolResult } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPrompt } from "../src/model/to-prompt.ts";

// Both halves of what is sent: a call and its result, and roles that take turns.

const user = (text: string): Message => ({ role: "user", trust: "user", parts: [{ type: "text", text }] });
const asked = (...ids: string[]): Message => ({
  role: "assistant",
  trust: "user",
  parts: ids.map((id) => ({ type: "call", call: { id, name: "look", input: { id }, protocol: "native" } })),
});
const result = (callId: string, text = "found", status: ToolResult["status"] = "ok"): MessagePart => ({
  type: "result",
  result: { callId, status, content: [{ type: "text", text }] },
});
const told = (...parts: MessagePart[]): Message => ({ role: "tool", trust: "untrusted", parts });
const idsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "call" ? [part.call.id] : [])));

async function requestOf(messages: readonly Message[], protocol: ToolProtocol = nativeProtocol()) {
  const model = scriptedModel(["done"]);
  const warnings: string[] = [];
  const agent = createAgent({
    ...{ model, protocol, tools: [] },
    executor: { handles: () => false, execute: async () => [] },
    onEvent(event) {
      if (event.type === "warning") warnings.push(`${event.code} ${event.message}`);
    },
  });
  const { status, transcript } = await agent.run(messages).result;
  expect(status).toBe("answered");
  expect(transcript.messages.slice(-messages.length - 1, -1)).toEqual(messages);
  return { messages: model.requests[0]?.messages ?? [], warnings };
}

/** What each provider demands. Gives the results' texts. */
function checkPairs(messages: readonly Message[]): string[] {
  const texts: string[] = [];
  let open: string[] = [];
  for (const message of messages) {
    const results = message.parts.flatMap((part) => (part.type === "result" ? [part.result] : []));
    if (open.length > 0 || results.length > 0) {
      expect(message.role).toBe("tool");
      expect(results.map(({ callId }) => callId)).toEqual(open);
    }
    texts.push(...results.map(({ content: [block] }) => (block?.type === "text" ? block.text : "")));
    open = idsOf([message]);
  }
  expect(open).toEqual([]);
  return texts;
}

describe("a call and its result", () => {
  it.each<[string, Message[], (string | RegExp)[], RegExp | undefined]>([
    ["as they should", [user("a"), asked("1", "2"), told(result("1", "x"), result("2", "y"))], ["x", "y"], undefined],
    ["without a result, in the middle", [user("a"), asked("1"), user("b")], [/No result/], /: 1\./],
    ["without a result, at the end", [user("a"), asked("1")], [/No result/], /: 1\./],
    ["with one of two", [user("a"), asked("1", "2"), told(result("2", "y"))], [/No result/, "y"], /: 1\./],
    ["in another order", [asked("1", "2"), told(result("2", "y"), result("1", "x"))], ["x", "y"], undefined],
    ["in a message each", [asked("1", "2"), told(result("1", "x")), told(result("2", "y"))], ["x", "y"], undefined],
    ["with the user's words between", [asked("1"), user("b"), told(result("1", "x"))], ["x"], undefined],
    ["the other way round", [user("a"), told(result("1", "x")), asked("1"), user("b")], ["x"], undefined],
    ["with a second result", [asked("1"), told(result("1", "x"), result("1", "longer"))], ["longer"], /twice.*: 1\./],
    [
      "with the news of a result before it",
      [asked("1"), told(result("1", "it goes on and on", "pending")), told(result("1", "x"))],
      ["x"],
      /: 1\./,
    ],
    ["with the call again", [asked("1"), told(result("1", "x")), asked("1"), user("b")], ["x"], /twice.*: 1\./],
    ["with the call before", [user("a"), asked("1"), asked("1"), told(result("1", "x"))], ["x"], /twice.*: 1\./],
    ["beside others", [asked("1"), asked("2"), told(result("1", "x")), told(result("2", "y"))], ["x", "y"], undefined],
    ["twice", [asked("1"), told(result("1", "x")), asked("1"), told(result("1", "x"))], ["x"], /twice.*: 1\./],
  ])("should be one of each when a store has them %s", async (_, given, texts, warned) => {
    const { messages, warnings } = await requestOf(given);
    const found = checkPairs(messages);
    expect(found).toHaveLength(texts.length);
    for (const [at, text] of texts.entries()) expect(found[at]).toMatch(text);
    if (warned === undefined) expect(warnings).toEqual([]);
    else expect(warnings.join()).toMatch(warned);
  });

  it("should be text where there is no call, and stay as it is where calls are text", async () => {
    const { messages, warnings } = await requestOf([user("a"), told(result("9", "lost")), user("b")]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "user"]);
    expect(warnings).toEqual([]);
    const tam = tamProtocol({ prompt: tamPrompt }) as ToolProtocol;
    const text = await requestOf([user("a"), asked("1"), user("b")], tam);
    expect(text.warnings).toEqual([]);
    expect(text.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  });

  it("should be right whatever a store has made of a conversation", async () => {
    const ids = fc.constantFrom("1", "2", "3");
    const results = fc.array(fc.tuple(ids, fc.string({ minLength: 1 })), { minLength: 1, maxLength: 3 });
    const message = fc.oneof(
      fc.constant(user("and?")),
      fc.array(ids, { minLength: 1, maxLength: 3 }).map((some) => asked(...some)),
      results.map((some) => told(...some.map(([id, text]) => result(id, text)))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 8 }), async (given) => {
        const { messages } = await requestOf([user("go"), ...given]);
        checkPairs(messages);
        expect(idsOf(messages).sort()).toEqual([...new Set(idsOf(given))].sort());
      }),
      { numRuns: 150 },
    );
  });
});

describe("neighbours of one role", () => {
  const model = { specificationVersion: "v3", provider: "p" };

  it("should be one message of several parts", () => {
    const prompt = toPrompt(
      [
        { role: "system", trust: "host", parts: [{ type: "text", text: "Be brief." }] },
        { role: "user", trust: "user", parts: [{ type: "file", mediaType: "text/plain", data: "aGk=" }] },
        user("What is in it?"),
        { role: "assistant", trust: "user", parts: [{ type: "text", text: "I look." }] },
        asked("1"),
        told(result("1")),
        told(result("2")),
        user("a"),
        { role: "user", trust: "host", parts: [{ type: "text", text: "b" }] },
      ],
      model,
    );
    const lengths = prompt.map(({ role, content }) => `${role} ${content.length}`);
    expect(lengths).toEqual(["system 9", "user 2", "assistant 2", "tool 2", "user 2"]);
    expect(prompt.at(-1)?.content).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]);
  });

  it("should alternate, whatever was said", () => {
    const roles = fc.array(fc.constantFrom<Message["role"]>("system", "user", "assistant", "tool"), { maxLength: 12 });
    fc.assert(
      fc.property(roles, (list) => {
        const messages = list.map((role) => ({ ...user("x"), role }));
        const prompt = toPrompt(messages, model);
        for (const [at, { role }] of prompt.entries()) expect(role).not.toBe(prompt[at + 1]?.role);
      }),
    );
  });
});
