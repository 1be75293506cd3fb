import assert from "node:assert/strict";
// The entry `@cloudflare/codemode` can't be loaded outside of Workers.
import { createBrowserCodeTool } from "@cloudflare/codemode/browser";
import { createSandbox } from "@toolglot/sandbox";
import { sandboxExecutor } from "./sandbox-executor.ts";

const stock: Record<string, number> = { apple: 5, pear: 8 };
const sandbox = createSandbox({ language: "javascript" });
const executor = sandboxExecutor(sandbox);
const codeTool = createBrowserCodeTool({
  executor,
  tools: {
    count: {
      description: "Counts what is there.",
      inputSchema: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
      execute: async ({ article }) => ({ count: stock[String(article)] ?? 0 }),
    },
  },
});

// What a model writes when it is given `codeTool`: { name, description, inputSchema, execute }.
const code = `async () => {
  const [apple, pear] = await Promise.all([codemode.count({ article: "apple" }), codemode.count({ article: "pear" })]);
  console.log("counted");
  return apple.count + pear.count;
}`;
const { result, logs } = await codeTool.execute({ code });
console.log(result, logs);

assert.equal(result, 13);
const failed = await executor.execute('async () => { throw new Error("no such thing"); }', {});
assert.match(failed.error ?? "", /no such thing/);
const alone = await executor.execute("async () => [typeof fetch, typeof process, typeof require].join()", []);
assert.equal(alone.result, "undefined,undefined,undefined");
await sandbox[Symbol.asyncDispose]();
