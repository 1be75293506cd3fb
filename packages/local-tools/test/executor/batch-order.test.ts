import type { ToolCall, ToolResult } from "@toolglot/core";
import { expect, it } from "vitest";
import { runInBatchOrder } from "../../src/executor/local-executor.ts";

/** What runs together, by the places of the calls: groups in the order in which they begin, each one over before the next. */
async function groups(...names: string[]): Promise<string[]> {
  const calls = names.map((name, index): ToolCall => ({ id: String(index), name, input: {}, protocol: "toolsxml" }));
  const begun: string[][] = [];
  let running = 0;
  const begin = async (ids: string): Promise<void> => {
    if (running++ === 0) begun.push([]);
    begun.at(-1)?.push(ids);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
  };
  const result = ({ id, name }: ToolCall): ToolResult => ({ callId: id, name, status: "ok", content: [] });
  const results = await runInBatchOrder(calls, 8, {
    single: (call) => begin(call.id).then(() => result(call)),
    edits: (edits) => begin(edits.map(({ id }) => id).join("+")).then(() => edits.map(result)),
  });
  expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
  return begun.map((ids) => ids.join(","));
}

it("should run reads and foreign calls beside their neighbours", async () => {
  expect(await groups("read", "mcp", "search_docs", "read")).toEqual(["0,1,2,3"]);
});

it("should run each shell call by itself, in the document's order", async () => {
  expect(await groups("command", "input", "ctrl", "command")).toEqual(["0", "1", "2", "3"]);
});

it("should make all edits of a block together, where the first of them stands", async () => {
  expect(await groups("read", "edit", "command", "edit", "read")).toEqual(["0", "1+3", "2", "4"]);
});

it("should let what follows a shell call or an edit wait for it", async () => {
  expect(await groups("read", "command", "read", "read", "edit", "read")).toEqual(["0", "1", "2,3", "4", "5"]);
});

it("should run nothing for nothing", async () => {
  expect(await groups()).toEqual([]);
});
