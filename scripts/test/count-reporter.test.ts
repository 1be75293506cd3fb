import { mkdtempSync, readFileSync, rmSync, unwatchFile, watchFile } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readOutcomes } from "../lib/outcomes.mjs";
import { root, run } from "../lib/workspace.mjs";

const fixture = join(import.meta.dirname, "__fixtures__/run");

/** Runs Vitest on the fixture, to its end or until the reporter first writes, and gives what the reporter left. */
async function outcomesOf(args: string[], stopAtFirst = false) {
  const scratch = mkdtempSync(join(tmpdir(), "toolglot-count-"));
  try {
    const file = join(scratch, "outcomes.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const reporter = `--reporter=${join(root, "scripts/lib/count-reporter.mjs")}`;
    const stopped = new AbortController();
    if (stopAtFirst) watchFile(file, { interval: 100 }, ({ size }) => size > 0 && stopped.abort());
    const { code } = await run(process.execPath, [vitest, "run", "--root", fixture, reporter, ...args], {
      env: { ...process.env, TOOLGLOT_OUTCOMES: file },
      signal: stopped.signal,
    });
    return { code, outcomes: readOutcomes(readFileSync(file, "utf8")) ?? [] };
  } finally {
    unwatchFile(join(scratch, "outcomes.json"));
    rmSync(scratch, { recursive: true, force: true });
  }
}

it("should write down what a run of Vitest came to, broken files and reasons included", async () => {
  const { code, outcomes } = await outcomesOf([]);
  expect(code).not.toBe(0);
  expect(outcomes.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
    { name: "broken.fixture.ts (loading, hooks)", state: "failed" },
    { name: "hook.fixture.ts > a group whose hook fails (loading, hooks)", state: "failed" },
    { name: "hook.fixture.ts > a group whose hook fails > never gets its turn", state: "skipped" },
    { name: "mixed.fixture.ts > a group > is not written yet", state: "skipped", reason: "todo" },
    { name: "mixed.fixture.ts > fails", state: "failed" },
    { name: "mixed.fixture.ts > passes", state: "passed" },
    { name: "mixed.fixture.ts > skips with a reason", state: "skipped", reason: "no Chromium" },
    { name: "mixed.fixture.ts > skips without one", state: "skipped" },
  ]);
}, 60_000);

it("should name the file that was running when the run was stopped", async () => {
  const { code, outcomes } = await outcomesOf(["--config", "endless.config.ts"], true);
  expect(code).not.toBe(0);
  expect(outcomes).toEqual([{ name: "endless.ts", state: "failed", reason: "did not finish" }]);
}, 60_000);
