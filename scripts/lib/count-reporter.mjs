// A Vitest reporter that writes every test's outcome as JSON, with the reason of each skip. test.mjs counts from it.
import { writeFileSync } from "node:fs";

/** @typedef {import("./outcomes.mjs").Outcome} Outcome */

/** Where the outcomes go: the file named by TOOLGLOT_OUTCOMES, rewritten whenever a test file is done. */
export default class CountReporter {
  /** Test files under way or done, by id: what each came to so far, as JSON without its brackets. @type {Map<string, string>} */
  #files = new Map();

  /** @param {import("vitest/node").TestModule} module */
  onTestModuleStart(module) {
    // If the run is killed (a test that never yields can't time out), this is what is left to say.
    this.#files.set(module.id, inList([{ name: nameOf(module), state: "failed", reason: "did not finish" }]));
    this.#write();
  }

  /** @param {import("vitest/node").TestModule} module */
  onTestModuleEnd(module) {
    this.#files.set(module.id, inList(outcomesOf(module)));
    this.#write();
  }

  /**
   * @param {readonly import("vitest/node").TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    this.#files = new Map(modules.map((module) => [module.id, inList(outcomesOf(module))]));
    const errors = unhandledErrors.map(() => ({
      name: "an error outside every test",
      state: /** @type {const} */ ("failed"),
    }));
    this.#files.set("", inList(errors));
    this.#write();
  }

  #write() {
    const file = process.env.TOOLGLOT_OUTCOMES;
    if (file !== undefined)
      writeFileSync(file, `[${[...this.#files.values()].filter((text) => text !== "").join(",")}]`);
  }
}

/** @param {Outcome[]} outcomes */
const inList = (outcomes) => JSON.stringify(outcomes).slice(1, -1);

/** @param {import("vitest/node").TestModule} module */
const nameOf = (module) => module.relativeModuleId;

/**
 * @param {import("vitest/node").TestModule} module
 * @returns {Outcome[]}
 */
function outcomesOf(module) {
  const where = nameOf(module);
  /** @type {Outcome[]} */
  const outcomes = [];
  // A file that doesn't load, or a hook that fails, has no failed test.
  for (const part of [module, ...module.children.allSuites()]) {
    if (part.errors().length === 0) continue;
    const name = part.type === "suite" ? `${where} > ${part.fullName}` : where;
    outcomes.push({ name: `${name} (loading, hooks)`, state: "failed" });
  }
  for (const test of module.children.allTests()) outcomes.push(outcomeOf(test, `${where} > ${test.fullName}`));
  return outcomes;
}

/**
 * @param {import("vitest/node").TestCase} test
 * @param {string} name
 * @returns {Outcome}
 */
function outcomeOf(test, name) {
  const result = test.result();
  if (result.state === "passed") return { name, state: "passed" };
  // "pending" here means the run was cut short before the test's turn.
  if (result.state !== "skipped") return { name, state: "failed" };
  const reason = test.options.mode === "todo" ? "todo" : result.note;
  return { name, state: "skipped", ...(reason === undefined ? {} : { reason }) };
}
