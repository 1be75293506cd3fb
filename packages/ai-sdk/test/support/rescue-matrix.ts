import { dialectProtocol, dialects, serialize } from "@toolglot/dialects";
import { equal as same, truth } from "@toolglot/internal";
import { dialectsPrompt } from "@toolglot/prompts/dialects";
import { guardCalls, toolglotMiddleware } from "../../src/index.ts";
import { rescueToolCalls } from "../../src/rescue.ts";
import { scriptedProvider, type Turn } from "./scripted-provider.ts";
import { type Ai, runWay, type Way, ways } from "./ways.ts";

// Calls that a server hands out as text: in every way to run a model of the AI SDK, in ai 6 and in ai 7.

interface Setup {
  ai: Ai;
  version: "v3" | "v4";
  way: Way;
}

const equal = (actual: unknown, expected: unknown): void => same(actual, expected, "what came");

const hermes = (input: string): string => `<tool_call>\n{"name": "note", "arguments": ${input}}\n</tool_call>`;
const native: Turn["parts"] = [{ type: "tool-call", toolCallId: "n1", toolName: "note", input: '{"text":"native"}' }];
const inPrompt = (dialect: "auto" | "qwen-xml" = "auto") =>
  dialectProtocol({ dialect, tools: "prompt", prompt: dialectsPrompt });
const answer: Turn = { text: "Finished." };

async function run({ ai, version, way }: Setup, turns: (string | Turn)[], middleware: Ai): Promise<Ai> {
  const { model: provider, asked } = scriptedProvider([...turns, answer], version);
  const called: unknown[] = [];
  const properties = { text: { type: "string" }, n: { type: "integer" } };
  const tool = (name: string) =>
    ai.tool({
      description: "Keeps a note.",
      inputSchema: ai.jsonSchema({ type: "object", properties }),
      execute: async (input: unknown) => {
        called.push(name === "note" ? input : [name, input]);
        return "Kept.";
      },
    });
  const model = ai.wrapLanguageModel({ model: provider, middleware });
  const result = await runWay(ai, way, { model, tools: { note: tool("note"), look: tool("look") } }, { prompt: "?" });
  return { asked, called, result, text: result.text, first: result.steps[0], steps: result.steps.length };
}

const promptOf = (request: Ai): string => JSON.stringify(request.prompt);

const cases: Record<string, (setup: Setup) => Promise<void>> = {
  async "a call in the text is a call, and its history is the provider's own"(setup) {
    const { version: specificationVersion } = setup;
    for (const middleware of [
      rescueToolCalls({ specificationVersion }),
      rescueToolCalls({ specificationVersion, dialect: "hermes" }),
      toolglotMiddleware({ specificationVersion, protocol: dialectProtocol({ dialect: "auto" }) }),
    ]) {
      const turns = [`I keep it.\n${hermes('{"text": "x", "n": 1}')}`];
      const { asked, called, text, first, steps, result } = await run(setup, turns, middleware);
      equal([called, text, steps, first.text.trim()], [[{ text: "x", n: 1 }], "Finished.", 2, "I keep it."]);
      equal(first.finishReason, "tool-calls");
      equal(
        asked[0].tools.map((tool: Ai) => [tool.type, tool.name]),
        [
          ["function", "note"],
          ["function", "look"],
        ],
      );
      const said = asked[1].prompt.slice(-2);
      equal(
        said.map(({ role, content }: Ai) => [role, content.map((part: Ai) => part.type)]),
        [
          ["assistant", ["text", "tool-call"]],
          ["tool", ["tool-result"]],
        ],
      );
      equal(said[0].content[1].toolCallId, said[1].content[0].toolCallId);
      truth(!promptOf(asked[1]).includes("<tool_"), promptOf(asked[1]));
      for (const part of result.parts ?? [])
        truth(part.type !== "text-delta" || !/[<{]/.test(part.text), JSON.stringify(part));
    }
  },
  async "every dialect is read, in any chunks"(setup) {
    for (const [id, { example }] of Object.entries(dialects)) {
      if (["llama3-json", "openai-loose", "pythonic"].includes(id)) continue;
      const wanted = example.calls.map(({ name, input }) => ({ name, input }));
      const text = example.text.replaceAll("get_weather", "note").replaceAll(/ping|brave_search/g, "look");
      const turn = { text, size: 1 + (id.length % 5) };
      const { called } = await run(setup, [turn], rescueToolCalls({ specificationVersion: setup.version }));
      equal(
        [id, called.map((one: unknown) => (Array.isArray(one) ? one[0] : "note"))],
        [id, wanted.map(({ name }) => (name === "get_weather" ? "note" : "look"))],
      );
    }
  },
  async "what the provider calls itself runs, and the text not a second time"(setup) {
    const turn = { text: hermes('{"text": "x"}'), finish: "tool-calls", parts: native ?? [] };
    const { called, asked, text } = await run(setup, [turn], rescueToolCalls({ specificationVersion: setup.version }));
    equal([called, text], [[{ text: "native" }], "Finished."]);
    equal(asked[1].prompt.at(-1).content.length, 1);
  },
  async "a call whose value is in doubt is refused, and in plain words"(setup) {
    // The same key twice: which one was meant?
    const doubtful = hermes('{"text": "x", "text": "y"}');
    const { version: specificationVersion } = setup;
    const turns = [doubtful, hermes('{"text": "y"}')];
    const { called, asked } = await run(setup, turns, rescueToolCalls({ specificationVersion }));
    equal(called, [{ text: "y" }]);
    const second = promptOf(asked[1]);
    truth(/"value":"The call was not made: it had to be repaired/.test(second), second);
    equal((await run(setup, [doubtful], rescueToolCalls({ specificationVersion, values: "run" }))).called, [
      { text: "y" },
    ]);
    const reads = { name: "note", description: "", inputSchema: { type: "object" as const } };
    const definitions = [{ ...reads, annotations: { readOnlyHint: true } }];
    equal((await run(setup, [doubtful], rescueToolCalls({ specificationVersion, definitions }))).called, [
      { text: "y" },
    ]);
  },
  async "a call that was cut off never runs, and the model hears why"(setup) {
    const whole = hermes('{"text": "rm -rf /tmp"}');
    for (const at of [whole.indexOf("rm") + 3, whole.length - 20, 30]) {
      const cut = { text: whole.slice(0, at), finish: "length" };
      const { called, asked } = await run(setup, [cut], rescueToolCalls({ specificationVersion: setup.version }));
      equal(called, []);
      if (asked.length > 1) truth(promptOf(asked[1]).includes("dialects/truncated"), promptOf(asked[1]));
    }
  },
  async "damage in a call that leaked is seen, with guardCalls beside it or not"(setup) {
    const { version: specificationVersion } = setup;
    const damaged = hermes('{"text": "ls -la\\n</parameter>\\n</invoke>"}');
    const rescue = rescueToolCalls({ specificationVersion });
    for (const middleware of [rescue, [guardCalls({ specificationVersion }), rescue]]) {
      const { called, asked } = await run(setup, [damaged], middleware);
      equal(called, []);
      truth(promptOf(asked[1]).includes("which closes a call"), promptOf(asked[1]));
    }
  },
  async "text about calls, and reasoning with one, stay what they are"(setup) {
    const texts = [
      `Qwen writes \`${hermes('{"text": "x"}').replaceAll("\n", " ")}\` then.`,
      `<think>${hermes('{"text": "x"}')}</think>\nNo call.`,
    ];
    const { version: specificationVersion } = setup;
    for (const text of texts)
      for (const middleware of [
        rescueToolCalls({ specificationVersion }),
        toolglotMiddleware({ specificationVersion, protocol: inPrompt() }),
      ]) {
        const { called, steps } = await run(setup, [text], middleware);
        equal([called, steps], [[], 1]);
      }
  },
  async "where the server has no calls, tools, calls and results are text in the model's dialect"(setup) {
    const middleware = toolglotMiddleware({ specificationVersion: setup.version, protocol: inPrompt("qwen-xml") });
    const written = serialize({ dialect: "qwen-xml", calls: [{ name: "note", input: { text: "x", n: 1 } }] });
    const { asked, called, first, text } = await run(setup, [`I keep it.\n\n${written}`], middleware);
    equal([called, text, first.text.trim()], [[{ text: "x", n: 1 }], "Finished.", "I keep it."]);
    equal(asked[0].tools, undefined);
    truth(promptOf(asked[0]).includes("<name>note</name>"), promptOf(asked[0]));
    const [said, got] = asked[1].prompt.slice(-2);
    const saidText = said.content.map((part: Ai) => part.text).join("");
    equal([said.role, saidText], ["assistant", `I keep it.\n\n${written}`]);
    truth(got.role === "user" && got.content[0].text.startsWith("<tool_response>\nKept."), promptOf(asked[1]));
  },
};

/** All cases for a version of `ai`, by name. */
export function rescueMatrix(ai: Ai, version: "v3" | "v4"): { name: string; run(): Promise<void> }[] {
  return ways.flatMap((way) =>
    Object.entries(cases).map(([name, check]) => ({ name: `${way}: ${name}`, run: () => check({ ai, version, way }) })),
  );
}
