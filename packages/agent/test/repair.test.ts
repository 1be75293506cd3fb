import type { ModelPart } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";
import { setUp } from "./support/set-up.ts";

const finish = (reason: "stop" | "length" | "filter" | "error"): ModelPart => ({ type: "finish", reason });

describe("repair turns", () => {
  it("send back what explain says, and never run a block that can't run", async () => {
    for (const flag of ["invalid", "truncated", "fabricated"]) {
      const { agent, model, executor } = setUp([`[[call!${flag} add {}]]`, "Sorry."]);
      const events = await collect(agent.run("Go"));
      expect(executor.ran).toEqual([]);
      expect(only(events, "repair-turn")).toHaveLength(1);
      const [repair] = only(events, "repair-turn");
      expect(model.requests[1]?.messages.at(-1)).toMatchObject({
        role: "user",
        trust: "host",
        parts: [{ text: repair?.text }],
      });
      expect(only(events, "step-start").map((event) => event.repair)).toEqual([false, true]);
    }
  });

  it("name the fault", async () => {
    const { agent } = setUp(["[[call!invalid add {}]]", "Sorry."]);
    const [repair] = only(await collect(agent.run("Go")), "repair-turn");
    expect(repair).toMatchObject({ reason: "unreadable", text: "bracket/invalid: The block is invalid." });
  });

  it("are at most two in a row, then the run ends in an error", async () => {
    const { agent, model } = setUp(Array(5).fill("[[call!invalid add {}]]"));
    const result = await agent.run("Go").result;
    expect(result).toMatchObject({
      status: "error",
      turns: 3,
      error: { code: "agent/bad-output", data: { reason: "unreadable" } },
    });
    expect(model.requests).toHaveLength(3);
  });

  it("are counted anew after an answer that could be used", async () => {
    const bad = "[[call!invalid add {}]]";
    const { agent } = setUp([bad, bad, "[[call add {}]]", bad, bad, "Done."]);
    expect(await agent.run("Go").result).toMatchObject({ status: "answered", text: "Done.", turns: 6 });
  });

  it("can be switched off", async () => {
    const { agent } = setUp(["[[call!invalid add {}]]"], { maxRepairTurns: 0 });
    expect(await agent.run("Go").result).toMatchObject({ status: "error", turns: 1 });
  });

  it("follow an empty answer, without an empty message in the conversation", async () => {
    const { agent, model } = setUp([[" ", finish("stop")], "Hello."]);
    const run = agent.run("Hi");
    expect(only(await collect(run), "repair-turn")[0]?.reason).toBe("empty");
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(["system", "user", "user"]);
    expect(await run.result).toMatchObject({ status: "answered", text: "Hello." });
  });

  it("speak the agent's language", async () => {
    const { agent } = setUp(["", "你好"], { locale: "zh" });
    expect(only(await collect(agent.run("你好")), "repair-turn")[0]?.text).toMatch(/^你上一次的回答是空的/);
  });

  it("follow an answer that was cut inside a block", async () => {
    const { agent, executor } = setUp([["[[call store {", finish("length")], "Ok."]);
    const [repair] = only(await collect(agent.run("Go")), "repair-turn");
    expect(repair?.reason).toBe("truncated");
    expect(repair?.text).toMatch(/cut off .*\n\nbracket\/truncated/s);
    expect(executor.ran).toEqual([]);
  });

  it("should not follow a text answer that was cut, which is kept w/ a warning", async () => {
    const { agent } = setUp([["It is", finish("length")]]);
    const run = agent.run("Go");
    expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/answer-cut" }]);
    expect(await run.result).toMatchObject({ status: "answered", text: "It is" });
  });

  it("follow a native call that nobody declared", async () => {
    const call: ModelPart = { type: "call", call: { id: "x", name: "add", input: {}, protocol: "native" } };
    const { agent, executor } = setUp([[call, finish("stop")], "Ok."]);
    expect(only(await collect(agent.run("Go")), "repair-turn")[0]?.reason).toBe("undeclared-call");
    expect(executor.ran).toEqual([]);
  });
});

describe("repaired values", () => {
  it("hold a call with an effect back", async () => {
    const { agent, executor, model } = setUp(['[[call!value store {"a":1}]]', '[[call store {"a":1}]]', "Stored."]);
    const [repair, ...more] = only(await collect(agent.run("Go")), "repair-turn");
    expect(more).toEqual([]);
    expect(repair).toMatchObject({
      reason: "held-back",
      text: expect.stringMatching(/^Nothing was run.*store.*\n- A value was repaired\.$/s),
    });
    expect(executor.ran).toHaveLength(1);
    expect(model.requests).toHaveLength(3);
  });

  it("hold a call to a tool back that nobody knows", async () => {
    const { agent, executor } = setUp(["[[call!value mystery {}]]", "Ok."]);
    await agent.run("Go").result;
    expect(executor.ran).toEqual([]);
  });

  it("should not hold a read-only call back", async () => {
    const { agent, executor } = setUp(["[[call!value add {}]]", "Ok."]);
    await agent.run("Go").result;
    expect(executor.ran).toHaveLength(1);
  });

  it("hold a program back when it names a tool with an effect, however it is spelt", async () => {
    for (const source of ["store(a=1)", "x = [ store ]", "ｓtore(a=1)"]) {
      const { agent, executor } = setUp([`[[python!value ${source}]]`, "Ok."]);
      await agent.run("Go").result;
      expect(executor.ran, source).toEqual([]);
    }
    for (const source of ["add(a=1)", "restore(1)", "1 + 1"]) {
      const { agent, executor } = setUp([`[[python!value ${source}]]`, "Ok."]);
      await agent.run("Go").result;
      expect(executor.ran, source).toHaveLength(1);
    }
  });

  it("hold nothing back when no value was repaired", async () => {
    const { agent, executor } = setUp(["[[call!recovered store {}]]", "Ok."]);
    await agent.run("Go").result;
    expect(executor.ran).toHaveLength(1);
  });

  it("hold nothing back when another block's value was repaired", async () => {
    const { agent, executor } = setUp(["[[call store {}]] then [[call!value store {}]]", "Ok."]);
    await agent.run("Go").result;
    expect(executor.ran).toHaveLength(1);
  });
});

describe("blocks in reasoning", () => {
  it("never run; the text beside them is the answer", async () => {
    const { agent, executor } = setUp(["[[call!reasoning store {}]] It is 3."]);
    expect(await agent.run("Go").result).toMatchObject({ status: "answered", text: "It is 3." });
    expect(executor.ran).toEqual([]);
  });

  it("give way to the first block outside", async () => {
    const { agent, executor } = setUp(["[[call!reasoning store {}]] [[call add {}]]", "Ok."]);
    await agent.run("Go").result;
    expect(executor.ran).toMatchObject([{ calls: [{ name: "add" }] }]);
  });
});

describe("a model that fails", () => {
  const failing = (...parts: ModelPart[]) =>
    async function* (): AsyncGenerator<ModelPart> {
      yield* parts;
      throw new Error("connection reset");
    };

  it("before its first part is asked once more", async () => {
    let asked = 0;
    const { agent } = setUp([], {
      model: async function* () {
        asked += 1;
        if (asked === 1) throw new Error("overloaded");
        yield "Hello.";
      },
    });
    const run = agent.run("Hi");
    expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/model-retried" }]);
    expect(await run.result).toMatchObject({ status: "answered", text: "Hello.", turns: 1 });
  });

  it("twice before its first part ends the run", async () => {
    const { agent } = setUp([], { model: failing() });
    expect(await agent.run("Hi").result).toMatchObject({
      status: "error",
      error: { code: "agent/model-failed", message: "connection reset" },
    });
  });

  it("midway is not asked again, and what came is kept and not run", async () => {
    let asked = 0;
    const { agent, executor } = setUp([], {
      model: (..._args) => {
        asked += 1;
        return failing("Let me see. ", "[[call store {}]]")();
      },
    });
    const result = await agent.run("Hi").result;
    expect(asked).toBe(1);
    expect(result).toMatchObject({ status: "error", text: "Let me see.", error: { code: "agent/model-failed" } });
    expect(result.transcript.messages.at(-1)).toMatchObject({
      role: "assistant",
      parts: [{ text: "Let me see. [[call store {}]]" }],
    });
    expect(executor.ran).toEqual([]);
  });

  it("by throwing before there is a stream counts as failing", async () => {
    const { agent } = setUp([], {
      model: () => {
        throw new Error("no key");
      },
    });
    expect(await agent.run("Hi").result).toMatchObject({ status: "error", error: { message: "no key" } });
  });

  it("by saying so in its finish runs nothing", async () => {
    for (const [reason, code] of [
      ["error", "agent/model-failed"],
      ["filter", "agent/filtered"],
    ] as const) {
      const { agent, executor } = setUp([["Well. [[call store {}]]", finish(reason)]]);
      expect(await agent.run("Hi").result).toMatchObject({ status: "error", text: "Well.", error: { code } });
      expect(executor.ran).toEqual([]);
    }
  });

  it("by sending parts of an unknown kind is warned about and read on", async () => {
    const { agent } = setUp([[{ type: "sound" } as never, null as never, "Hello."]]);
    const run = agent.run("Hi");
    expect(only(await collect(run), "warning").map((event) => event.code)).toEqual([
      "agent/unknown-part",
      "agent/unknown-part",
    ]);
    expect(await run.result).toMatchObject({ status: "answered", text: "Hello." });
  });
});
