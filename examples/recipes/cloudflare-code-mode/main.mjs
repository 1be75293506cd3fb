// Cloudflare code mode: programs run in toolglot's sandbox. The recipe is docs/recipes/cloudflare-code-mode.md.
import assert from "node:assert/strict";
import { createBrowserCodeTool } from "@cloudflare/codemode/browser";
import { createSandbox } from "@toolglot/sandbox";

// ── the recipe ──────────────────────────────────────────────────────────────────────────────────────────────────────
/** An `Executor` for code mode, on a JavaScript sandbox of toolglot. */
export const sandboxExecutor = (sandbox) => ({
  async execute(code, providersOrFns) {
    const providers = Array.isArray(providersOrFns) ? providersOrFns : [{ name: "codemode", fns: providersOrFns }];
    const tools = providers.flatMap(({ name: space, fns }) =>
      Object.entries(fns).map(([name, run]) => ({
        name: `${space}__${name}`,
        description: "",
        inputSchema: { type: "object", properties: {}, additionalProperties: true },
        execute: (input) => run(input),
      })),
    );
    const spaces = providers.map(({ name: space, fns, prelude = "" }) => {
      const members = Object.keys(fns).map(
        (name) => `${JSON.stringify(name)}: (input = {}) => ${space}__${name}(input)`,
      );
      return `const ${space} = { ${members.join(", ")} };\n${prelude}`;
    });
    const program = `${spaces.join("\n")}\nreturn await (${code.trim().replace(/;$/, "")})();`;
    const run = await sandbox.run(program, { tools });
    const logs = run.logs.map(({ text }) => text.replace(/\n$/, ""));
    return run.status === "ok" ? { result: run.value, logs } : { result: undefined, error: run.error.message, logs };
  },
});
// ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const sandbox = createSandbox({ language: "javascript", pool: { size: 0 } });
const executor = sandboxExecutor(sandbox);
const stock = { apple: 5, pear: 8 };
const codeTool = createBrowserCodeTool({
  executor,
  tools: {
    count: {
      description: "Counts what is there.",
      inputSchema: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
      execute: async ({ article }) => ({ count: stock[article] ?? 0 }),
    },
  },
});

const code = `async () => {
  const [apple, pear] = await Promise.all([codemode.count({ article: "apple" }), codemode.count({ article: "pear" })]);
  console.log("counted");
  return apple.count + pear.count;
}`;
const { result, logs } = await codeTool.execute({ code });
console.log(result, logs);
assert.equal(result, 13);
assert.deepEqual(logs, ["counted"]);

const failed = await executor.execute('async () => { throw new Error("no such thing"); }', {});
assert.match(failed.error, /no such thing/);
// There is nothing but the tools: no network, no process.
const alone = await executor.execute("async () => [typeof fetch, typeof process, typeof require].join()", []);
assert.equal(alone.result, "undefined,undefined,undefined");
await sandbox[Symbol.asyncDispose]();
