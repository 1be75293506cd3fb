import { createAgent, recordRun, replayRun } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol, parse } from "@toolglot/attp";
import { isRunnable } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import fc from "fast-check";
import { expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const protocol = attpProtocol({ prompt: attpPrompt });

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "```toml",
      "```",
      "~~~",
      "[tool_call]",
      'thought = """',
      '"""',
      'status = "success"',
      'status = "fail"',
      'message = "no"',
      "code = '''",
      'code = """',
      "'''",
      'store("\\d")',
      '__result__ = store("\\d")',
      "__result__ = add(a=1)",
      "status = success",
      "status ＝ “success”",
      "add(a=1)",
      "    '''doc'''",
      "<think>",
      "</think>",
      "[tool_result]",
      'target = "x"',
      '{"tool_call": {"status": "success", "code": "store(1)"}}',
      "It is 3.",
      "",
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom("store(1)", "add(1)", "x = '''a'''; remove(x)")
      .chain((code) =>
        fc
          .constantFrom("'''", '"""')
          .map((quotes) => `[tool_call]\nstatus = "success"\ncode = ${quotes}\n${code}\n${quotes}`),
      ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const answer = fc.array(line, { maxLength: 14 }).map((lines) => lines.join("\n"));
const script = fc.record({
  answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
  chunk: fc.integer({ min: 1, max: 9 }),
  mode: fc.constantFrom("loop" as const, "single" as const),
});

const chunks = (text: string, size: number): string[] => text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];

it("whatever a model writes in ATTP, only what may run runs, once", async () => {
  await fc.assert(
    fc.asyncProperty(script, async ({ answers, chunk, mode }) => {
      const executor = recordingExecutor(() => "ok");
      const model = scriptedModel(answers.map((text) => chunks(text, chunk)));
      const run = createAgent({ model, protocol, executor, tools: definitions, mode, approve: () => true }).run("Go");
      const result = await run.result;
      const events = await collect(run);
      expect(only(events, "run-end")).toHaveLength(1);
      expect(result.results).toHaveLength(only(events, "action-start").length);
      for (const { stepIndex, action } of only(events, "action-start")) {
        const parsed = parse(answers[stepIndex] ?? "");
        const first = parsed.blocks.find((block) => !block.inReasoning);
        expect(first && isRunnable(first)).toBe(true);
        if (action.kind !== "code") throw new Error("ATTP has programs only");
        expect(first?.toolCall).toMatchObject({ status: "success", code: action.source });
        const segment = parsed.segments.find((candidate) => candidate.type === "block" && candidate.block === first);
        const repaired = parsed.diagnostics.some(
          ({ affects, span }) =>
            affects === "value" && segment && span.start <= segment.span.end && segment.span.start <= span.end,
        );
        if (repaired) expect(action.source).not.toMatch(/\b(?:store|remove)\b/);
      }
    }),
    { numRuns: 150 },
  );
});

it("a replay of it gives the same events", async () => {
  await fc.assert(
    fc.asyncProperty(script, async ({ answers, chunk, mode }) => {
      const model = scriptedModel(answers.map((text) => chunks(text, chunk)));
      const executor = recordingExecutor(() => "ok");
      const recorded = recordRun({ model, protocol, executor, tools: definitions, mode }, "Go");
      const events = await collect(recorded);
      const played = replayRun(recorded.recording, { protocol });
      expect(await collect(played)).toEqual(events);
      expect(played.divergence).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});
