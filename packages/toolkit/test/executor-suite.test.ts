import { type CallKind, describeExecutor, suiteTools } from "../../core/test/executing/executor-suite.ts";
import { Toolkit, toolkitExecutor } from "../src/index.ts";

const span = { start: 0, end: 0 };

describeExecutor("toolkitExecutor", () => {
  const effects: string[] = [];
  const toolkit = new Toolkit();
  for (const tool of suiteTools(effects)) toolkit.registerToolFunction(tool);
  return {
    executor: toolkitExecutor(toolkit),
    effects,
    action: (kinds: readonly CallKind[]) => ({
      kind: "calls",
      calls: kinds.map((name, n) => ({ id: `c${n}`, name, input: { n }, protocol: "native" })),
      span,
    }),
  };
});
