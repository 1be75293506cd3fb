import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  expandRequests,
  nativeProtocol,
  parseRecording,
  recordRun,
  replay,
  replayRun,
  type StepState,
  stringifyRecording,
} from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol } from "@toolglot/attp";
import { type Message, type ModelRequest, messageText, type ToolProtocol, textMessage } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { tamProtocol } from "@toolglot/tam";
import { toolkitExecutor } from "@toolglot/toolkit";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { describe, expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";
import { openShop } from "./support/shop.ts";

const span = { start: 0, end: 0 };
const count = (id: string, article: string): ScriptedTurn => [
  { type: "call", call: { id, name: "count_stock", input: { article }, protocol: "native" } },
];

function shopAgent(turns: readonly ScriptedTurn[], more: Partial<AgentOptions>) {
  const { toolkit } = openShop();
  const model = scriptedModel(turns);
  const options = { protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit, model, ...more };
  return { model, options, agent: createAgent(options) };
}

const tam = tamProtocol({ prompt: tamPrompt });
const toolsxml = toolsxmlProtocol({ prompt: toolsxmlPrompt });

/** What a model writes in a protocol to count an article. */
const written = (protocol: ToolProtocol, article: string): ScriptedTurn =>
  protocol.declaresTools
    ? count(`native-${article}`, article)
    : protocol.formatActions(
        [{ kind: "calls", calls: [{ id: "", name: "count_stock", input: { article }, protocol: protocol.id }], span }],
        { tools: openShop().toolkit.definitions() },
      );

const texts = ({ messages }: ModelRequest): string[] => messages.map(messageText);
const partTypes = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ parts }) => parts.map(({ type }) => type));

describe("prepareStep", () => {
  it("is told where the run stands, and changes one step alone", async () => {
    const other = scriptedModel(["Then two."]);
    const seen: StepState[] = [];
    const { model, agent } = shopAgent([count("a", "pear"), count("b", "apple")], {
      system: "Be kind.",
      maxTokens: 50,
      prepareStep(step) {
        seen.push(step);
        if (step.stepIndex === 1) {
          const tools = step.tools.filter(({ name }) => name === "count_stock");
          return { tools, system: "Be quick.", maxTokens: 9, stop: ["END"] };
        }
        return step.stepIndex === 2 ? { model: other } : undefined;
      },
    });
    const run = agent.run("How many?");
    const { status, text, steps } = await run.result;
    expect({ status, text, steps: steps.length }).toEqual({ status: "answered", text: "Then two.", steps: 3 });
    const [first, second] = model.requests;
    const [third] = other.requests;
    expect([first?.tools?.length, second?.tools?.length, third?.tools?.length]).toEqual([3, 1, 3]);
    expect([first, second, third].map((request) => request?.maxTokens)).toEqual([50, 9, 50]);
    expect([first, second, third].map((request) => request?.stop)).toEqual([undefined, ["END"], undefined]);
    expect([first, second, third].map((request) => texts(request as ModelRequest)[0])).toEqual([
      "Be kind.",
      "Be quick.",
      "Be kind.",
    ]);
    expect(
      seen.map(({ stepIndex, turns, lastResults, tools, messages }) => [
        ...[stepIndex, turns, tools.length, messages.length],
        lastResults.map(({ callId }) => callId).join(),
      ]),
    ).toEqual([
      [0, 0, 3, 1, ""],
      [1, 1, 3, 3, "a"],
      [2, 2, 3, 5, "b"],
    ]);
    expect(seen[2]?.messages.every(({ role }) => role !== "system")).toBe(true);
    const requests = expandRequests(await collect(run));
    expect(requests.map(({ messages }) => messages)).toEqual(
      [first, second, third].map((request) => request?.messages),
    );
    expect(requests.map(({ tools }) => tools?.length)).toEqual([3, 1, 3]);
  });

  it("replaces the messages of one request, and the transcript keeps all", async () => {
    const { model, agent } = shopAgent([count("a", "pear"), "Two."], {
      prepareStep: ({ stepIndex }) => (stepIndex === 1 ? { messages: [textMessage("user", "In short?")] } : undefined),
    });
    const { transcript } = await agent.run("How many pears are there?").result;
    expect(texts(model.requests[1] as ModelRequest)).toEqual(["In short?"]);
    expect(transcript.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("that fails, or says what makes no sense, ends the run", async () => {
    const odd = [
      () => Promise.reject(new Error("gone")),
      () => ({ modell: 1 }),
      () => ({ model: 1 }),
      () => ({ protocol: {} }),
      () => ({ tools: [{}] }),
      () => ({ messages: [] }),
      () => ({ system: 1 }),
      () => ({ maxTokens: 0 }),
      () => ({ stop: "END" }),
      () => 3,
    ];
    for (const prepareStep of odd) {
      const { model, agent } = shopAgent(["Hello."], {
        prepareStep: prepareStep as AgentOptions["prepareStep"] & object,
      });
      const run = agent.run("Hi");
      expect(await run.result, String(prepareStep)).toMatchObject({
        status: "error",
        error: { code: "agent/hook-failed" },
        turns: 0,
      });
      expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/hook-failed" }]);
      expect(model.requests).toEqual([]);
    }
    expect(() => shopAgent([], { prepareStep: 1 as never })).toThrow("prepareStep must be a function");
  });
});

describe("a protocol that changes in mid-run", () => {
  const protocols = [nativeProtocol(), tam, toolsxml];
  const pairs = protocols.flatMap((base) =>
    protocols.filter((one) => one !== base).map((other) => [base, other] as const),
  );

  it.each(pairs.map(([base, other]) => [base.id, other.id, base, other] as const))(
    "from %s to %s and back: each request is in its own protocol",
    async (_base, _other, base, other) => {
      const at = (stepIndex: number): ToolProtocol => (stepIndex % 2 === 0 ? base : other);
      const articles = ["pear", "apple", "plum", "fig"];
      const turns = articles.map((article, index) => written(at(index), article));
      const { model, agent } = shopAgent([...turns, "Done."], {
        protocol: base,
        prepareStep: ({ stepIndex }) => ({ protocol: at(stepIndex) }),
      });
      const run = agent.run("Count.");
      const { status, results, transcript } = await run.result;
      expect(status).toBe("answered");
      expect(results.map(({ data }) => (data as { article: string }).article)).toEqual(articles);
      for (const [index, { messages, tools }] of model.requests.entries()) {
        const protocol = at(index);
        const types = partTypes(messages);
        expect(tools !== undefined, `request ${index}`).toBe(protocol.declaresTools === true);
        if (!protocol.declaresTools) {
          // Nothing but text; what native calls said is written as this protocol has it.
          expect(new Set(types)).toEqual(new Set(["text"]));
          expect(messages.every(({ role }) => role !== "tool")).toBe(true);
        } else {
          // Each result that is a part has its call before it.
          const called = new Set<string>();
          for (const part of messages.flatMap(({ parts }) => parts)) {
            if (part.type === "call") called.add(part.call.id);
            if (part.type === "result") expect(called.has(part.result.callId)).toBe(true);
          }
        }
        const all = JSON.stringify(messages);
        for (const article of articles.slice(0, index)) expect(all).toContain(article);
        expect(messages[0]?.role === "system").toBe(!protocol.declaresTools);
      }
      // The transcript is what was said, whatever the requests made of it.
      expect(transcript.messages.filter(({ role }) => role === "tool")).toHaveLength(4);
      const requests = expandRequests(await collect(run));
      expect(requests.map(({ messages }) => messages)).toEqual(model.requests.map(({ messages }) => messages));
    },
  );

  it("writes past native calls so that the new protocol would read them", async () => {
    const { model, agent } = shopAgent([count("a", "pear"), "Two."], {
      prepareStep: ({ stepIndex }) => (stepIndex === 1 ? { protocol: toolsxml } : undefined),
    });
    await agent.run("Count.").result;
    const said = model.requests[1]?.messages.find(({ role }) => role === "assistant");
    const parser = toolsxml.createParser({ tools: openShop().toolkit.definitions() });
    parser.feed(messageText(said as Message));
    const { blocks } = parser.end();
    expect(blocks.flatMap((block) => toolsxml.actions(block))).toMatchObject([
      { calls: [{ name: "count_stock", input: { article: "pear" } }] },
    ]);
  });

  it("reads programs, too, and leaves past text as it was written", async () => {
    const attp = attpProtocol({ prompt: attpPrompt });
    const { model, agent } = shopAgent([written(tam, "pear"), "Fine."], {
      protocol: tam,
      prepareStep: ({ stepIndex }) => (stepIndex === 1 ? { protocol: attp } : undefined),
    });
    expect(await agent.run("Count.").result).toMatchObject({ status: "answered", text: "Fine." });
    const [, second] = model.requests;
    expect(texts(second as ModelRequest)[0]).toContain("ATTP");
    expect(texts(second as ModelRequest)).toContain(written(tam, "pear"));
    expect(second?.stop ?? []).toEqual(attp.stop);
  });
});

it("is recorded, and a replay asks nobody", async () => {
  const other = Object.assign(scriptedModel([written(tam, "apple")]), { info: { modelId: "small" } });
  let asked = 0;
  const { options } = shopAgent([count("a", "pear"), "Done."], {
    async prepareStep({ stepIndex }) {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
      return stepIndex === 1 ? { protocol: tam, model: other, system: "Once." } : undefined;
    },
  });
  const run = recordRun(options, "Count.");
  const events: AgentEvent[] = await collect(run);
  expect((await run.result).steps).toMatchObject([{}, { model: { modelId: "small" } }, {}]);
  const recording = parseRecording(stringifyRecording(run.recording));
  const before = asked;
  const played = replayRun(recording, { protocol: nativeProtocol(), protocols: [tam] });
  expect(await collect(played)).toEqual(events);
  expect(played.divergence).toBeUndefined();
  expect(asked).toBe(before);
  expect(() => replayRun(recording, { protocol: nativeProtocol() })).toThrow(/tam\/1.*protocols/);
  expect(() => replay(recording, { protocol: tam } as never)).toThrow(/protocols/);

  const failing = recordRun({ ...options, prepareStep: () => Promise.reject(new Error("gone")) }, "Count.");
  const failed = await collect(failing);
  expect(await collect(replayRun(failing.recording, { protocol: nativeProtocol() }))).toEqual(failed);
});
