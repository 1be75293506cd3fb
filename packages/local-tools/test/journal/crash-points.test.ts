import { readdirSync } from "node:fs";
import { join } from "node:path";
import { drawn, rounds } from "@toolglot/internal/testing";
import { bundle, start } from "@toolglot/internal/testing/programs";
import { beforeAll, describe, expect, it } from "vitest";
import { bytes, newScene, type Scene, tree } from "./place.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

// Every moment of a change × killed and failed × every kind of change; then the journal is opened again. Each kill is a process: a
// plain run has three of a change's moments, .ci/run eight, test:long all.

let program: string;

beforeAll(async () => {
  program = await bundle("change", import.meta.dirname);
});

interface Course {
  points: string[];
  before: Record<string, string>;
  after: Record<string, string>;
}

/** The moments that a change goes through, and what is there before and after it. */
async function courseOf(scenario: Scenario): Promise<Course> {
  const points: string[] = [];
  const scene = await prepared(scenario);
  const before = tree(scene.root);
  const journal = await scene.open({ onPoint: (name) => void points.push(name) });
  await scenarios[scenario].change(journal, scene.root);
  return { points, before, after: tree(scene.root) };
}

async function prepared(scenario: Scenario): Promise<Scene> {
  const scene = await newScene();
  await scenarios[scenario].prepare(await scene.open(), scene.root);
  return scene;
}

/** Opens the journal again: all old or all new, the record says which, nothing is left over, and it can be worked with. */
async function checkRepaired(scene: Scene, course: Course, expected: "old" | "new", hadRecord: boolean): Promise<void> {
  const undoes = course.before["fresh/deep/new.txt"] !== undefined;
  const journal = await scene.open();
  expect(tree(scene.root)).toEqual(expected === "new" ? course.after : course.before);
  const records = await journal.list();
  const [record] = records;
  if (expected === "new") {
    expect(record?.state).toBe("done");
    expect(record?.undoes).toBe(undoes ? records[1]?.id : undefined);
    if (undoes) expect(records[1]?.state).toBe("undone");
  } else if (hadRecord) {
    expect(record?.state).toBe("rolled-back");
    if (undoes) expect(records[1]?.state).toBe("done");
  } else {
    expect(records.map(({ state }) => state)).toEqual(undoes ? ["done"] : []);
  }
  expect(records.every(({ trouble }) => trouble === undefined)).toBe(true);
  // A second opening finds nothing to do, and the journal holds nothing but records and its lock.
  expect((await scene.open()).recovered).toEqual([]);
  const path = join(scene.root, "a.txt");
  const isThere = tree(scene.root)["a.txt"];
  await journal.commit([{ path, before: isThere === undefined ? null : bytes(isThere), after: bytes("usable") }]);
  await journal.undo();
  expect(tree(scene.root)).toEqual(expected === "new" ? course.after : course.before);
  expect(readdirSync(scene.dir).filter((name) => name !== "lock").length).toBe(records.length + 2);
}

const names = Object.keys(scenarios) as Scenario[];

describe.each(names)("%s", (scenario) => {
  let course: Course;
  beforeAll(async () => {
    course = await courseOf(scenario);
  });

  it("should go through every moment", () => {
    const kinds = new Set(course.points.map((name) => name.split(" ")[0]));
    const always = ["locked", "checked", "record-made", "prepared", "verified", "committing", "replaced", "settled"];
    for (const name of [...always, "cleaned", "synced", "done", "pruned"]) expect(kinds).toContain(name);
    expect(kinds.has("folder-made")).toBe(scenario === "creation in a new folder");
    expect(kinds.has("new-written")).toBe(scenario !== "deletion");
    expect(kinds.has("old-kept") && kinds.has("old-linked")).toBe(scenario !== "creation in a new folder");
  });

  it("should leave all old or all new content when the process is killed at any moment", async () => {
    const last = course.points.findLastIndex((name) => name.startsWith("replaced"));
    const recorded = course.points.indexOf("prepared");
    const jobs = drawn([...course.points.entries()], rounds(3, course.points.length));
    const round = async (): Promise<void> => {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        const [at, killAt] = job;
        const scene = await prepared(scenario);
        const { signal, output } = await start(program, { root: scene.root, dir: scene.dir, scenario, killAt }).ended;
        expect({ killAt, signal, output }).toEqual({ killAt, signal: "SIGKILL", output: "" });
        await checkRepaired(scene, course, at >= last ? "new" : "old", at >= recorded);
      }
    };
    await Promise.all([round(), round(), round()]);
  }, 60_000);

  it("should take everything back when a step fails, and say so", async () => {
    const done = course.points.indexOf("done");
    const recorded = course.points.indexOf("prepared");
    for (const [at, throwAt] of course.points.entries()) {
      const scene = await prepared(scenario);
      const journal = await scene.open({
        onPoint: (name) => {
          if (name === throwAt) throw new Error("no more");
        },
      });
      const made = scenarios[scenario].change(journal, scene.root);
      if (at >= done) await made;
      else await expect(made, throwAt).rejects.toMatchObject({ data: { type: "WriteFailed" } });
      // As it is, before anybody opens the journal again.
      expect(tree(scene.root), throwAt).toEqual(at >= done ? course.after : course.before);
      await checkRepaired(scene, course, at >= done ? "new" : "old", at >= recorded);
    }
  }, 60_000);
});

const takingBack = ["restored 2", "restored 1", "restored 0", "tidied", "rolled-back"];

it.each(takingBack)("should go on with a repair that was killed at %s", async (killAt) => {
  const scenario = "edit of three files";
  const course = await courseOf(scenario);
  const scene = await prepared(scenario);
  const place = { root: scene.root, dir: scene.dir };
  expect((await start(program, { ...place, scenario, killAt: "replaced 1" }).ended).signal).toBe("SIGKILL");
  expect((await start(program, { ...place, killAt }).ended).signal).toBe("SIGKILL");
  await checkRepaired(scene, course, "old", true);
});

it.each(takingBack)("should go on with a taking back that was killed at %s", async (killAt) => {
  const course = await courseOf("undo");
  const scene = await prepared("undo");
  const settings = { root: scene.root, dir: scene.dir, scenario: "undo", throwAt: "cleaned", killAt };
  expect((await start(program, settings).ended).signal).toBe("SIGKILL");
  await checkRepaired(scene, course, "old", true);
});
