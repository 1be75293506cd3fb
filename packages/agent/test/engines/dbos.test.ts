import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi, someOf } from "@toolglot/internal/testing";
import { bundle } from "@toolglot/internal/testing/programs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresForTests } from "../../../../scripts/lib/postgres.mjs";
import type { DbosEnd, DbosLife } from "./processes/dbos-life.ts";

// DBOS runs the agent's loop as its workflow, in processes that are really killed.

const { url, skip } = await postgresForTests();
const folder = mkdtempSync(join(tmpdir(), "toolglot-dbos-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schemas = { dbos: `test_dbos_${process.pid}`, toolglot: `test_agent_${process.pid}` };
let script: string;

/** Lives one process. Undefined when it was killed. */
async function live(workflowID: string, diesAt: number, isOnce: boolean): Promise<DbosEnd | undefined> {
  // DBOS uses `pg` in a way that the next version of that forbids, and is warned of it.
  const life: DbosLife = { url, schemas, workflowID, ledger: join(folder, workflowID), diesAt, isOnce };
  const child = spawn(process.execPath, ["--no-deprecation", script, JSON.stringify(life)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    told += chunk;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal === "SIGKILL") return undefined;
  expect([code, told]).toEqual([0, expect.stringMatching(/^\{/)]);
  return JSON.parse(told) as DbosEnd;
}

/** The effects that a workflow had. */
function effectsOf(workflowID: string): string[] {
  const file = join(folder, workflowID);
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Moments of a workflow that nobody kills. */
const moments = Array.from({ length: 42 }, (_, index) => index + 1);
/** The effect of the first call has happened, and what came of it is written down; DBOS does not know yet. */
const afterEffect = 9;
const some = someOf(moments, 1, [afterEffect]);
const told =
  some.length === moments.length ? "all 42 moments" : `${some.length} of 42 moments, the others left to test:long`;
const steps = [
  ...["model:0", "call:0:effect", "call:0:effect:2", "model:1", "call:1:destroy", "DBOS.recv"],
  ...["call:1:destroy:2", "call:1:effect", "model:2"],
];

describe.skipIf(skip)(`a workflow of DBOS around the loop${skip ? ` (skipped: ${skip})` : ""}`, () => {
  beforeAll(async () => {
    script = await bundle("dbos-life", import.meta.dirname, ["@dbos-inc/dbos-sdk"]);
  });

  it("has its steps by their names, and each effect once", async () => {
    const end = await live("whole", 0, true);
    expect(end).toMatchObject({ status: "answered", text: "Done.", steps: expect.arrayContaining(steps) });
    expect(end?.steps.filter((name) => name !== "DBOS.sleep")).toEqual(steps);
    expect(effectsOf("whole")).toEqual(["a", "b", "c", "d"]);
    expect(end?.moments).toBe(moments.length);
  });

  it(`killed at any moment and recovered, has the same steps and no effect twice (${told})`, async () => {
    for (const diesAt of some) {
      const id = `killed-at-${diesAt}`;
      expect(await live(id, diesAt, true), id).toBeUndefined();
      const end = await live(id, 0, true);
      expect(end, id).toMatchObject({ status: "answered", text: "Done." });
      expect(
        end?.steps.filter((name) => name !== "DBOS.sleep"),
        id,
      ).toEqual(steps);
      const effects = effectsOf(id);
      if (diesAt === afterEffect) expect(end?.results[0], id).toEqual(["a", "ok"]);
      for (const [callId, status] of end?.results ?? []) {
        const times = effects.filter((key) => key === callId).length;
        expect(
          status === "ok" ? times === 1 : status === "in-doubt" && times <= 1,
          `${id}: ${callId} ${status}, ${times}`,
        ).toBe(true);
      }
    }
  }, 600_000);

  it("has that effect twice without once", async (context) => {
    leftToCi(context);
    expect(await live("naive", afterEffect, false)).toBeUndefined();
    expect(await live("naive", 0, false)).toMatchObject({ status: "answered" });
    expect(effectsOf("naive")).toEqual(["a", "a", "b", "c", "d"]);
  });
});
