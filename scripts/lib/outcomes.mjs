// Counting: what a run of gates and tests adds up to. Pure functions.

/**
 * @typedef {object} Outcome One gate, test, or check.
 * @property {string} name
 * @property {"passed" | "failed" | "skipped"} state
 * @property {string} [reason] Why it was skipped.
 */

/**
 * What a gate came to. A plain gate is one outcome. A counting gate is the outcomes it wrote; one that wrote nothing, or
 * ended with an error that no outcome explains, is a failure of its own.
 * @param {{ id: string, counts?: boolean }} gate
 * @param {number} code Its exit code.
 * @param {Outcome[] | undefined} written
 * @returns {Outcome[]}
 */
export function gateOutcomes({ id, counts }, code, written) {
  if (!counts) return [{ name: `gate ${id}`, state: code === 0 ? "passed" : "failed" }];
  if (written === undefined || written.length === 0) {
    return [{ name: `gate ${id}`, state: "failed", reason: `ended with code ${code} and without results` }];
  }
  const explained = code === 0 || written.some(({ state }) => state === "failed");
  return explained ? written : [...written, { name: `gate ${id}`, state: "failed", reason: `ended with code ${code}` }];
}

/**
 * Warnings of Node in what a test run printed: a listener that is never removed, an emitter without end, a rejection that was handled too
 * late. Each fails once. Experimental features warn on purpose.
 * @param {string} output
 * @returns {Outcome[]}
 */
export function warningOutcomes(output) {
  const found = [...output.matchAll(/^\(node:\d+\) (?:\[\w+\] )?((?!Experimental)\w*Warning: .*)$/gm)];
  return [...new Set(found.map(([, text = ""]) => text))].map((reason) => ({
    name: "no warning of Node in the output of the tests",
    state: "failed",
    reason,
  }));
}

/**
 * With TOOLGLOT_REQUIRE_ALL=1 nothing may be skipped: a skip becomes a failure that keeps its reason.
 * @param {Outcome[]} outcomes
 * @param {boolean} requireAll
 * @returns {Outcome[]}
 */
export const settleSkips = (outcomes, requireAll) =>
  outcomes.map((outcome) => (requireAll && outcome.state === "skipped" ? { ...outcome, state: "failed" } : outcome));

/**
 * @param {Outcome[]} outcomes
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function count(outcomes) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { state } of outcomes) totals[state] += 1;
  return totals;
}

/**
 * The closing line of `npm test`, which tools read: `12 passed, 0 failed`, and the skipped ones if there are any.
 * @param {{ passed: number, failed: number, skipped: number }} totals
 */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;

/**
 * Skipped outcomes grouped by reason, most frequent first, as lines.
 * @param {Outcome[]} outcomes
 * @returns {string[]}
 */
export function skipLines(outcomes) {
  /** @type {Map<string, Outcome[]>} */
  const byReason = new Map();
  for (const outcome of outcomes) {
    if (outcome.state !== "skipped") continue;
    const reason = outcome.reason ?? "no reason given";
    byReason.set(reason, [...(byReason.get(reason) ?? []), outcome]);
  }
  return [...byReason]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([reason, group]) => `${group.length} × ${reason} (${group[0]?.name}${group.length > 1 ? ", …" : ""})`);
}

/**
 * Reads what a child wrote to its TOOLGLOT_OUTCOMES file. Anything but a list of outcomes is `undefined`: a run that
 * died early must not count as a run without failures.
 * @param {string} text
 * @returns {Outcome[] | undefined}
 */
export function readOutcomes(text) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) && value.every(isOutcome) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param {unknown} value */
const isOutcome = (value) =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  "state" in value &&
  ["passed", "failed", "skipped"].includes(String(value.state));
