import { equal as same, truth } from "@toolglot/internal";
import { defineTool, Toolkit } from "@toolglot/toolkit";
import { fromAiSdkTools, toAiSdkTools, toolglotMiddleware } from "../../src/index.ts";
import { attp, attpJs, tools as definitions, tam, toolsxml, write, writeProgram } from "./protocols.ts";
import { scriptedProvider, type Turn } from "./scripted-provider.ts";
import { type Ai, messagesOf, type Result, runWay, type Way, ways } from "./ways.ts";

// What has to hold with every text protocol, in every way to run a model of the AI SDK, in ai 6 and in ai 7. Without a test runner,
// so that another Node can run it too.

const protocols = { toolsxml, tam, attp, "attp-js": attpJs };

interface Setup {
  ai: Ai;
  version: "v3" | "v4";
  protocol: keyof typeof protocols;
  way: Way;
}

/** A call as the protocol writes it: of `weather`, or a program. */
function callText({ protocol }: Setup, city: string): string {
  const one = protocols[protocol];
  return one.carries === "code"
    ? writeProgram(one, `weather("${city}")\n`)
    : write(one, ["weather", { city, days: 2 }]);
}

/** A call that ends in its middle, without a reason. */
const brokenText = (setup: Setup): string => {
  const text = callText(setup, "Rome");
  return text.slice(0, text.indexOf("Rome") + 2);
};

const inputOf = ({ protocol }: Setup, city: string): object =>
  protocols[protocol].carries === "code" ? { code: `weather("${city}")\n` } : { city, days: 2 };

function prepare(setup: Setup, turns: readonly (string | Turn)[], options: Record<string, unknown> = {}) {
  const { ai, version, protocol } = setup;
  const { model, asked } = scriptedProvider(turns, version);
  const called: unknown[] = [];
  const isCode = protocols[protocol].carries === "code";
  const schema = {
    type: "object",
    properties: isCode ? { code: { type: "string" } } : { city: { type: "string" }, days: { type: "integer" } },
    required: [isCode ? "code" : "city"],
  };
  const tool = ai.tool({
    description: "Tells the weather.",
    inputSchema: ai.jsonSchema(schema),
    execute: async (input: unknown) => {
      called.push(input);
      return "It is warm.";
    },
    ...options,
  });
  const wrapped = ai.wrapLanguageModel({
    model,
    middleware: toolglotMiddleware({
      protocol: protocols[protocol],
      specificationVersion: version,
      ...(isCode && { programs: { tool: "run_program", tools: definitions } }),
    }),
  });
  const tools = { [isCode ? "run_program" : "weather"]: tool };
  return { model: wrapped, asked, called, tools };
}

const run = ({ ai, way }: Setup, { model, tools }: ReturnType<typeof prepare>, input: object): Promise<Result> =>
  runWay(ai, way, { model, tools }, input);

const texts = (prompt: { role: string; content: unknown }[]): string[] =>
  prompt.map(
    ({ role, content }) =>
      `${role}: ${typeof content === "string" ? content : (content as { text?: string }[]).map(({ text }) => text ?? "?").join("|")}`,
  );

const equal = (actual: unknown, expected: unknown): void => same(actual, expected, "what came");

type Case = (setup: Setup) => Promise<void>;

const cases: Record<string, Case> = {
  async "one call, and an answer"(setup) {
    const prepared = prepare(setup, [`I look.\n\n${callText(setup, "Rome")}`, "It is warm in Rome."]);
    const result = await run(setup, prepared, { prompt: "Weather in Rome?" });
    equal(prepared.called, [inputOf(setup, "Rome")]);
    equal([result.text, result.finishReason, result.steps.length], ["It is warm in Rome.", "stop", 2]);
    equal([result.steps[0].text, result.steps[0].finishReason], ["I look.", "tool-calls"]);
    const [first, second] = prepared.asked;
    equal(first.tools, undefined);
    equal(first.prompt[0].role, "system");
    equal(
      second.prompt.map(({ role }: { role: string }) => role),
      ["system", "user", "assistant", "user"],
    );
    truth(texts(second.prompt)[3]?.includes("It is warm.") === true, "the result is in the prompt");
  },
  async "calls side by side"(setup) {
    const prepared = prepare(setup, [`${callText(setup, "Rome")}\n${callText(setup, "Oslo")}`, "Fine."]);
    const result = await run(setup, prepared, { prompt: "Weather?" });
    equal(prepared.called, [inputOf(setup, "Rome"), inputOf(setup, "Oslo")]);
    equal(result.steps[0].toolCalls.length, 2);
    equal(result.text, "Fine.");
  },
  async "two steps"(setup) {
    const prepared = prepare(setup, [callText(setup, "Rome"), callText(setup, "Oslo"), "Both warm."]);
    const result = await run(setup, prepared, { prompt: "Weather?" });
    equal(prepared.called.length, 2);
    equal([result.text, result.steps.length], ["Both warm.", 3]);
    equal(
      prepared.asked[2].prompt.map(({ role }: { role: string }) => role),
      ["system", "user", "assistant", "user", "assistant", "user"],
    );
    // What was asked before is the beginning of what is asked next.
    equal(texts(prepared.asked[2].prompt).slice(0, 4), texts(prepared.asked[1].prompt));
  },
  async "a plain answer"(setup) {
    const prepared = prepare(setup, ["No <tools> «x» ``` [tool_call needed.\n"]);
    const result = await run(setup, prepared, { prompt: "Hi" });
    equal([result.text, result.finishReason], ["No <tools> «x» ``` [tool_call needed.\n", "stop"]);
  },
  async "reasoning in tags"(setup) {
    const prepared = prepare(setup, [`<think>${callText(setup, "Rome")}</think>\nWarm.`]);
    const result = await run(setup, prepared, { prompt: "Hi" });
    equal(prepared.called, []);
    equal(result.text.trim(), "Warm.");
    truth(result.steps[0].reasoningText.length > 5, "what was thought is reasoning");
  },
  async "an answer that is cut off, and its recovery"(setup) {
    const prepared = prepare(setup, [
      { text: callText(setup, "Rome").slice(0, -8), finish: "length" },
      callText(setup, "Rome"),
      "Warm.",
    ]);
    const result = await run(setup, prepared, { prompt: "Weather?" });
    equal(result.steps[0].finishReason, "length");
    equal(prepared.called, [inputOf(setup, "Rome")]);
    equal(result.text, "Warm.");
  },
  async "a refusal, and its recovery"(setup) {
    const broken = brokenText(setup);
    const prepared = prepare(setup, [`I look.\n\n${broken}`, callText(setup, "Rome"), "Warm."]);
    const result = await run(setup, prepared, { prompt: "Weather?" });
    equal(prepared.called, [inputOf(setup, "Rome")]);
    equal([result.text, result.steps.length, result.steps[0].finishReason], ["Warm.", 3, "tool-calls"]);
    const asked = texts(prepared.asked[1].prompt);
    truth(asked[2]?.includes(broken.trim()) === true, "the model sees what it wrote");
    truth(/nothing of it was run/i.test(asked[3] ?? ""), "the model is told why");
    truth(!asked[3]?.includes("JSON parsing failed"), "the words of the SDK are not shown");
  },
  async "a third refusal in a row is text"(setup) {
    const broken = brokenText(setup);
    const prepared = prepare(setup, [broken, broken, broken]);
    const result = await run(setup, prepared, { prompt: "Weather?" });
    equal([result.steps.length, result.finishReason, prepared.called], [3, "stop", []]);
    equal(result.text, broken.trim());
  },
  async "a call that waits for approval"(setup) {
    const prepared = prepare(setup, [callText(setup, "Rome"), "Warm.", callText(setup, "Rome")], {
      needsApproval: true,
    });
    const first = await run(setup, prepared, { messages: [{ role: "user", content: "Weather?" }] });
    equal([first.steps.length, prepared.called], [1, []]);
    const request = first.steps[0].content.find(({ type }: { type: string }) => type === "tool-approval-request");
    const history = JSON.parse(JSON.stringify([{ role: "user", content: "Weather?" }, ...messagesOf(first)]));
    const answer = (approved: boolean) => ({
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved, reason: "because" }],
    });
    const second = await run(setup, prepared, { messages: [...history, answer(true)] });
    equal([prepared.called, second.text], [[inputOf(setup, "Rome")], "Warm."]);
    const third = prepare(setup, ["As you like."], { needsApproval: true });
    const denied = await run(setup, third, { messages: [...history, answer(false)] });
    equal([third.called, denied.text], [[], "As you like."]);
    truth(/because/.test(texts(third.asked[0].prompt).at(-1) ?? ""), "the model learns of the denial and its reason");
  },
  async "an abort"(setup) {
    const prepared = prepare(setup, [callText(setup, "Rome"), "Warm."]);
    const abortSignal = AbortSignal.abort(new Error("enough"));
    let error: unknown;
    try {
      const result = await run(setup, prepared, { prompt: "Weather?", abortSignal });
      if (setup.way === "streamText") truth(result.steps.length === 0, "no step was made");
    } catch (caught) {
      error = caught;
    }
    equal(prepared.called, []);
    truth(setup.way === "streamText" || error !== undefined, "the abort is thrown");
  },
  async "a history from JSON"(setup) {
    const prepared = prepare(setup, [callText(setup, "Rome"), "Warm.", "Still warm."]);
    const first = await run(setup, prepared, { messages: [{ role: "user", content: "Weather?" }] });
    const kept = [{ role: "user", content: "Weather?" }, ...messagesOf(first), { role: "user", content: "And now?" }];
    const again = await run(setup, prepared, { messages: JSON.parse(JSON.stringify(kept)) });
    equal(again.text, "Still warm.");
    const [, second, third] = prepared.asked;
    equal(texts(third.prompt).slice(0, 4), texts(second.prompt));
    truth(!JSON.stringify(third.prompt).includes("tool-call"), "no call part is left");
  },
};

/** Tools both ways, without a protocol: the calls are the provider's own. */
const toolCases: Record<string, (ai: Ai, version: "v3" | "v4") => Promise<void>> = {
  async "tools of toolglot: results, files, errors, approval"(ai, version) {
    const toolkit = new Toolkit();
    const shot = {
      name: "shot",
      description: "",
      args: {},
      execute: () => [{ type: "image", mediaType: "image/png", data: "AAAA" }],
    };
    const add = {
      name: "add",
      description: "Adds.",
      args: { a: "integer", b: "integer" },
      execute: ({ a, b }: { a: number; b: number }) => a + b,
    };
    const erase = {
      name: "erase",
      description: "",
      args: {},
      annotations: { destructiveHint: true },
      execute: () => "gone",
    };
    for (const one of [shot, add, erase]) toolkit.registerToolFunction(defineTool(one as never) as never);
    const call = (toolCallId: string, toolName: string, input: object) => ({
      type: "tool-call",
      toolCallId,
      toolName,
      input: JSON.stringify(input),
    });
    const parts = [call("1", "add", { a: "2", b: 3 }), call("2", "shot", {}), call("3", "add", { a: "x", b: 1 })];
    const { model, asked } = scriptedProvider(
      [
        { text: "", finish: "tool-calls", parts },
        "Done.",
        { text: "", finish: "tool-calls", parts: [call("4", "erase", {})] },
      ],
      version,
    );
    const options = {
      model,
      tools: toAiSdkTools(toolkit),
      stopWhen: (ai.isStepCount ?? ai.stepCountIs)(3),
      prompt: "?",
    };
    const result = await ai.generateText(options);
    equal(result.text, "Done.");
    const outputs = asked[1].prompt
      .filter(({ role }: { role: string }) => role === "tool")
      .flatMap(({ content }: { content: { output: object }[] }) => content.map(({ output }) => output));
    equal(outputs[0], { type: "text", value: "5" });
    const file =
      version === "v3"
        ? { type: "image-data", data: "AAAA", mediaType: "image/png" }
        : { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } };
    equal(outputs[1], { type: "content", value: [file] });
    truth(/integer/.test(JSON.stringify(outputs[2])), "the error says what was expected");
    const asks = await ai.generateText(options);
    truth(
      asks.content.some(({ type }: { type: string }) => type === "tool-approval-request"),
      "approval is asked for",
    );
  },
  async "tools of the AI SDK come and go"(ai, version) {
    const mine = {
      greet: ai.tool({
        description: "Greets.",
        inputSchema: ai.jsonSchema({ type: "object", properties: { name: { type: "string" } } }),
        execute: async ({ name }: { name: string }) => `Hi ${name}`,
      }),
    };
    const [greet] = fromAiSdkTools(mine);
    const parts = [{ type: "tool-call", toolCallId: "1", toolName: "greet", input: '{"name":"Ada"}' }];
    const { model } = scriptedProvider([{ text: "", finish: "tool-calls", parts }, "Done."], version);
    const result = await ai.generateText({
      model,
      tools: toAiSdkTools([greet as never]),
      stopWhen: (ai.isStepCount ?? ai.stepCountIs)(3),
      prompt: "?",
    });
    equal(result.steps[0].toolResults[0].output.data, "Hi Ada");
    equal(fromAiSdkTools(toAiSdkTools([greet as never]))[0] === greet, true);
  },
};

/** Cases of calls in text and of tools, for a version of `ai`, by name. */
export function matrix(ai: Ai, version: "v3" | "v4"): { name: string; run(): Promise<void> }[] {
  const own = Object.entries(toolCases).map(([name, check]) => ({ name, run: () => check(ai, version) }));
  const each = Object.keys(protocols).flatMap((protocol) =>
    ways.flatMap((way) =>
      Object.entries(cases).map(([name, check]) => ({
        name: `${protocol}, ${way}: ${name}`,
        run: () => check({ ai, version, protocol: protocol as keyof typeof protocols, way }),
      })),
    ),
  );
  return [...own, ...each];
}
