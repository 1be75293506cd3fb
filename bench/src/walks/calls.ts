import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import { attpProtocol } from "@toolglot/attp";
import type { Executor, Model, ModelPart, ToolProtocol } from "@toolglot/core";
import { localExecutor, openLocalTools } from "@toolglot/local-tools";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { createSandbox, sandboxExecutor } from "@toolglot/sandbox";
import { openSqlite } from "@toolglot/sqlite";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { createClient } from "@toolglot/trp-client";
import { httpTransport } from "@toolglot/trp-client/node";
import { createRouter, principal } from "@toolglot/trp-core";
import { serveHttp } from "@toolglot/trp-core/node";
import { address, writeCapability } from "../trp/work.ts";

/** A call that can be made again and again, and what it leaves behind. */
export interface Walk {
  call(): Promise<unknown>;
  close?(): Promise<void>;
}

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  args: { a: "number", b: "number" },
  annotations: { readOnlyHint: true },
  execute: ({ a, b }) => a + b,
});

/** Runs of an agent without any option: one action, then an answer. Rejects when the action did not end well. */
function runs(
  protocol: ToolProtocol,
  { executor, tools }: Pick<Parameters<typeof createAgent>[0], "executor" | "tools">,
  action: string | (ModelPart & object),
): () => Promise<unknown> {
  const model: Model = async function* ({ messages }) {
    yield messages.some(({ role }) => role === "assistant") ? "Done." : action;
    yield { type: "finish", reason: "stop", usage: { inputTokens: 10, outputTokens: 10 } };
  };
  const agent = createAgent({ model, protocol, executor, tools });
  return async () => {
    const { status, results, error } = await agent.run("go").result;
    if (status === "answered" && results.length > 0 && results.every((result) => result.status === "ok")) return;
    throw new Error(`the run ended as ${status}: ${JSON.stringify(error ?? results)}`);
  };
}

function kitted(): { executor: Executor; tools: Toolkit } {
  const tools = new Toolkit();
  tools.registerToolFunction(add);
  return { executor: toolkitExecutor(tools), tools };
}

async function inFolder(open: (folder: string) => Promise<Required<Walk>>): Promise<Walk> {
  const folder = await mkdtemp(join(tmpdir(), "walk-"));
  const { call, close } = await open(folder);
  return {
    call,
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The calls that are walked, by their names. */
export const walks = {
  "native by the agent": async (): Promise<Walk> => ({
    call: runs(nativeProtocol(), kitted(), {
      type: "call",
      call: { id: "c1", name: "add", input: { a: 19, b: 23 }, protocol: "native" },
    }),
  }),
  "TAM plan": async (): Promise<Walk> => ({
    call: runs(
      tamProtocol({ prompt: tamPrompt }),
      kitted(),
      "<|[REQUEST_TOOL]|>\ncommand:»»»add«««\na:»»»19«««\nb:»»»23«««\n<|[END_TOOL]|>\n",
    ),
  }),
  "ATTP Python": async (): Promise<Walk> => {
    const sandbox = createSandbox({ language: "python", tools: [add], pool: { size: 1 } });
    const parts = { executor: sandboxExecutor(sandbox), tools: [add] };
    const answer = "[tool_call]\nstatus = \"success\"\ncode = '''\n__result__ = add(19, 23)\n'''\n";
    const call = runs(attpProtocol({ prompt: attpPrompt }), parts, answer);
    return { call, close: async () => sandbox[Symbol.asyncDispose]() };
  },
  "ToolsXML edit": () =>
    inFolder(async (folder) => {
      const root = join(folder, "project");
      await mkdir(root);
      const local = await openLocalTools({ roots: root, stateDir: join(folder, "state") });
      const run = runs(
        toolsxmlProtocol({ prompt: toolsxmlPrompt }),
        { executor: localExecutor(local), tools: local.tools() },
        '<tools>\n  <edit>\n    <file src="a.txt">\n      <find>one</find>\n      <replace>two</replace>\n    </file>\n  </edit>\n</tools>\n',
      );
      const call = async (): Promise<unknown> => {
        await writeFile(join(root, "a.txt"), "one\n");
        return run();
      };
      return { call, close: () => local.close() };
    }),
  "keyed write over HTTP on SQLite": () =>
    inFolder(async (folder) => {
      const store = await openSqlite({ file: join(folder, "walk.db") });
      const router = createRouter({ capabilities: [writeCapability], store });
      const server = await serveHttp(router, { port: 0, authenticate: () => principal({ id: "walker" }) });
      const client = createClient({ transport: httpTransport({ url: server.url }), agentId: "walk" });
      let key = 0;
      return {
        async call() {
          const { status } = await client.callByCap(writeCapability.capId, { ...address }, { key: `walk-${key++}` });
          if (status !== "success") throw new Error(`the call ended as ${status}`);
        },
        async close() {
          await client.close();
          await server.close();
          await router.close();
          await store.close();
        },
      };
    }),
} satisfies Record<string, () => Promise<Walk>>;
