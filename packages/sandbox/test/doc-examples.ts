// The examples of the doc comments, word for word, in functions that can be run. doc-examples.test.ts compares and runs them.
import type { AnyTool, CodeAction, ExecutorContext } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { codeTools, createSandbox, type Sandbox, sandboxExecutor, settleCall } from "@toolglot/sandbox";

/** Whatever the example is not about. */
export interface Given {
  sandbox: Sandbox;
  tools: AnyTool[];
  action: CodeAction;
  context: ExecutorContext;
  storage: Storage;
}

export const examples: Record<string, (given: Given) => Promise<unknown>> = {
  async createSandbox({ tools }) {
    await using sandbox = createSandbox({ language: "javascript", tools });
    const run = await sandbox.run("__result__ = await add({ a: 19, b: 23 });");
    const value = run.status === "ok" ? run.value : run.error.message; // 42
    return value;
  },
  async sandboxExecutor({ sandbox, tools, action, context }) {
    const executor = sandboxExecutor(sandbox, { tools });
    const [result] = await executor.execute(action, context);
    return result?.data;
  },
  async codeTools({ sandbox, tools, context: { signal } }) {
    const [tool] = codeTools(sandbox, { tools });
    const code = "__result__ = await add({ a: 19, b: 23 });";
    const output = await tool?.execute({ code }, { signal, callId: "call-1" });
    return output;
  },
  async settleCall({ storage }) {
    await settleCall(storage, "report-7", 3, { value: { sent: true } });
    await settleCall(storage, "report-7", 4, "released"); // it did not happen, and may be made
    return "settled";
  },
};
