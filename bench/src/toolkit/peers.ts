import { executeTool, safeParseJSON } from "@ai-sdk/provider-utils";
import { asSchema, generateText, stepCountIs, type ToolSet, tool } from "ai";
import { z } from "zod";
import { scriptedModel } from "../language-model.ts";
import { joined, mcpServer } from "../mcp.ts";
import { type Booking, booking, bookingText, bookingZod, expected, price } from "./booking.ts";
import type { Subject } from "./subject.ts";

/** AI SDK: the parts that parse, check and run a call, by themselves; and `generateText` with and without the tool run. */
export function aiSdk(): Subject[] {
  const schema = asSchema(bookingZod);
  const options = { toolCallId: "call-1", messages: [] };
  const run = async (input: Booking): Promise<unknown> => {
    let output: unknown;
    for await (const part of executeTool({ execute: price, input, options })) output = part.output;
    return output;
  };
  const model = scriptedModel("price", () => booking);
  const ask = (tools: ToolSet) => generateText({ model, tools, prompt: "Price?", stopWhen: stepCountIs(1) });
  const described = { description: "The price of a stay.", inputSchema: bookingZod };
  const runs = { price: tool({ ...described, execute: price }) };
  const asks = { price: tool({ ...described, outputSchema: z.number() }) };
  return [
    { name: "AI SDK: `executeTool` alone", expected, call: () => run(booking) },
    {
      name: "AI SDK: `safeParseJSON` with zod, then `executeTool`",
      expected,
      call: async () => {
        const parsed = await safeParseJSON({ text: bookingText, schema });
        if (!parsed.success) throw parsed.error;
        return run(parsed.value);
      },
    },
    {
      name: "AI SDK: `generateText`, a model that calls the tool at once",
      expected,
      call: async () => (await ask(runs)).toolResults[0]?.output,
    },
    {
      name: "AI SDK: the same, the tool not run",
      expected: 1,
      call: async () => (await ask(asks)).toolCalls.length,
    },
  ];
}

/** The official MCP client and server, joined in memory. */
export async function mcp(): Promise<{ subject: Subject; close(): Promise<void> }> {
  const server = mcpServer();
  server.registerTool(
    "price",
    { description: "The price of a stay.", inputSchema: bookingZod, outputSchema: z.object({ price: z.number() }) },
    async (input) => {
      const result = { price: await price(input) };
      return { content: [{ type: "text" as const, text: JSON.stringify(result) }], structuredContent: result };
    },
  );
  const client = await joined(server);
  await client.listTools();
  return {
    subject: {
      name: "MCP: client and server in memory, ten fields in zod",
      expected,
      call: async () => {
        const { structuredContent } = await client.callTool({ name: "price", arguments: { ...booking } });
        return (structuredContent as { price?: number } | undefined)?.price;
      },
    },
    close: () => client.close(),
  };
}
