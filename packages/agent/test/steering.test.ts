import {
  type AgentOptions,
  type AgentRun,
  parseRecording,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { type Message, type ModelPart, messageText, textMessage } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { setUp } from "./support/set-up.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const texts = (messages: readonly Message[]): string[] => messages.map(messageText);

/** An executor that lets the host speak while a tool runs. */
const speaking = (say: () => void) =>
  recordingExecutor(({ input }) => {
    say();
    return input;
  });

describe("steer", () => {
  it("should be said after the step's results, before the next request", async () => {
    let run: AgentRun | undefined;
    const executor = speaking(() => expect(run?.steer("Only two.")).toBe(true));
    const { agent, model } = setUp(["[[call add {}]]", "Done."], { executor });
    run = agent.run("Go");
    const events = await collect(run);
    expect((await run.result).status).toBe("answered");
    const second = texts(model.requests[1]?.messages ?? []);
    expect(second.slice(-2)).toEqual([expect.stringContaining("<<ok"), "Only two."]);
    const order = events.map(({ type }) => type).filter((type) => /action-end|message-injected|request/.test(type));
    expect(order).toEqual(["request", "action-end", "message-injected", "request"]);
    expect(only(events, "message-injected")).toMatchObject([
      { kind: "steer", stepIndex: 1, messages: [{ role: "user", trust: "user" }] },
    ]);
  });

  it("should go on with a run whose model answers meanwhile, several in order, each as its own message", async () => {
    const { agent, model } = setUp(["First.", "Second."]);
    const run = agent.run("Go");
    run.followUp("And then?");
    run.steer("One");
    run.steer([textMessage("user", "Two", "untrusted"), textMessage("user", "Three", "host")]);
    const result = await run.result;
    expect(result).toMatchObject({ status: "answered", text: "Second.", turns: 2, undelivered: [] });
    const [first, second] = model.requests.map(({ messages }) => texts(messages).slice(1));
    expect(first).toEqual(["Go", "One", "Two", "Three"]);
    expect(second).toEqual(["Go", "One", "Two", "Three", "First.", "And then?"]);
    expect(result.transcript.messages.map(({ trust }) => trust).slice(1, 5)).toEqual([
      "user",
      "user",
      "untrusted",
      "user",
    ]);
  });

  it("should end the model's answer when it is to interrupt, and run none of its calls", async () => {
    let run: AgentRun | undefined;
    const closed: string[] = [];
    const model = async function* (request: { messages: Message[] }): AsyncGenerator<ModelPart> {
      if (texts(request.messages).includes("Stop that.")) {
        yield "Stopped.";
        return;
      }
      try {
        yield "I store. [[call store {}]]";
        run?.steer("Stop that.", { interrupt: true });
        yield " More.";
        await new Promise(() => undefined);
      } finally {
        closed.push("closed");
      }
    };
    const { agent, executor } = setUp([], { model });
    run = agent.run("Go");
    const result = await run.result;
    expect(result).toMatchObject({ status: "answered", text: "Stopped.", turns: 2 });
    expect(executor.ran).toEqual([]);
    expect(texts(result.transcript.messages).slice(1)).toEqual([
      "Go",
      "I store. [[call store {}]]",
      "Stop that.",
      "Stopped.",
    ]);
  });

  it("should give back what a run that ended did not hear, and take nothing after that", async () => {
    let run: AgentRun | undefined;
    const executor = speaking(() => run?.steer("Wait"));
    const { agent } = setUp(["[[call add {}]]"], { executor, limits: { turns: 1 } });
    run = agent.run("Go");
    run.followUp("Later");
    const result = await run.result;
    expect(result).toMatchObject({ status: "limit", limit: "turns" });
    expect(texts(result.undelivered)).toEqual(["Later", "Wait"]);
    expect([run.steer("x"), run.followUp("y")]).toEqual([false, false]);
  });

  it("should refuse what can't be said", () => {
    const { agent } = setUp(["[[call add {}]]"], { mode: "single" });
    expect(() => agent.run("Go").steer("x")).toThrow(/single/);
    expect(() => setUp(["x"]).agent.run("Go").steer(" ")).toThrow(TypeError);
    expect(() =>
      setUp(["x"])
        .agent.run("Go")
        .steer("x", { interupt: true } as never),
    ).toThrow(/interrupt/);
  });
});

describe("stopWhen, price", () => {
  it("should stop after a step whose calls have results", async () => {
    const { agent, model } = setUp(["I add. [[call add {}]]", "Never."], {
      stopWhen: [
        () => false,
        ({ results, turns, text }) => results[0]?.name === "add" && turns === 1 && text === "I add.",
      ],
    });
    expect(await agent.run("Go").result).toMatchObject({ status: "stopped", text: "I add.", turns: 1 });
    expect(model.requests).toHaveLength(1);
  });

  it("should stop when a condition throws, with a warning", async () => {
    const { agent } = setUp(["[[call add {}]]", "Never."], {
      stopWhen: () => {
        throw new Error("broken");
      },
    });
    const run = agent.run("Go");
    expect(only(await collect(run), "warning")).toMatchObject([
      { code: "agent/hook-failed", message: expect.stringContaining("broken") },
    ]);
    expect((await run.result).status).toBe("stopped");
  });

  const priced = (text: string): ModelPart[] => [
    text,
    { type: "finish", reason: "stop", usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4 } },
  ];

  it("should reckon costs, tell them by step, and end a run that is too dear", async () => {
    const model = Object.assign(scriptedModel([priced("[[call add {}]]"), priced('[[call add {"a":1}]]'), "Never."]), {
      info: { provider: "p", modelId: "m" },
    });
    const seen: unknown[] = [];
    const { agent } = setUp([], {
      model,
      limits: { cost: 0.5 },
      price: (usage, step) => {
        seen.push(step);
        return (usage.inputTokens ?? 0) * 0.03;
      },
    });
    const run = agent.run("Go");
    const events = await collect(run);
    const result = await run.result;
    expect(result).toMatchObject({ status: "limit", limit: "cost" });
    expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 4, cachedInputTokens: 8, cost: expect.closeTo(0.6) });
    expect(result.steps).toMatchObject([
      { stepIndex: 0, finish: "stop", usage: { cost: 0.3 }, model: { modelId: "m" } },
      { stepIndex: 1, finish: "stop" },
    ]);
    expect(only(events, "step-end").map(({ usage }) => usage?.cost)).toEqual([
      expect.closeTo(0.3),
      expect.closeTo(0.3),
    ]);
    expect(seen[0]).toEqual({ stepIndex: 0, model: model.info });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no table");
      },
    ],
    ["gives no number", () => Number.NaN],
    ["gives less than nothing", () => -1],
  ])("should go on without a cost when the price %s", async (_, price) => {
    const { agent } = setUp([priced("Done.")], { price });
    const run = agent.run("Go");
    expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/price-failed" }]);
    expect((await run.result).usage).toEqual({ inputTokens: 10, outputTokens: 2, cachedInputTokens: 4 });
  });

  it("should refuse what makes no sense", () => {
    expect(() => setUp([], { stopWhen: "done" as never })).toThrow(/stopWhen/);
    expect(() => setUp([], { price: 3 as never })).toThrow(/price/);
    expect(() => setUp([], { limits: { cost: 1 } })).toThrow(/needs price/);
  });
});

it("should be played again as it was, whatever the host said in between", async () => {
  for (const sayAfter of [0, 1, 2, 3, 5, 8, 13]) {
    for (const interrupt of [false, true]) {
      let said = 0;
      let run: AgentRun | undefined;
      const options: AgentOptions = {
        model: scriptedModel([
          ["I ", "add. ", "[[call add {}]]"],
          ["Well", "."],
          "[[call store {}]]",
          "End.",
          "End.",
          "End.",
        ]),
        protocol: bracketProtocol(),
        executor: recordingExecutor(),
        tools: definitions,
        price: () => 1,
        stopWhen: ({ results }) => results.some(({ name }) => name === "store"),
        onEvent: () => {
          if (said++ === sayAfter) run?.steer("Hear me.", { interrupt });
        },
      };
      run = recordRun(options, "Go");
      if (sayAfter === 0) run.followUp("At the end.");
      const events = await collect(run);
      const recording = parseRecording(stringifyRecording((run as ReturnType<typeof recordRun>).recording));
      const played = replayRun(recording, { protocol: bracketProtocol() });
      expect(await collect(played)).toEqual(events);
      expect(played.divergence).toBeUndefined();
      expect(await played.result).toEqual(await run.result);
    }
  }
});
