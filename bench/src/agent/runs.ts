import { createAgent, nativeProtocol } from "@toolglot/agent";
import type { ModelPart, ModelRequest } from "@toolglot/core";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { stepCountIs, ToolLoopAgent, tool } from "ai";
import { z } from "zod";
import { scriptedModel } from "../language-model.ts";

const page = (n: number): string => `${n} `.repeat(10_000).slice(0, 20_000);

/** One run of so many turns with our loop; its result. */
export function ownRun(turns: number): Promise<unknown> {
  const kit = new Toolkit();
  kit.registerToolFunction(
    defineTool({
      name: "page",
      description: "A page.",
      args: { n: "number" },
      annotations: { readOnlyHint: true },
      execute: ({ n }) => page(n),
    }),
  );
  async function* model({ messages }: ModelRequest): AsyncGenerator<ModelPart> {
    const n = (messages.length - 1) / 2;
    if (n >= turns) yield "done";
    else yield { type: "call", call: { id: `c${n}`, name: "page", input: { n }, protocol: "native" } };
    yield { type: "finish", reason: n >= turns ? "stop" : "calls", usage: { inputTokens: 1, outputTokens: 1 } };
  }
  const agent = createAgent({
    model,
    protocol: nativeProtocol(),
    executor: toolkitExecutor(kit),
    tools: kit,
    limits: { turns: turns + 1 },
  });
  const run = agent.run("go");
  // The run is kept, and with it all of its events.
  return run.result.then((result) => ({ run, result }));
}

/** The same with AI SDK's. */
export function aiSdkRun(turns: number): Promise<unknown> {
  let n = 0;
  const model = scriptedModel("page", () => (n < turns ? { n: n++ } : undefined));
  const agent = new ToolLoopAgent({
    model,
    tools: {
      page: tool({ description: "A page.", inputSchema: z.object({ n: z.number() }), execute: ({ n }) => page(n) }),
    },
    stopWhen: stepCountIs(turns + 1),
  });
  return agent.generate({ prompt: "go" });
}
