// The checks of a script that `npm test` counts one by one: each has a name, and passes, fails or is skipped.
import { writeFileSync } from "node:fs";
import { closingLine, count } from "./outcomes.mjs";

/** @param {string} prefix Of the names in the outcomes: the gate's id. */
export function createChecks(prefix) {
  /** @type {import("./outcomes.mjs").Outcome[]} */
  const outcomes = [];

  /** @param {string} name @param {string} reason */
  function skip(name, reason) {
    outcomes.push({ name: `${prefix} ${name}`, state: "skipped", reason });
    console.log(`- ${name}  skipped: ${reason}`);
  }

  /**
   * Runs one check; what it throws is its failure, a returned `{ skip }` its reason to skip.
   * @param {string} name
   * @param {() => Promise<void | { skip: string }>} check
   * @returns {Promise<boolean>} whether it passed
   */
  async function verify(name, check) {
    const started = performance.now();
    try {
      const result = await check();
      if (result) {
        skip(name, result.skip);
        return false;
      }
      outcomes.push({ name: `${prefix} ${name}`, state: "passed" });
      console.log(`✓ ${name}  ${((performance.now() - started) / 1000).toFixed(1)} s`);
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      outcomes.push({ name: `${prefix} ${name}`, state: "failed", reason: message.split("\n", 1)[0] ?? "" });
      console.log(`✗ ${name}\n${message}`);
      return false;
    }
  }

  /** Prints the closing line, writes what `npm test` counts, and sets the exit code. */
  function finish() {
    if (process.env.TOOLGLOT_OUTCOMES) writeFileSync(process.env.TOOLGLOT_OUTCOMES, JSON.stringify(outcomes));
    const totals = count(outcomes);
    console.log(closingLine(totals));
    process.exitCode = totals.failed > 0 ? 1 : 0;
  }

  return { outcomes, verify, skip, finish };
}
