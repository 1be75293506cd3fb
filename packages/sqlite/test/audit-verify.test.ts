import { createRouter, defineCapability, type Effect, type Router } from "@toolglot/trp-core";
import { afterEach, describe, expect, it } from "vitest";
import { chooseDriver } from "../src/driver.ts";
import { openSqlite } from "../src/index.ts";
import { newFile } from "./files.ts";
import { boss, callOnce, endOf } from "./session.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function start(file: string, execute: () => unknown = () => 1, effect: Effect = "opaque"): Promise<Router> {
  const write = defineCapability({
    capId: "cap.x.write.v1",
    name: "write",
    description: "Writes.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect,
    args: { n: "string" },
    execute,
  });
  const store = await openSqlite({ file });
  const router = createRouter({ capabilities: [write], store });
  ends.push(async () => {
    await router.close({ graceMs: 10 });
    await store.close();
  });
  return router;
}

const call = async (router: Router, n: number, timeoutMs = 5_000): Promise<string> =>
  endOf(await callOnce(router, "cap.x.write.v1", { n: `${n}` }, { key: `key-${n}`, timeoutMs }));

/** As somebody does who can write the file. */
async function tamper(file: string, ...statements: string[]): Promise<void> {
  const connection = (await chooseDriver()).open(file);
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

describe("the audit log of five effects", () => {
  async function five() {
    const file = newFile();
    const router = await start(file);
    for (let n = 0; n < 5; n++) expect(await call(router, n)).toBe("SUCCESS");
    return { file, router };
  }

  it("is whole, and the report says how far that goes", async () => {
    const { router } = await five();
    const report = await router.audit.verify();
    expect(report).toMatchObject({ ok: true, rows: 10, operations: 5 });
    expect(report.trust).toBe(
      "Every row follows from the one before it. Each of the 5 operations in the store has its rows. " +
        "Whoever can write the store could have made all of it anew: note the head elsewhere, and expect it next time.",
    );
    expect(report.last).toEqual({ index: report.rows, hash: report.head });
    const expected = report.last ?? { index: 1, hash: "" };
    await call(router, 5);
    const later = await router.audit.verify({ expect: expected });
    expect(later).toMatchObject({ ok: true, rows: 12 });
    expect(later.trust).toContain("Row 10 is the one that was noted");
  });

  it.each([
    ["the row about the last end", "n > 9", "the row about its end (SUCCESS) is missing"],
    ["the rows of the last effect", "n > 8", "the row about its start is missing"],
    ["the second half", "n > 5", "is missing"],
    ["everything", "n > 0", "the row about its start is missing"],
  ])("misses %s", async (_name, condition, problem) => {
    const { file, router } = await five();
    await tamper(file, `DELETE FROM audit WHERE ${condition}`);
    const report = await router.audit.verify();
    expect(report).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
    expect(report.trust).toBe("The log can't be trusted: something was taken out, changed or put in.");
  });

  it("is not believed without the operations that were taken out with their rows, if a head was noted", async () => {
    const { file, router } = await five();
    const { rows, head } = await router.audit.verify();
    await tamper(file, "DELETE FROM audit WHERE n > 8", "DELETE FROM operations WHERE key = 'key-4'");
    expect(await router.audit.verify()).toMatchObject({ ok: true, operations: 4 });
    expect(await router.audit.verify({ expect: { index: rows, hash: head } })).toMatchObject({
      ok: false,
      brokenAt: 9,
      problem: "row 10, which was noted, is not in the log",
    });
    // A log that goes on from there gets another row of that number.
    await call(router, 7);
    expect(await router.audit.verify({ expect: { index: rows, hash: head } })).toMatchObject({
      ok: false,
      brokenAt: 10,
      problem: "row 10 is not the one that was noted",
    });
  });

  it("takes only a row's number and hash as what was noted", async () => {
    const { router } = await five();
    const hash = "0".repeat(64);
    for (const expected of [{ index: 0, hash }, { index: 1, hash: "abc" }, { index: "1", hash }, "1:abc", null]) {
      await expect(router.audit.verify({ expect: expected as never })).rejects.toThrow(TypeError);
    }
  });
});

it("finds the rows of what failed, is in doubt, was settled, taken over or joined by an equal call", async () => {
  const file = newFile();
  let hangs = true;
  const router = await start(file, () => (hangs ? new Promise(() => {}) : 1));
  expect(await call(router, 1, 30)).toBe("UNKNOWN");
  hangs = false;
  expect(endOf(await callOnce(router, "cap.x.write.v1", { n: "1" }, { key: "other" }))).toBe("UNKNOWN");
  expect((await router.audit.verify()).ok).toBe(true);
  const [record] = await router.operations.inDoubt(boss);
  if (record === undefined) throw new Error("nothing is in doubt");
  await router.operations.resolve(boss, record, { state: "failed", message: "it was not" });
  expect(await router.audit.verify()).toMatchObject({ ok: true, operations: 1 });

  const other = newFile();
  let gate = (): void => {};
  const held = new Promise<void>((resolve) => {
    gate = resolve;
  });
  const keyed = await start(other, () => held.then(() => 1), "keyed");
  // Out of time: it may go on, under another key too.
  expect(await call(keyed, 1, 30)).toBe("TRP_3001");
  gate();
  expect(endOf(await callOnce(keyed, "cap.x.write.v1", { n: "1" }, { key: "other" }))).toBe("SUCCESS");
  expect(await call(keyed, 1)).toBe("SUCCESS");
  expect(await keyed.audit.verify()).toMatchObject({ ok: true, operations: 1 });
});
