import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readOutcomes } from "../lib/outcomes.mjs";
import { root, run } from "../lib/workspace.mjs";

it("should write down what a run of Vitest came to, broken files and reasons included", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "toolglot-count-"));
  try {
    const file = join(scratch, "outcomes.json");
    const fixture = join(import.meta.dirname, "__fixtures__/run");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const reporter = `--reporter=${join(root, "scripts/lib/count-reporter.mjs")}`;
    const { code } = await run(process.execPath, [vitest, "run", "--root", fixture, reporter], {
      env: { ...process.env, TOOLGLOT_OUTCOMES: file },
    });
    expect(code).not.toBe(0);
    const outcomes = readOutcomes(readFileSync(file, "utf8")) ?? [];
    expect(outcomes.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "fixture broken.fixture.ts (loading, hooks)", state: "failed" },
      { name: "fixture hook.fixture.ts > a group whose hook fails (loading, hooks)", state: "failed" },
      { name: "fixture hook.fixture.ts > a group whose hook fails > never gets its turn", state: "skipped" },
      { name: "fixture mixed.fixture.ts > a group > is not written yet", state: "skipped", reason: "todo" },
      { name: "fixture mixed.fixture.ts > fails", state: "failed" },
      { name: "fixture mixed.fixture.ts > passes", state: "passed" },
      { name: "fixture mixed.fixture.ts > skips with a reason", state: "skipped", reason: "no Chromium" },
      { name: "fixture mixed.fixture.ts > skips without one", state: "skipped" },
    ]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
