import type { Executor } from "@cloudflare/codemode/browser";
import type { Sandbox } from "@toolglot/sandbox";

/** Returns an `Executor` for code mode on a JavaScript sandbox of toolglot. */
export const sandboxExecutor = (sandbox: Sandbox): Executor => ({
  async execute(code, providersOrFns) {
    const providers = Array.isArray(providersOrFns) ? providersOrFns : [{ name: "codemode", fns: providersOrFns }];
    const tools = providers.flatMap(({ name: space, fns }) =>
      Object.entries(fns).map(([name, run]) => ({
        name: `${space}__${name}`,
        description: "",
        inputSchema: { type: "object" as const, properties: {}, additionalProperties: true },
        execute: (input: unknown) => run(input),
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
