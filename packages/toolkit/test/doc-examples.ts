// The examples of the doc comments, word for word, in functions that can be run. doc-examples.test.ts compares and runs them.
import { McpServer } from "@modelcontextprotocol/server";
import type { CallsAction, Executor, ExecutorContext } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import {
  defineTool,
  makeSubagentTool,
  Tasks,
  Toolkit,
  taskTools,
  toOpenAiTools,
  toolkitExecutor,
} from "@toolglot/toolkit";
import { createMcpClient, onceHandler } from "@toolglot/toolkit/mcp";
import { z } from "zod";

/** Whatever the example is not about. */
export interface Given {
  toolkit: Toolkit;
  action: CallsAction;
  context: ExecutorContext;
  researcher: { run(question: string, options: { signal: AbortSignal }): Promise<string> };
  server: string;
  storage: Storage;
}

export const examples: Record<string, (given: Given) => Promise<unknown>> = {
  async Toolkit() {
    const toolkit = new Toolkit();
    toolkit.registerToolFunction(({ a, b }) => a + b, {
      name: "add",
      description: "Adds two numbers.",
      args: { a: "number", b: "number" },
    });
    const values: unknown[] = [];
    for await (const { data } of toolkit.callToolFunction({ name: "add", input: { a: 19, b: 23 } })) values.push(data);
    return values;
  },
  async registerToolFunction({ toolkit }) {
    toolkit.registerToolFunction(({ city, unit }) => `18 °${unit} in ${city}`, {
      name: "weather",
      description: "Returns the weather of a city.",
      args: { city: "string - City name", unit: "'C' | 'F'" },
      presets: { unit: "C" }, // the model neither sees nor sets it
    });
    return toolkit.registered.get("weather")?.definition.inputSchema.properties;
  },
  async defineTool({ toolkit }) {
    const add = defineTool({
      name: "add",
      description: "Adds two numbers.",
      args: { a: "number", "b?": "number = 1" },
      annotations: { readOnlyHint: true },
      execute: ({ a, b }) => a + b,
    });
    toolkit.clear();
    toolkit.registerToolFunction(add);
    return toolkit.definitions().map(({ name }) => name);
  },
  async toolkitExecutor({ toolkit, action, context }) {
    const executor: Executor = toolkitExecutor(toolkit, { maxConcurrency: 4 });
    const results = await executor.execute(action, context);
    return results.map(({ status, data }) => ({ status, data }));
  },
  async makeSubagentTool({ toolkit, researcher }) {
    const tool = makeSubagentTool({
      name: "research",
      description: "Answers a question after reading the sources.",
      args: { question: "string" },
      run: ({ question }, { signal }) => researcher.run(question, { signal }),
    });
    toolkit.registerToolFunction(tool);
    const values: unknown[] = [];
    for await (const { data } of toolkit.callToolFunction({ name: "research", input: { question: "Why?" } }))
      values.push(data);
    return values;
  },
  async createMcpClient({ toolkit, server }) {
    const client = createMcpClient({
      name: "files",
      transport: { type: "stdio", command: process.execPath, args: [server] },
    });
    try {
      const names = await toolkit.registerMcpClient(client);
      return names.length > 0;
    } finally {
      await client.close();
    }
  },
  async onceHandler({ storage }) {
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    const inputSchema = z.object({ order: z.number() });
    const refund = async ({ order }: { order: number }) => ({ content: [{ type: "text" as const, text: `${order}` }] });
    const log = storage.operations;
    server.registerTool("refund", { inputSchema }, onceHandler(refund, { log, scope: "shop/refund" }));
    return server.isConnected();
  },
  async taskTools({ toolkit }) {
    const tasks = new Tasks();
    const executor = toolkitExecutor(toolkit, { tasks });
    for (const tool of taskTools(tasks)) toolkit.registerToolFunction(tool);
    return [executor.tasks === tasks, ...toolkit.definitions().map(({ name }) => name)];
  },
  async toOpenAiTools({ toolkit }) {
    const { tools, names } = toOpenAiTools(toolkit.definitions());
    return { tools: tools.length, names: typeof names };
  },
};
