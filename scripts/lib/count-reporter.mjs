// A Vitest reporter that writes every test's outcome as JSON, with the reason of each skip. test.mjs counts from it.
import { writeFileSync } from "node:fs";

/** Where the outcomes go: the file named by TOOLGLOT_OUTCOMES. */
export default class CountReporter {
  /**
   * @param {readonly import("vitest/node").TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const file = process.env.TOOLGLOT_OUTCOMES;
    if (file === undefined) return;
    /** @type {import("./outcomes.mjs").Outcome[]} */
    const outcomes = [];
    for (const module of modules) {
      const where = `${module.project.name} ${module.relativeModuleId}`;
      // A file that doesn't load, or a hook that fails, has no failed test of its own.
      const broken = [module, ...module.children.allSuites()].filter((part) => part.errors().length > 0);
      for (const part of broken) {
        const name = part.type === "suite" ? `${where} > ${part.fullName}` : where;
        outcomes.push({ name: `${name} (loading, hooks)`, state: "failed" });
      }
      for (const test of module.children.allTests()) {
        const result = test.result();
        const name = `${where} > ${test.fullName}`;
        if (result.state === "passed") outcomes.push({ name, state: "passed" });
        else if (result.state === "failed") outcomes.push({ name, state: "failed" });
        else if (test.options.mode === "todo") outcomes.push({ name, state: "skipped", reason: "todo" });
        else if (result.state === "skipped" && result.note !== undefined)
          outcomes.push({ name, state: "skipped", reason: result.note });
        // "pending" here means the run was cut short before the test's turn.
        else outcomes.push({ name, state: result.state === "skipped" ? "skipped" : "failed" });
      }
    }
    for (const _ of unhandledErrors) outcomes.push({ name: "an error outside every test", state: "failed" });
    writeFileSync(file, JSON.stringify(outcomes));
  }
}
