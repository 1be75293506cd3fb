// One set of tools, one question, two protocols. The loop is the same: only the option `protocol` changes how the model
// learns of the tools and how its calls are read.
import assert from "node:assert/strict";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";

const toolkit = new Toolkit();
toolkit.registerToolFunction(
  defineTool({
    name: "add",
    description: "Adds two numbers.",
    args: { a: "number", b: "number" },
    annotations: { readOnlyHint: true },
    execute: ({ a, b }) => a + b,
  }),
);

// A model is any function from a request to a stream of parts. This one returns the scripted turns, and keeps its requests.
async function ask(protocol, firstAnswer) {
  const model = scriptedModel([firstAnswer, "19 + 23 is 42."]);
  const agent = createAgent({ model, protocol, executor: toolkitExecutor(toolkit), tools: toolkit });
  const run = agent.run("What is 19 + 23?");
  for await (const event of run) {
    if (event.type === "tool-call-end") console.log(`${protocol.id}: ${event.name} ${event.status}, ${event.data}`);
  }
  const result = await run.result;
  console.log(`${protocol.id}: ${result.status} after ${result.turns} turns: ${result.text}`);
  return { result, requests: model.requests };
}

// The provider's own function calls: the tools go into the request, and a call comes back as data.
const native = await ask(nativeProtocol(), [
  { type: "call", call: { id: "c1", name: "add", input: '{"a": 19, "b": 23}', protocol: "native" } },
]);

// TAM, a format that is plain text: the system message teaches it, so it works with every model.
const tam = await ask(
  tamProtocol({ prompt: tamPrompt }),
  `I add them.

<|[REQUEST_TOOL]|>
command:»»»add«««
a:»»»19«««
b:»»»23«««
<|[END_TOOL]|>
`,
);

for (const { result, requests } of [native, tam]) {
  assert.equal(result.status, "answered");
  assert.equal(result.text, "19 + 23 is 42.");
  assert.equal(result.turns, 2);
  assert.deepEqual(
    result.results.map(({ status, data }) => ({ status, data })),
    [{ status: "ok", data: 42 }],
  );
  assert.equal(requests.length, 2);
}
assert.deepEqual(
  native.requests[0].tools.map(({ name }) => name),
  ["add"],
);
const [system] = tam.requests[0].messages;
assert.match(JSON.stringify(system), /Adds two numbers\./);
assert.match(JSON.stringify(tam.requests[1].messages.at(-1)), /result_1:»»»42«««/);
