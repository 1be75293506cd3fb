import { type CallKind, describeExecutor, suiteTools } from "../../core/test/executing/executor-suite.ts";
import { sandboxExecutor } from "../src/node/index.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

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
      executor: sandboxExecutor(sharedSandbox(language), { tools: suiteTools(effects) }),
      effects,
      action: (kinds: readonly CallKind[]) => {
        const source = sources[language](kinds);
        return { kind: "code", id: "program", language, source, span: { start: 0, end: source.length } };
      },
    };
  });
}
