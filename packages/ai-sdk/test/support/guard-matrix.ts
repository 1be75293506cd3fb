import { equal as same, truth } from "@toolglot/internal";
import {
  type FoundCall,
  type GuardCallsOptions,
  guardCalls,
  repairToolCall,
  toolglotMiddleware,
} from "../../src/index.ts";
import { tam, write } from "./protocols.ts";
import { scriptedProvider, type Turn } from "./scripted-provider.ts";

// Calls that came as calls, damaged: in every way to run a model of the AI SDK, in ai 6 and in ai 7.

// biome-ignore lint/suspicious/noExplicitAny: two versions of one module, and results of either.
type Any = any;

const ways = ["generateText", "streamText", "ToolLoopAgent"] as const;

interface Setup {
  ai: Any;
  version: "v3" | "v4";
  way: (typeof ways)[number];
}

const equal = (actual: unknown, expected: unknown): void => same(actual, expected, "what came");
let ids = 0;

/** An answer that calls natively: its arguments come in pieces of seven units. */
function native(toolName: string, input: string): Turn {
  const id = `n${ids++}`;
  const deltas = (input.match(/[\s\S]{1,7}/g) ?? []).map((delta) => ({ type: "tool-input-delta", id, delta }));
  const parts = [
    { type: "tool-input-start", id, toolName },
    ...deltas,
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName, input },
  ];
  return { text: "", finish: "tool-calls", parts };
}

const swallowing = JSON.stringify({ content: 'hello</parameter>\n<parameter name="path">a.txt' });
const leaking = JSON.stringify({ path: "a.txt", content: "ls -la\n</parameter>\n</invoke>" });
const healthy = JSON.stringify({ path: "a.txt", content: "<b>hello</b>" });

async function run({ ai, version, way }: Setup, turns: Turn[], middleware: Any, options: object = {}): Promise<Any> {
  const { model: provider, asked } = scriptedProvider(turns, version);
  const generate = "doGenerate" as const;
  // What only streams have.
  const inner = provider[generate].bind(provider);
  provider[generate] = async (given: Any) => {
    const result = await inner(given);
    return { ...result, content: result.content.filter((part: Any) => !part.type.startsWith("tool-input-")) };
  };
  const model = middleware ? ai.wrapLanguageModel({ model: provider, middleware }) : provider;
  const called: unknown[] = [];
  const properties = { path: { type: "string" }, content: { type: "string" } };
  const validate = (value: object): object =>
    "content" in value ? { success: true, value } : { success: false, error: new Error("content is missing") };
  const inputSchema = ai.jsonSchema({ type: "object", properties, required: ["content"] }, { validate });
  const execute = async (input: unknown): Promise<string> => {
    called.push(input);
    return "Done.";
  };
  const tools = {
    write_file: ai.tool({ description: "Writes.", inputSchema, execute }),
    show_file: ai.tool({ description: "Shows.", inputSchema, execute }),
  };
  const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(5);
  const given = { model, tools, stopWhen, maxRetries: 0, ...options };
  const deltas: string[] = [];
  let result: Any;
  if (way === "generateText") result = await ai.generateText({ ...given, prompt: "?" });
  else if (way === "ToolLoopAgent") result = await new ai.ToolLoopAgent(given).generate({ prompt: "?" });
  else {
    const stream = ai.streamText({ ...given, prompt: "?", onError: () => undefined });
    for await (const part of stream.fullStream) if (part.type === "tool-input-delta") deltas.push(part.delta);
    result = { text: await stream.text, steps: await stream.steps };
  }
  return { asked, called, deltas: deltas.join(""), text: result.text, steps: result.steps.length };
}

const promptOf = (request: Any): string => JSON.stringify(request.prompt);
const answer: Turn = { text: "Finished." };

const cases: Record<string, (setup: Setup) => Promise<void>> = {
  async "a damaged call is refused, with words for the model, which sees what it wrote"(setup) {
    const found: [string, FoundCall][] = [];
    const onFinding: GuardCallsOptions["onFinding"] = ({ code }, call) => void found.push([code, call]);
    const turns = [native("write_file", swallowing), native("write_file", healthy), answer];
    const guard = guardCalls({ specificationVersion: setup.version, onFinding });
    const { asked, called, deltas, text, steps } = await run(setup, turns, guard);
    equal([called, text, steps], [[JSON.parse(healthy)], "Finished.", 3]);
    const second = promptOf(asked[1]);
    // The whole of the words, and nothing of the SDK's around them.
    truth(second.includes('"value":"The call of'), second);
    for (const part of ["which the call lacks", "hello</parameter>"])
      truth(second.includes(part), `${part}: ${second}`);
    equal(
      found.map(([code, { toolName, modelId, refused }]) => [code, toolName, modelId, refused]),
      [["core/swallowed-argument", "write_file", "scripted-1", true]],
    );
    if (setup.way === "streamText") truth(deltas.endsWith(healthy), "a healthy call's deltas are whole");
  },
  async "a call of a tool that only reads runs, and what is meant passes the second time"(setup) {
    const definitions = [
      {
        name: "show_file",
        description: "",
        inputSchema: { type: "object" as const },
        annotations: { readOnlyHint: true },
      },
    ];
    const turns = [
      native("show_file", swallowing),
      native("write_file", leaking),
      native("write_file", leaking),
      answer,
    ];
    const refused: boolean[] = [];
    const guard = guardCalls({
      definitions,
      specificationVersion: setup.version,
      onFinding(_finding, call) {
        refused.push(call.refused);
        throw new Error("a listener that fails");
      },
    });
    const { called, text, deltas } = await run(setup, turns, guard);
    equal([called, text], [[JSON.parse(swallowing), JSON.parse(leaking)], "Finished."]);
    equal(refused, [false, true, false]);
    // What a refused call ends in was shown to nobody.
    if (setup.way === "streamText") equal(deltas, swallowing + leaking.slice(0, leaking.indexOf("</")) + leaking);
  },
  async "arguments that end early never run"(setup) {
    const turns = [native("write_file", '{"content":"rm -rf /tmp'), answer];
    const { asked, called } = await run(setup, turns, guardCalls({ specificationVersion: setup.version }));
    equal(called, []);
    truth(promptOf(asked[1]).includes("The arguments end early"), promptOf(asked[1]));
  },
  async "calls that were text are looked at too, with it or without"(setup) {
    const call = (city: string): Turn => ({ text: write(tam, ["write_file", { path: "p", content: city }]) });
    const { version: specificationVersion } = setup;
    const reads = toolglotMiddleware({ protocol: tam, specificationVersion });
    for (const middleware of [[reads], [guardCalls({ specificationVersion }), reads]]) {
      const turns = [call("Rome</content>"), call("Rome"), answer];
      const { asked, called } = await run(setup, turns, middleware);
      equal(called, [{ path: "p", content: "Rome" }]);
      truth(promptOf(asked[1]).includes("which closes a call"), promptOf(asked[1]));
    }
  },
  async "a repair changes no value, and what it can't repair goes back to the model"(setup) {
    const log: unknown[] = [];
    const repair = repairToolCall({ log: ({ repairs, message }) => void log.push(message ?? repairs) });
    const turns = [
      native("write_file", '```json\n{"content": "a\tb", "path": "12345678901234567890",}\n```'),
      native("write_file", '{"content": "rm -rf /tm'),
      native("writ_file", healthy),
      native("write_file", '{"path": "no content"}'),
      answer,
    ];
    const options = { experimental_repairToolCall: repair, repairToolCall: repair };
    const { asked, called, text } = await run(setup, turns, undefined, options);
    equal([called, text], [[{ content: "a\tb", path: "12345678901234567890" }], "Finished."]);
    equal(log[0], ["code fence", "control character", "trailing comma"]);
    const words = ["The arguments end early", 'Did you mean \\"write_file\\"', "content is missing"];
    for (const [at, part] of words.entries())
      truth(promptOf(asked[at + 2]).includes(part), `${part}: ${promptOf(asked[at + 2])}`);
  },
};

/** All cases for a version of `ai`, by name. */
export function guardMatrix(ai: Any, version: "v3" | "v4"): { name: string; run(): Promise<void> }[] {
  return ways.flatMap((way) =>
    Object.entries(cases).map(([name, check]) => ({ name: `${way}: ${name}`, run: () => check({ ai, version, way }) })),
  );
}
