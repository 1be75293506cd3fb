import { createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
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

// Any function from a request to a stream of parts is a model; this one follows a script.
const model = scriptedModel([
  [{ type: "call", call: { id: "c1", name: "add", input: '{"a": 19, "b": 23}', protocol: "native" } }],
  "19 + 23 is 42.",
]);

const agent = createAgent({
  model,
  protocol: nativeProtocol(),
  executor: toolkitExecutor(toolkit),
  tools: toolkit,
});
const run = agent.run("What is 19 + 23?");
for await (const event of run) {
  if (event.type === "tool-call-end") console.log(event.name, event.status, event.data);
}
const { status, text, turns } = await run.result;
console.log({ status, text, turns });
