import { type AgentEvent, createAgent, nativeProtocol, recordRun, replayRun } from "@toolglot/agent";
import type { Action, Executor, FinishReason, ModelPart, ToolProtocol } from "@toolglot/core";
import { isRunnable } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { definitions } from "./support/tools.ts";

const flags = [
  "",
  "",
  "",
  "!invalid",
  "!truncated",
  "!recovered",
  "!value",
  "!fabricated",
  "!reasoning",
  "!value!recovered",
];
const block = fc
  .tuple(
    fc.constantFrom("call", "python", "decline", "nonsense"),
    fc.constantFrom(...flags),
    fc.constantFrom('add {"a":1}', "store {}", "remove {}", "mystery", "add {", "store(add)", "", "__proto__ {}"),
    fc.constantFrom("]]", "]]", "]]", ""),
  )
  .map(([word, flag, rest, closer]) => `[[${word}${flag} ${rest}${closer}`);
const piece = fc.oneof(
  { weight: 4, arbitrary: block },
  {
    weight: 2,
    arbitrary: fc.constantFrom("It is 3. ", " ", "\n", "[", "[[", "]]", "<think>", "\u{1F600}", "\uD800", "\0"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);
const input: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('{"a":1}', "{", "", undefined, 5n, Number.NaN, () => 1),
);
const part: fc.Arbitrary<ModelPart> = fc.oneof(
  { weight: 8, arbitrary: piece },
  { weight: 1, arbitrary: fc.string().map((text) => ({ type: "reasoning" as const, text })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("c1", "c2", "", "call_0"), fc.constantFrom("add", "store", "remove", "mystery"), input)
      .map(([id, name, given]) => ({ type: "call" as const, call: { id, name, input: given, protocol: "native" } })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<FinishReason>("stop", "length", "calls", "filter", "error")
      .map((reason) => ({ type: "finish" as const, reason, usage: { outputTokens: 1 } })),
  },
  { weight: 1, arbitrary: fc.constantFrom(null as never, { type: "other" } as never, 7 as never) },
);
const turn = fc.record({
  parts: fc.array(part, { maxLength: 6 }),
  fails: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
const behaviour = fc.constantFrom("good", "good", "good", "throws", "none", "twice", "foreign", "nonsense");
const script = fc.record({
  turns: fc.array(turn, { maxLength: 6 }),
  behaviours: fc.array(behaviour, { maxLength: 6 }),
});
type Script = typeof script extends fc.Arbitrary<infer Value> ? Value : never;

function modelOf({ turns }: Script) {
  let index = 0;
  return async function* (): AsyncGenerator<ModelPart> {
    const next = turns[index++];
    if (!next) throw new Error("over");
    yield* next.parts;
    if (next.fails) throw new Error("reset");
  };
}

function executorOf({ behaviours }: Script): Executor & { ran: Action[] } {
  const ran: Action[] = [];
  const executor = {
    ran,
    handles: () => true,
    async execute(action: Action, context: Parameters<Executor["execute"]>[1]) {
      ran.push(action);
      const calls =
        action.kind === "calls" ? action.calls : [{ id: action.kind === "code" ? action.id : "", name: "remove" }];
      const results = [];
      for (const { id, name } of calls) {
        context.emit({ type: "tool-call-start", callId: id, name, input: {} });
        const approved =
          name !== "remove" || (await context.approve({ kind: "tool-call", callId: id, reason: "?" })).approved;
        results.push({
          callId: id,
          status: approved ? ("ok" as const) : ("denied" as const),
          content: [],
          data: undefined,
        });
      }
      switch (behaviours[ran.length - 1]) {
        case "throws":
          throw new Error("broken");
        case "none":
          return [];
        case "twice":
          return [...results, ...results];
        case "foreign":
          return [{ callId: "someone else's", status: "ok" as const, content: [] }];
        case "nonsense":
          return [null, 3, { callId: "call_0" }] as never;
        default:
          return results;
      }
    },
  };
  return executor;
}

function idsOf(action: Action): string[] {
  return action.kind === "calls" ? action.calls.map(({ id }) => id) : action.kind === "code" ? [action.id] : [];
}

function expectWellFormed(events: AgentEvent[]): void {
  expect(only(events, "run-end")).toHaveLength(1);
  expect(events.at(0)?.type).toBe("run-start");
  expect(events.at(-1)?.type).toBe("run-end");
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  const starts = only(events, "action-start");
  const ends = only(events, "action-end");
  expect(ends.map(({ results }) => results.map(({ callId }) => callId))).toEqual(
    starts.map(({ action }) => idsOf(action)),
  );
  const result = only(events, "run-end")[0]?.result;
  expect(result?.results).toEqual(ends.flatMap(({ results }) => results));
  const ids = starts.flatMap(({ action }) => idsOf(action));
  expect(new Set(ids).size).toBe(ids.length);
}

async function run(given: Script, protocol: ToolProtocol, mode: "loop" | "single") {
  const executor = executorOf(given);
  const agent = createAgent({
    model: modelOf(given),
    protocol,
    executor,
    tools: definitions,
    mode,
    approve: () => true,
  });
  const started = agent.run("Go");
  const result = await started.result;
  const events = await collect(started);
  expectWellFormed(events);
  expect(only(events, "run-end")[0]?.result).toEqual(result);
  return { events, executor };
}

const modes = fc.constantFrom("loop" as const, "single" as const);

describe("whatever a model writes", () => {
  it("a run ends once, and runs only a message's first block, if that may run", async () => {
    await fc.assert(
      fc.asyncProperty(script, modes, async (given, mode) => {
        const { events } = await run(given, bracketProtocol(), mode);
        for (const { stepIndex, action } of only(events, "action-start")) {
          const here = events.filter((event) => "stepIndex" in event && event.stepIndex === stepIndex);
          const first = only(here, "block-end").find((event) => !event.block.inReasoning)?.block;
          expect(first && isRunnable(first)).toBe(true);
          expect(action.span).toEqual(first?.span);
          expect(only(here, "step-end")[0]?.finish).not.toMatch(/error|filter/);
          const repaired = only(here, "diagnostic").some(
            ({ diagnostic }) => diagnostic.affects === "value" && diagnostic.span.start === first?.span.start,
          );
          if (!repaired) continue;
          if (action.kind === "code") expect(action.source).not.toMatch(/store|remove/);
          else expect(action.kind === "calls" && action.calls.map(({ name }) => name)).toEqual(["add"]);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("native calls run once each, and only in an answer that ended", async () => {
    await fc.assert(
      fc.asyncProperty(script, modes, async (given, mode) => {
        const { events, executor } = await run(given, nativeProtocol(), mode);
        for (const action of executor.ran) {
          expect(action.kind === "calls" && action.calls.every(({ input: given }) => typeof given !== "string")).toBe(
            true,
          );
        }
        for (const { stepIndex } of only(events, "action-start")) {
          const end = only(events, "step-end").find((event) => event.stepIndex === stepIndex);
          expect(end?.finish).not.toMatch(/error|filter/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("a replay gives the same events", async () => {
    await fc.assert(
      fc.asyncProperty(script, modes, fc.boolean(), fc.nat(40), async (given, mode, native, abortAt) => {
        const protocol = native ? nativeProtocol() : bracketProtocol();
        const controller = new AbortController();
        let index = 0;
        const options = {
          model: modelOf(given),
          protocol,
          executor: executorOf(given),
          tools: definitions,
          mode,
          approve: () => true,
          onEvent: () => {
            if (index++ === abortAt) controller.abort();
          },
        };
        const recorded = recordRun(options, "Go", { signal: controller.signal });
        const events = await collect(recorded);
        expectWellFormed(events);
        const played = replayRun(recorded.recording, { protocol });
        expect(await collect(played)).toEqual(events);
        expect(played.divergence).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });
});
