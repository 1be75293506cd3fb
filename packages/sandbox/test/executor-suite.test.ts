import { afterAll } from "vitest";
import { type CallKind, describeExecutor, suiteTools } from "../../core/test/executing/executor-suite.ts";
import { createSandbox, sandboxExecutor } from "../src/node/index.ts";

const sandboxes = {
  javascript: createSandbox({ language: "javascript" }),
  python: createSandbox({ language: "python", pool: { size: 1 } }),
};
afterAll(() => Promise.all(Object.values(sandboxes).map((sandbox) => sandbox[Symbol.asyncDispose]())));

const sources = {
  javascript: (kinds: readonly CallKind[]) =>
    kinds.map((name, n) => `try { await ${name}({ n: ${n} }); } catch {}`).join("\n"),
  python: (kinds: readonly CallKind[]) =>
    kinds.map((name, n) => `try:\n    ${name}(n=${n})\nexcept Exception:\n    pass`).join("\n"),
};

for (const language of ["javascript", "python"] as const) {
  describeExecutor(`sandboxExecutor of ${language}`, () => {
    const effects: string[] = [];
    return {
      executor: sandboxExecutor(sandboxes[language], { tools: suiteTools(effects) }),
      effects,
      action: (kinds: readonly CallKind[]) => {
        const source = sources[language](kinds);
        return { kind: "code", id: "program", language, source, span: { start: 0, end: source.length } };
      },
    };
  });
}
