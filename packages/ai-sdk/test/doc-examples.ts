// The examples of the doc comments, word for word, in functions that can be run. doc-examples.test.ts compares and runs them.
import {
  aiSdkModel,
  fromAiSdkTools,
  guardCalls,
  inOrder,
  onceTools,
  repairToolCall,
  toAiSdkTools,
  toolglotMiddleware,
  toolkitPrepareStep,
} from "@toolglot/ai-sdk";
import { rescueToolCalls } from "@toolglot/ai-sdk/rescue";
import { textMessage } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import type { Toolkit } from "@toolglot/toolkit";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { generateText, stepCountIs, type ToolSet, tool, wrapLanguageModel } from "ai";
import { z } from "zod";

/** Whatever the example is not about. `provider`: a model of ai 6. */
export interface Given {
  provider: Parameters<typeof wrapLanguageModel>[0]["model"];
  toolkit: Toolkit;
  signal: AbortSignal;
  storage: Storage;
}

export const examples: Record<string, (given: Given) => Promise<unknown>> = {
  async toolglotMiddleware({ provider, toolkit }) {
    const model = wrapLanguageModel({
      model: provider,
      middleware: toolglotMiddleware({
        protocol: toolsxmlProtocol({ prompt: toolsxmlPrompt }),
        specificationVersion: "v3", // ai 6; leave it out for ai 7
      }),
    });
    const tools = toAiSdkTools(toolkit) as ToolSet;
    return (await generateText({ model, tools, stopWhen: stepCountIs(2), prompt: "What is 19 + 23?" })).text;
  },
  async guardCalls({ provider, toolkit }) {
    const model = wrapLanguageModel({
      model: provider,
      middleware: guardCalls({ specificationVersion: "v3" }), // ai 6; leave it out for ai 7
    });
    return (await generateText({ model, tools: toAiSdkTools(toolkit) as ToolSet, prompt: "What is 19 + 23?" })).text;
  },
  async rescueToolCalls({ provider, toolkit }) {
    const model = wrapLanguageModel({
      model: provider,
      middleware: rescueToolCalls({ specificationVersion: "v3" }), // ai 6; leave it out for ai 7
    });
    const tools = toAiSdkTools(toolkit) as ToolSet;
    return (await generateText({ model, tools, stopWhen: stepCountIs(2), prompt: "What is 19 + 23?" })).text;
  },
  async repairToolCall({ provider: model, toolkit }) {
    const tools = toAiSdkTools(toolkit) as ToolSet;
    const prompt = "What is 19 + 23?";
    const options = { model, tools, prompt, experimental_repairToolCall: repairToolCall() };
    return (await generateText(options)).text;
  },
  async aiSdkModel({ provider, signal }) {
    const model = aiSdkModel({ model: provider, temperature: 0 });
    let text = "";
    for await (const part of model({ messages: [textMessage("user", "What is 19 + 23?")] }, signal))
      if (typeof part === "string") text += part;
    return text;
  },
  async toAiSdkTools({ toolkit }) {
    const tools = toAiSdkTools(toolkit, { approve: () => true });
    return Object.keys(tools);
  },
  async fromAiSdkTools() {
    const weather = tool({
      description: "Returns the weather of a city.",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => ({ city, sky: "sunny" }),
    });
    const tools = fromAiSdkTools({ weather });
    return tools.map(({ name }) => name);
  },
  async toolkitPrepareStep({ provider, toolkit }) {
    const tools = toAiSdkTools(toolkit, { groups: "all" }) as ToolSet;
    const prepareStep = toolkitPrepareStep(toolkit);
    return (await generateText({ model: provider, tools, prepareStep, prompt: "What is 19 + 23?" })).text;
  },
  async onceTools({ storage }) {
    const make = () => tool({ description: "", inputSchema: z.object({}), execute: async () => "done" });
    const [refund, orders] = [make(), make()];
    const log = storage.operations;
    const tools = onceTools({ refund, orders }, { log, scope: "shop", effects: { orders: "pure" } });
    return [tools.refund === refund, tools.orders === orders];
  },
  async inOrder({ toolkit }) {
    const tools = inOrder(toAiSdkTools(toolkit));
    return Object.keys(tools);
  },
};
