import { combineExecutors, createAgent, nativeProtocol, type ResumeOptions, type RunSnapshot } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { Executor } from "@toolglot/core";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";

// A run that waits for a result from outside: the first half without arguments, the second with what the first printed on standard input.

const toolkit = new Toolkit();
toolkit.registerToolFunction(
  defineTool({ name: "choose", description: "Lets the person choose.", args: { of: "string" }, external: true }),
);
const programs: Executor = { handles: ({ kind }) => kind === "code", execute: async () => [], honoursHooks: true };
const call = { id: "1", name: "choose", input: { of: "colours" }, protocol: "native" };
const seen: unknown[] = [];
const isFirst = process.argv[2] === "first";
const agent = createAgent({
  model: scriptedModel(isFirst ? [[{ type: "call", call }]] : ["Red it is."]),
  protocol: nativeProtocol(),
  executor: combineExecutors(programs, toolkitExecutor(toolkit)),
  tools: toolkit,
  afterCall: (_, { data }) => void seen.push(data),
});
if (isFirst) {
  process.stdout.write(JSON.stringify(await agent.run("Which one?").result));
} else {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
  const { snapshot, options } = JSON.parse(text) as { snapshot: RunSnapshot; options: ResumeOptions };
  const { status, results } = await (await agent.resume(snapshot, options)).result;
  process.stdout.write(JSON.stringify({ status, results, seen }));
}
