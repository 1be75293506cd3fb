import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { type AgentOptions, type AgentStep, createAgent, nativeProtocol, performStep } from "@toolglot/agent";
import type { JsonValue, Model, ModelPart } from "@toolglot/core";
import { toolkitExecutor } from "@toolglot/toolkit";
import { build } from "esbuild";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import { type Journal, journal } from "../support/journal.ts";

// Whatever a model says: a run that is played again from any of its values asks for the same steps, and comes to the same end.

const input = fc.oneof(
  fc.record({ article: fc.constantFrom("apple", "pear", "</parameter>"), amount: fc.integer({ min: 1, max: 3 }) }),
  fc.jsonValue({ maxDepth: 2 }),
);
const name = fc.constantFrom("look", "order", "set", "drop", "nonsense", "call:0:look", "__proto__");
const part: fc.Arbitrary<ModelPart> = fc.oneof(
  fc.constantFrom<ModelPart>("Hm. ", "", "\ud800", { type: "reasoning", text: "I think." }),
  fc.record({
    type: fc.constant("call" as const),
    call: fc.record({ id: fc.constantFrom("a", "b", "c"), name, input, protocol: fc.constant("native") }),
  }) as fc.Arbitrary<ModelPart>,
  fc.constant<ModelPart>({ type: "finish", reason: "calls", usage: { inputTokens: 3 } }),
);
const script = fc.record({
  turns: fc.array(fc.array(part, { maxLength: 5 }), { maxLength: 4 }),
  decisions: fc.array(fc.constantFrom<JsonValue>(true, false, "later", { approved: true }, 7), {
    minLength: 1,
    maxLength: 3,
  }),
});
type Script = typeof script extends fc.Arbitrary<infer Value> ? Value : never;

const modelOf = ({ turns }: Script): Model =>
  async function* ({ messages }) {
    const asked = messages.filter(({ role }) => role === "assistant").length;
    const repairs = messages.filter(({ trust }) => trust === "host").length;
    yield* turns[asked + repairs] ?? ["Done."];
  };

async function play(given: Script, kept: Journal["kept"], runId = "w1") {
  let asked = kept.filter(({ name: kind }) => kind.startsWith("approval")).length;
  const steps = journal(kept, () => given.decisions[asked++ % given.decisions.length]);
  const { toolkit, done } = openDesk();
  const options: AgentOptions = {
    ...{ model: modelOf(given), protocol: nativeProtocol(), executor: toolkitExecutor(toolkit) },
    ...{ tools: toolkit.definitions(), steps, limits: { turns: 6 } },
  };
  const end = await createAgent(options)
    .run("Go", { runId })
    .result.then(
      (result) => JSON.stringify(result).replace(/(\\?"ms\\?"):[\d.e-]+/g, "$1:0"),
      (error: { code: string }) => error.code,
    );
  return { steps, done, end };
}

describe("a run in steps that is played again", () => {
  it("from any prefix has the same names, the same end, and no effect of the prefix again", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.nat(), async (given, cut) => {
        const whole = await play(given, []);
        const length = cut % (whole.steps.kept.length + 1);
        const again = await play(given, whole.steps.kept.slice(0, length));
        expect(again.steps.names).toEqual(whole.steps.names);
        expect(again.end).toBe(whole.end);
        expect(whole.done.slice(whole.done.length - again.done.length)).toEqual(again.done);
        expect(new Set(whole.steps.names.filter((one) => !one.startsWith("approval"))).size).toBe(
          whole.steps.names.filter((one) => !one.startsWith("approval")).length,
        );
        const all = await play(given, whole.steps.kept);
        expect([all.steps.made, all.done]).toEqual([[], []]);
      }),
      { numRuns: 150 },
    );
  });

  it("with a value of another run ends there, and begins nothing more", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.nat(), async (given, cut) => {
        const [own, other] = [await play(given, []), await play(given, [], "w2")];
        const steps = own.steps.kept.flatMap((one, at) => (one.name.startsWith("approval") ? [] : [at]));
        const at = steps[cut % steps.length] ?? 0;
        const kept = own.steps.kept.slice(0, at);
        const { steps: played, end, done } = await play(given, [...kept, other.steps.kept[at] as Journal["kept"][0]]);
        expect(end).toBe("agent/step-mismatch");
        expect([played.names.length, played.made, done]).toEqual([at + 1, [], []]);
      }),
      { numRuns: 60 },
    );
  });

  it("with a value that is anything else never says that it came to an end", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.jsonValue() as fc.Arbitrary<JsonValue>, fc.boolean(), async (given, odd, isOurs) => {
        const value = isOurs ? { parts: odd, results: odd, runId: "w1", name: "model:0" } : odd;
        const { end, done } = await play(given, [{ name: "model:0", value }]);
        const isAnswer = isOurs && Array.isArray(odd) && odd.every((one) => typeof one === "string");
        if (!isAnswer) expect([end, done]).toEqual(["agent/step-mismatch", []]);
      }),
      { numRuns: 100 },
    );
  });
});

it("needs no clock, no random numbers, no timers and no module of Node on its path", async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { createAgent, nativeProtocol } from "@toolglot/agent";',
      resolveDir: import.meta.dirname,
    },
    ...{ bundle: true, write: false, format: "iife", globalName: "path", platform: "neutral", conditions: ["source"] },
  });
  const code = outputFiles[0]?.text ?? "";
  expect(code).not.toMatch(/\bfrom "node:|require\("node:/);
  const { toolkit, done } = openDesk();
  const call = (id: string, tool: string): ModelPart => ({
    type: "call",
    call: { id, name: tool, input: { article: "x".repeat(3) }, protocol: "native" },
  });
  const model = modelOf({
    turns: [["So: ", call("a", "look"), call("b", "drop")], [call("c", "order")]],
    decisions: [],
  });
  const options: AgentOptions = {
    ...{ model, protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit.definitions() },
  };
  const steps: string[] = [];
  const context = createContext({
    // What engines have in their sandboxes.
    ...{ AbortController, URL, TextEncoder },
    tools: JSON.parse(JSON.stringify(toolkit.definitions())),
    perform: (step: AgentStep) => {
      steps.push(step.name);
      return performStep(options, JSON.parse(JSON.stringify(step)));
    },
  });
  const forbid =
    'const no = (what) => () => { throw new Error(what + " was used"); }; Math.random = no("Math.random"); Date = new Proxy(Date, { construct: no("Date"), apply: no("Date"), get: (_, key) => no("Date." + String(key)) });';
  const program = `${forbid}\n${code}\n
    const away = no("what belongs into a step");
    path.createAgent({
      model: away, protocol: path.nativeProtocol(), executor: { honoursHooks: true, handles: () => true, execute: away }, tools,
      steps: { run: (step) => perform(step), wait: async () => true },
    }).run("Go", { runId: "w1" }).result`;
  const result = (await runInContext(program, context)) as { status: string; text: string };
  expect(result).toMatchObject({ status: "answered", text: "Done." });
  expect(steps).toEqual([
    "model:0",
    "call:0:look",
    "call:0:drop",
    "call:0:drop:2",
    "model:1",
    "call:1:order",
    "model:2",
  ]);
  expect(done).toEqual(["look xxx 1", "drop xxx 1", "order xxx 1"]);
});

it("takes nothing from node:, neither", () => {
  for (const file of ["perform", "steps-part", "call-step-once", "check-steps", "types"])
    expect(readFileSync(new URL(`../../src/steps/${file}.ts`, import.meta.url), "utf8")).not.toContain("node:");
});
