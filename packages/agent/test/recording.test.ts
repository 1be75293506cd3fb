import {
  type AgentOptions,
  createAgent,
  nativeProtocol,
  parseRecording,
  type Recording,
  recordRun,
  replay,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import type { ExecutorContext, ModelPart } from "@toolglot/core";
import { ToolglotError } from "@toolglot/core";
import { toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { manualRuntime } from "./support/manual-runtime.ts";
import { memoryRuns } from "./support/memory-runs.ts";
import { openShop } from "./support/shop.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const protocol = bracketProtocol();

function optionsFor(turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}): AgentOptions {
  return { model: scriptedModel(turns), protocol, executor: recordingExecutor(), tools: definitions, ...more };
}

/** Records a run, takes the recording through JSON Lines, and plays it. */
async function expectSameEvents(options: AgentOptions, signal?: AbortSignal): Promise<Recording> {
  const run = recordRun(options, "Go", signal ? { signal } : {});
  const events = await collect(run);
  const recording = parseRecording(stringifyRecording(run.recording));
  expect(recording).toEqual(run.recording);
  const played = replayRun(recording, { protocol });
  expect(await collect(played)).toEqual(events);
  expect(await played.result).toEqual(await run.result);
  expect(played.divergence).toBeUndefined();
  return recording;
}

const pieces = (text: string, ...more: ModelPart[]): ModelPart[] => [...(text.match(/[\s\S]{1,3}/gu) ?? []), ...more];

describe("a replay gives the same events", () => {
  it("for steps, approvals, usage and reasoning", async () => {
    await expectSameEvents(
      optionsFor(
        [
          [
            { type: "reasoning", text: "Hm." },
            ...pieces('Wait. [[call remove {"a":1}]]', { type: "finish", reason: "stop", usage: { inputTokens: 3 } }),
          ],
          "[[python store(1)]]",
          "[[call!invalid add {}]]",
          "Done.",
        ],
        {
          approve: async ({ tool }) => ({ approved: tool === "remove", by: "me" }),
          limits: { timeMs: 1e6, tokens: Infinity },
          locale: "zh",
          system: "S",
        },
      ),
    );
  });

  it("for denials with nobody to ask, a failing approve, and a failing executor", async () => {
    await expectSameEvents(optionsFor(["[[call remove {}]]", "Ok."]));
    await expectSameEvents(
      optionsFor(["[[call remove {}]]", "Ok."], { approve: () => Promise.reject(new Error("gone")) }),
    );
    const executor = recordingExecutor(() => {
      throw new Error("broken");
    });
    await expectSameEvents(optionsFor(["[[call add {}]]", "Ok."], { executor }));
  });

  it("for a run that waits, with and without a session, named in traces and not", async () => {
    const { toolkit } = openShop();
    const trace = { within: (work: () => void) => work(), firstPart() {}, toolCall() {}, end() {} };
    const tracing = { startRun: () => ({ traceparent: "00-1", ...trace, startRequest: () => trace }) };
    for (const more of [{}, { storage: memoryRuns() }, { tracing }]) {
      const call = { id: "a", name: "throw_away", input: { article: "pear" }, protocol: "native" };
      const order = { id: "b", name: "order", input: { article: "pear", amount: 1 }, protocol: "native" };
      const run = recordRun(
        {
          model: scriptedModel([
            [
              { type: "call", call },
              { type: "call", call: order },
            ],
          ]),
          protocol: nativeProtocol(),
          executor: toolkitExecutor(toolkit),
          tools: toolkit,
          approve: async () => "later" as const,
          ...more,
        },
        "Go",
      );
      const events = await collect(run);
      expect(await run.result).toMatchObject({
        status: "waiting",
        pending: [{ callId: "a" }],
        results: [{ callId: "b" }],
      });
      const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: nativeProtocol() });
      expect(await collect(played)).toEqual(events);
      expect(await played.result).toEqual(await run.result);
      expect(played.divergence).toBeUndefined();
    }
  });

  it("for models that fail, at once and midway", async () => {
    const failing = (...parts: ModelPart[]) =>
      async function* (): AsyncGenerator<ModelPart> {
        yield* parts;
        throw new Error("reset");
      };
    await expectSameEvents(optionsFor([], { model: failing() }));
    await expectSameEvents(optionsFor([], { model: failing("Hel", "lo") }));
    let calls = 0;
    const model = (): AsyncGenerator<ModelPart> => (calls++ === 0 ? failing() : failing("Hello."))();
    await expectSameEvents(optionsFor([], { model }));
  });

  it("for calls side by side whose approvals are answered out of order", async () => {
    const answers = new Map<string, (approved: boolean) => void>();
    const answer = async (): Promise<void> => {
      for (const name of ["b", "a"]) {
        answers.get(name)?.(name === "b");
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    const executor = recordingExecutor();
    executor.execute = async (action, context: ExecutorContext) => {
      if (action.kind !== "code") return [];
      const one = async (callId: string): Promise<void> => {
        context.emit({ type: "tool-call-start", callId, name: callId, input: {} });
        const { approved } = await context.approve({ kind: "tool-call", callId, reason: "?" });
        context.emit({ type: "tool-call-end", callId, name: callId, status: approved ? "ok" : "denied", ms: 0 });
      };
      const both = Promise.all([one("a"), one("b")]);
      await answer();
      await both;
      return [{ callId: action.id, status: "ok", content: [], data: 1 }];
    };
    const recording = await expectSameEvents(
      optionsFor(["[[python x]]", "Ok."], {
        executor,
        approve: ({ callId }) => new Promise((resolve) => answers.set(callId, resolve)),
      }),
    );
    const order = recording.entries.flatMap((entry) => (entry.type === "decision" ? [entry.callId] : []));
    expect(order).toEqual(["b", "a"]);
  });

  it("for a run out of time, in the model and in the executor", async () => {
    for (const place of ["model", "executor"]) {
      const runtime = manualRuntime();
      let waiting = false;
      const hang = (): Promise<never> => {
        waiting = true;
        return new Promise(() => undefined);
      };
      const executor = recordingExecutor(hang);
      const options = optionsFor(["[[call add {}]]"], {
        runtime,
        executor,
        limits: { timeMs: 100 },
        ...(place === "model" && {
          model: async function* () {
            yield "Let me";
            await hang();
          },
        }),
      });
      const run = recordRun(options, "Go");
      await runtime.until(() => waiting);
      runtime.pass(100);
      if (place === "executor") {
        await runtime.until(() => runtime.waiting("stop-grace"));
        runtime.pass(1000);
      }
      expect(await run.result).toMatchObject({ status: "limit", limit: "time" });
      const played = replayRun(run.recording, { protocol });
      expect(await collect(played)).toEqual(await collect(run));
      expect(played.divergence).toBeUndefined();
    }
  });

  it("for a run that was aborted, wherever that was", async () => {
    const turns: ScriptedTurn[] = [pieces('Wait. [[call remove {"a":1}]]'), pieces("Done, all of it.")];
    const count = (await collect(recordRun(optionsFor(turns, { approve: () => true }), "Go"))).length;
    for (let position = 0; position < count; position += 1) {
      const controller = new AbortController();
      let index = 0;
      const onEvent = (): void => {
        if (index++ === position) controller.abort();
      };
      await expectSameEvents(optionsFor(turns, { approve: () => true, onEvent }), controller.signal);
    }
    await expectSameEvents(optionsFor(turns), AbortSignal.abort());
  });

  it("for a run that was aborted while something took its time", async () => {
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 4));
    for (const place of ["model", "executor", "approve"] as const) {
      const controller = new AbortController();
      const slow = async (here: string): Promise<void> => {
        if (here === place) setTimeout(() => controller.abort(), 1);
        await pause();
      };
      const options = optionsFor([], {
        model: async function* () {
          yield "One ";
          await slow("model");
          yield "moment. [[call remove {}]]";
        },
        executor: recordingExecutor(() => slow("executor")),
        approve: async () => {
          await slow("approve");
          return true;
        },
      });
      await expectSameEvents(options, controller.signal);
    }
  });
});

describe("a replay that differs", () => {
  const record = async (): Promise<Recording> => {
    const run = recordRun(optionsFor(['[[call add {"a":1}]]', "It is 1."]), "Go");
    await run.result;
    return run.recording;
  };

  it("in a request ends in an error that names the first difference", async () => {
    const played = replay(await record());
    const agent = createAgent({ ...played.options, protocol, system: "Something new." });
    const result = await agent.run(played.input, played.runOptions).result;
    expect(result).toMatchObject({
      status: "error",
      error: { code: "agent/replay-divergence", data: { what: "request" } },
    });
    expect(result.error?.message).toMatch(/messages\[0\]\.parts\[0\]\.text at character \d+.*Something new/);
    expect(played.divergence?.what).toBe("request");
  });

  it("in what is run ends in an error too", async () => {
    const recording = await record();
    for (const entry of recording.entries) {
      if (entry.type === "model-part" && typeof entry.part === "string") entry.part = entry.part.replace("1", "2");
    }
    const played = replayRun(recording, { protocol });
    expect(await played.result).toMatchObject({ status: "error", error: { code: "agent/replay-divergence" } });
    expect(played.divergence?.message).toMatch(/recorded .*1.* now .*2/);
  });

  it("because the recording ends too early says so", async () => {
    const recording = await record();
    recording.entries.splice(-6);
    const result = await replayRun(recording, { protocol }).result;
    expect(result).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining("the end of the recording") },
    });
  });

  it("in its protocol is refused", async () => {
    const other = { ...bracketProtocol(), version: "bracket/2" };
    const recording = await record();
    expect(() => replayRun(recording, { protocol: other })).toThrow(
      /made with bracket\/1, and this protocol is bracket\/2/,
    );
  });
});

describe("recordings on disk", () => {
  it("are written line by line, and say each message of the conversation once", async () => {
    const lines: string[] = [];
    const turns = Array.from({ length: 12 }, (_, index) => `[[call add {"a":${index}}]]`);
    const run = recordRun(optionsFor([...turns, "Done."]), "A very particular request", {
      onLine: (line) => lines.push(line),
    });
    await run.result;
    expect(lines.map((line) => `${line}\n`).join("")).toBe(stringifyRecording(run.recording));
    const requests = lines.filter((line) => line.includes('"type":"request"'));
    expect(requests).toHaveLength(13);
    expect(requests.filter((line) => line.includes("A very particular request"))).toHaveLength(1);
    expect(parseRecording(lines.join("\n"))).toEqual(run.recording);
  });

  it("may be cut short", async () => {
    const run = recordRun(optionsFor(["Hello."]), "Hi");
    await run.result;
    const text = stringifyRecording(run.recording);
    expect(parseRecording(text.slice(0, -20)).entries).toHaveLength(run.recording.entries.length - 1);
  });

  it("should be refused w/ a reason when they are something else", () => {
    for (const [text, message] of [
      ["", /first line is not the head/],
      ["{}", /first line is not the head/],
      ["no", /Line 1 is no JSON/],
      ['{"type":"head","version":1}', /version 1 are not known here, only of version 6/],
      ['{"type":"head","version":2}', /version 2/],
      ['{"type":"head","version":3}\nno\n{}', /Line 2 is no JSON/],
    ] as const) {
      expect(() => parseRecording(text)).toThrow(message);
      try {
        parseRecording(text);
      } catch (error) {
        expect(ToolglotError.isInstance(error) && error.code).toBe("agent/recording-invalid");
      }
    }
  });
});

it("should not record what comes after the end", async () => {
  const controller = new AbortController();
  const run = recordRun(
    optionsFor([], {
      model: async function* () {
        setTimeout(() => controller.abort(), 1);
        await new Promise((resolve) => setTimeout(resolve, 10));
        yield "too late";
      },
    }),
    "Go",
    { signal: controller.signal },
  );
  await run.result;
  const { length } = run.recording.entries;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(run.recording.entries).toHaveLength(length);
  expect(only(await collect(run), "run-end")).toHaveLength(1);
});
