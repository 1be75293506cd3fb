import { settleOnce } from "@toolglot/core/once";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { equal, truth } from "@toolglot/internal";
import { defineTool } from "@toolglot/toolkit";
import { type OnceToolsOptions, onceTools, toAiSdkTools } from "../../src/index.ts";
import { scriptedProvider, type Turn } from "./scripted-provider.ts";
import { type Ai, messagesOf, type Result, runWay, type Way, ways } from "./ways.ts";

// Tools whose calls happen once, in every way to run a model, in ai 6 and in ai 7: as the plain tools, but never twice.

interface World {
  ai: Ai;
  way: Way;
  version: "v3" | "v4";
  log: MemoryOperationLog;
  /** Inputs with which the tool ran. */
  ran: unknown[];
}

const call = (id: string, input: object): object => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "pay",
  input: JSON.stringify(input),
});
/** A turn of calls. */
const calls = (...inputs: object[]): Turn => ({
  text: "",
  finish: "tool-calls",
  parts: inputs.map((input, index) => call(`c${index}-${JSON.stringify(input)}`, input)),
});

type Act = (input: { n: number }, options: { abortSignal?: AbortSignal }) => unknown;

function payTool({ ai, ran }: World, act: Act, more: object = {}): Record<string, unknown> {
  const inputSchema = ai.jsonSchema({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] });
  const execute = async (input: { n: number }, options: { abortSignal?: AbortSignal }): Promise<unknown> => {
    ran.push(input.n);
    return act(input, options);
  };
  return { pay: ai.tool({ description: "Pays.", inputSchema, execute, ...more }) };
}

const watched = (world: World, tools: object, options: Partial<OnceToolsOptions> = {}): Record<string, unknown> =>
  onceTools(tools as never, { log: world.log, scope: "shop", allowVolatile: true, ...options } as never);

const run = (world: World, tools: object, turns: (string | Turn)[], input: object = { prompt: "?" }): Promise<Result> =>
  runWay(world.ai, world.way, { model: scriptedProvider(turns, world.version).model, tools }, input);

/** What came of the calls of all steps: outputs, and the texts of errors. */
const outcomes = (result: Result): unknown[] =>
  result.steps.flatMap(({ content }: { content: { type: string; output?: unknown; error?: unknown }[] }) =>
    content.flatMap(({ type, output, error }) =>
      type === "tool-result" ? [output] : type === "tool-error" ? [String((error as Error).message ?? error)] : [],
    ),
  );

const cases: Record<string, (world: World) => Promise<void>> = {
  async "as the plain tools"(world) {
    const turns = (): (string | Turn)[] => [calls({ n: 1 }, { n: 2 }), calls({ n: 3 }), "Done."];
    const plain = payTool(world, ({ n }) => ({ paid: n }));
    const expected = await run(world, plain, turns());
    const result = await run(world, watched(world, plain), turns());
    equal(outcomes(result), outcomes(expected), "the outcomes");
    equal([result.text, result.finishReason, world.ran], ["Done.", "stop", [1, 2, 3, 1, 2, 3]], "the end");
  },
  async "a call that a model repeats, in another run too"(world) {
    const tools = watched(
      world,
      payTool(world, ({ n }) => ({ paid: n })),
    );
    const result = await run(world, tools, [calls({ n: 1 }), calls({ n: 1 }), "Done."]);
    equal(outcomes(result), [{ paid: 1 }, { paid: 1 }], "the outcomes");
    await run(world, tools, [calls({ n: 1 }), "Done."]);
    equal(world.ran, [1], "what ran");
  },
  async "equal calls side by side"(world) {
    const tools = watched(
      world,
      payTool(world, async ({ n }) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        return `paid ${n}`;
      }),
    );
    const same: Turn = { text: "", finish: "tool-calls", parts: ["a", "b", "c"].map((id) => call(id, { n: 1 })) };
    const result = await run(world, tools, [same, "Done."]);
    equal(outcomes(result), ["paid 1", "paid 1", "paid 1"], "the outcomes");
    equal(world.ran, [1], "what ran");
  },
  async "a call in doubt that a model repeats"(world) {
    const tools = watched(
      world,
      payTool(world, () => {
        throw new Error("socket hang up");
      }),
    );
    const result = await run(world, tools, [calls({ n: 1 }), calls({ n: 1 }), "Done."]);
    equal(world.ran, [1], "what ran");
    const [first, second] = outcomes(result) as [string, string];
    truth(first.includes("settleOnce"), `should say who can settle it: ${first}`);
    equal(second, first, "the second outcome");
    const key = /key "(.*?)"/.exec(first)?.[1] ?? "";
    await settleOnce(world.log, { scope: "shop/pay", key }, { happened: true, value: "paid after all" }, "ann");
    equal(outcomes(await run(world, tools, [calls({ n: 1 }), "Done."])), ["paid after all"], "the outcome, settled");
  },
  async "a call that is judged to have failed"(world) {
    let runs = 0;
    const act = (): string => {
      if (++runs === 1) throw new Error("no such account");
      return "paid";
    };
    const tools = watched(world, payTool(world, act), { judge: () => "failed" });
    const result = await run(world, tools, [calls({ n: 1 }), calls({ n: 1 }), "Done."]);
    equal(outcomes(result), ["no such account", "paid"], "the outcomes");
  },
  async "outputs that come one after another"(world) {
    const execute = async function* ({ n }: { n: number }) {
      world.ran.push(n);
      yield "paying";
      yield `paid ${n}`;
    };
    const plain = payTool(world, () => undefined, { execute });
    const tools = watched(world, plain);
    const turns = (): (string | Turn)[] => [calls({ n: 1 }), calls({ n: 1 }), "Done."];
    const expected = await run(world, plain, turns());
    world.ran.length = 0;
    const result = await run(world, tools, turns());
    equal(outcomes(result), outcomes(expected), "the outcomes");
    equal(world.ran, [1], "what ran");
    const shown = (of: Result): unknown[] =>
      (of.parts ?? [])
        .filter(
          ({ type, preliminary }: { type: string; preliminary?: boolean }) => type === "tool-result" && preliminary,
        )
        .map(({ output }: { output: unknown }) => output);
    equal(shown(result).slice(0, 2), shown(expected).slice(0, 2), "what was shown meanwhile");
  },
  async "an approval that is sent again"(world) {
    const tools = watched(
      world,
      payTool(world, ({ n }) => `paid ${n}`, { needsApproval: true }),
    );
    const question = { role: "user", content: "?" };
    const first = await run(world, tools, [calls({ n: 1 })], { messages: [question] });
    equal(world.ran, [], "what ran before the approval");
    const asked = first.steps[0].content.find(({ type }: { type: string }) => type === "tool-approval-request");
    const { approvalId } = asked;
    const approval = { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] };
    const messages = JSON.parse(JSON.stringify([question, ...messagesOf(first), approval]));
    const texts: string[] = [];
    for (const again of ["Paid.", "Paid again?"]) texts.push((await run(world, tools, [again], { messages })).text);
    equal([texts, world.ran], [["Paid.", "Paid again?"], [1]], "what ran after it");
  },
  async "an abort while the tool runs"(world) {
    const stop = new AbortController();
    const act: Act = async (_, { abortSignal }) => {
      stop.abort(new Error("enough"));
      abortSignal?.throwIfAborted();
    };
    const tools = watched(world, payTool(world, act), { judge: () => "failed" });
    const turns = (): (string | Turn)[] => [calls({ n: 1 }), "Done."];
    await run(world, tools, turns(), { prompt: "?", abortSignal: stop.signal }).catch(() => undefined);
    const later = outcomes(await run(world, tools, turns()));
    equal(world.ran, [1], "what ran");
    truth(String(later[0]).includes("Nobody knows"), `should be in doubt: ${later[0]}`);
  },
  async "tools of toolglot, whose texts say that nothing was done"(world) {
    const own = defineTool({
      name: "pay",
      description: "Pays.",
      args: { n: "integer" },
      execute: ({ n }) => {
        world.ran.push(n);
        return { paid: n };
      },
    });
    const { model, asked } = scriptedProvider([calls({ n: 1 }), calls({ n: 1 }), "Done."], world.version);
    const tools = watched(world, toAiSdkTools([own]));
    await runWay(world.ai, world.way, { model, tools }, { prompt: "?" });
    equal(world.ran, [1], "what ran");
    const results = asked[2].prompt.filter(({ role }: { role: string }) => role === "tool");
    const [first, second] = results.map(
      ({ content }: { content: { output: { value: string } }[] }) => content[0]?.output.value,
    );
    equal(first, '{"paid":1}', "the first result");
    truth(
      /^\(This call was made before.* Nothing was done now\..*\)\n*\{"paid":1\}$/.test(second),
      `the second result: ${second}`,
    );
  },
};

/** All cases for a version of `ai`, by name. */
export function onceMatrix(ai: Ai, version: "v3" | "v4"): { name: string; run(): Promise<void> }[] {
  return ways.flatMap((way) =>
    Object.entries(cases).map(([name, check]) => ({
      name: `once, ${way}: ${name}`,
      run: () => check({ ai, way, version, log: new MemoryOperationLog(), ran: [] }),
    })),
  );
}
