import type { OperationLog } from "@toolglot/core";
import { once } from "@toolglot/core/once";
import { describe, expect, it, onTestFinished } from "vitest";
import { onceTools } from "../../ai-sdk/src/index.ts";
import { defineTool, Toolkit } from "../../toolkit/src/index.ts";
import { onceHandler } from "../../toolkit/src/mcp/index.ts";
import { openPostgres } from "../src/index.ts";
import { newSchema, skip, url, why } from "./stores.ts";

// Each of the ways to do something once takes a storage's operation log, and is tested with one in memory. Here each does its work on one
// store, and is asked again on another, as another machine has it.

type Door = (log: OperationLog, act: () => Promise<number>) => Promise<unknown>;

const doors: Readonly<Record<string, Door>> = {
  once: async (log, act) => (await once(log, { scope: "plain", input: { n: 5 } }, act)).value,
  async toolkit(log, act) {
    const toolkit = new Toolkit({ once: { log, scope: "toolkit" } });
    toolkit.registerToolFunction(
      defineTool({ name: "pay", description: "Pays.", args: { n: "integer" }, execute: act }),
    );
    let data: unknown;
    for await (const response of toolkit.callToolFunction({ name: "pay", input: { n: 5 } })) data = response.data;
    return data;
  },
  async onceHandler(log, act) {
    const pay = onceHandler(
      async (_: { n: number }) => ({ content: [{ type: "text" as const, text: `${await act()}` }] }),
      { log, scope: "server/pay" },
    );
    const { content } = await pay({ n: 5 });
    return Number((content[0] as { text: string }).text);
  },
  async onceTools(log, act) {
    const { pay } = onceTools({ pay: { inputSchema: {}, execute: act } } as never, { log, scope: "ai-sdk" }) as Record<
      string,
      { execute(input: object, options: object): Promise<unknown> }
    >;
    return await pay?.execute({ n: 5 }, { toolCallId: "c", messages: [] });
  },
};

describe.skipIf(skip)(`what is done once, on PostgreSQL${why}`, () => {
  it.each(Object.entries(doors))("is done once, whichever machine asks again: %s", async (_, door) => {
    const schema = newSchema();
    let runs = 0;
    for (let machine = 0; machine < 2; machine++) {
      const store = await openPostgres({ url, schema, pool: 2 });
      onTestFinished(() => store.close());
      expect(await door(store.operations, async () => ++runs)).toBe(1);
    }
    expect(runs).toBe(1);
  });
});
