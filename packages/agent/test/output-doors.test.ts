// One schema, whichever door it comes in by: the same is taken, and the same is refused in the same words.
import { createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol } from "@toolglot/attp";
import { attpPrompt } from "@toolglot/prompts/attp";
import { toInputSchema } from "@toolglot/schema";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { type } from "arktype";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const day = z.object({ days: z.number(), name: z.string().optional(), open: z.boolean().default(true) });
const cases: [string, z.ZodType, unknown, unknown][] = [
  ["a number", day, { days: 5 }, { days: 5, open: true }],
  ["a number in text", day, { days: "5" }, { days: 5, open: true }],
  ["a boolean in text", day, { days: 5, open: "false" }, { days: 5, open: false }],
  ["a list in text", z.object({ ids: z.array(z.number()) }), { ids: "[1,2]" }, { ids: [1, 2] }],
  ["deep in a list", z.object({ at: z.array(z.object({ n: z.int() })) }), { at: [{ n: "3" }] }, { at: [{ n: 3 }] }],
  ["text that is one", z.object({ zip: z.string() }), { zip: "00501" }, { zip: "00501" }],
  ["no number", day, { days: "many" }, undefined],
  ["a refinement", z.object({ n: z.number().refine((n) => n > 3, "must be above 3") }), { n: "2" }, undefined],
];

/** What a tool makes of an input: what it gets, or the issues. */
async function asTool(input: z.ZodType, given: unknown) {
  const kit = new Toolkit();
  const got: unknown[] = [];
  kit.registerToolFunction(
    defineTool({ name: "t", description: "d", input, execute: (value: unknown) => got.push(value) }),
  );
  for await (const { error } of kit.callToolFunction({ name: "t", input: given }))
    return { got: got[0], issues: error?.issues };
}

async function asOutput(schema: never, given: unknown, protocol = nativeProtocol()) {
  const inCall = protocol.carries === "calls";
  const call = { id: "1", name: "final_answer", input: given, protocol: "native" };
  const model = scriptedModel([inCall ? ([{ type: "call", call }] as never) : JSON.stringify(given)]);
  const tools = { executor: toolkitExecutor(new Toolkit()), tools: [] };
  const agent = createAgent({ model, protocol, ...tools, output: { schema }, maxRepairTurns: 0 });
  const { status, value, error } = await agent.run("go").result;
  return { got: value, issues: (error?.data as { issues?: unknown } | undefined)?.issues, status };
}

describe.each(cases)("%s", (_, schema, given, taken) => {
  it("should be judged alike as a tool's input and as an answer", async () => {
    const tool = await asTool(schema, given);
    expect(tool?.got).toEqual(taken);
    for (const one of [schema, toInputSchema(schema as never)]) {
      for (const protocol of [nativeProtocol(), attpProtocol({ prompt: attpPrompt })]) {
        const { got, issues, status } = await asOutput(one as never, given, protocol as never);
        expect({ got, issues, status }).toEqual({
          got: taken,
          issues: taken === undefined ? tool?.issues : undefined,
          status: taken === undefined ? "error" : "answered",
        });
      }
    }
  });
});

it("should take what can only be meant so in answers that are no object, and of other libraries", async () => {
  const list = z.array(z.object({ n: z.number() }));
  expect(await asOutput(list as never, { value: [{ n: "1" }] })).toMatchObject({ status: "answered", got: [{ n: 1 }] });
  expect((await asOutput(list as never, { value: [{ n: "x" }] })).issues).toMatchObject([{ path: "[0].n" }]);
  expect(await asOutput(z.number() as never, { value: "5" })).toMatchObject({ got: 5 });
  expect(await asOutput(type({ days: "number" }) as never, { days: "5" })).toMatchObject({ got: { days: 5 } });
});
