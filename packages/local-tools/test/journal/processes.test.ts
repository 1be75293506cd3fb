import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import { bundle, start } from "@toolglot/internal/testing/programs";
import { beforeAll, expect, it } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { change, newScene, type Scene, tree } from "./place.ts";
import { scenarios } from "./scenarios.ts";

let load: string;
let program: string;
let swap: string;

beforeAll(async () => {
  [load, program, swap] = await Promise.all([
    bundle("load", import.meta.dirname),
    bundle("change", import.meta.dirname),
    bundle("swap", import.meta.dirname),
  ]);
});

async function counting(): Promise<Scene> {
  const scene = await newScene();
  mkdirSync(join(scene.root, "sub"));
  for (const name of ["a", "sub/b", "c"]) writeFileSync(join(scene.root, name), "0");
  return scene;
}

/** The number that all files hold. */
function count(root: string): number {
  const { a } = tree(root);
  const odd = Number(a) % 2 === 1 ? { "odd/": "", "odd/file": a } : {};
  const found = tree(root);
  // The folder stays when its file is removed.
  if (found["odd/file"] === undefined) delete found["odd/"];
  expect(found).toEqual({ a, c: a, "sub/": "", "sub/b": a, ...odd });
  return Number(a);
}

it("should hold all old or all new content when a process is killed at any time", async () => {
  const scene = await counting();
  let last = 0;
  let repaired = 0;
  for (let round = 0; round < rounds(12, 200); round++) {
    const { child, said, ended } = start(load, { ...place(scene), changes: 1e9 });
    // On a busy machine its first change may take longer than any pause here.
    await said(round % 2 === 0 ? "ready" : "made");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 80));
    child.kill("SIGKILL");
    const { signal, output } = await ended;
    expect(signal).toBe("SIGKILL");
    const journal = await scene.open();
    repaired += journal.recovered.length;
    const told = Number([...output.matchAll(/made (\d+)\n/g)].at(-1)?.[1] ?? last);
    // What was told is there; at most one change was made that wasn't told.
    const now = count(scene.root);
    expect([told, told + 1]).toContain(now);
    expect((await journal.list()).every(({ state }) => state === "done" || state === "rolled-back")).toBe(true);
    last = now;
  }
  expect(last).toBeGreaterThan(0);
  expect(repaired).toBeGreaterThan(0);
}, 600_000);

const place = ({ root, dir }: Scene): { root: string; dir: string } => ({ root, dir });

it("should let many processes write to the same files, and lose no change, though some are killed", async () => {
  const scene = await counting();
  const each = rounds(10, 60);
  const victims = [1, 2].map(() => start(load, { ...place(scene), changes: 1e9 }));
  const workers = [1, 2].map(() => start(load, { ...place(scene), changes: each }));
  for (const { child, said } of victims) {
    await said("made");
    child.kill("SIGKILL");
  }
  const told = await Promise.all([...victims, ...workers].map(({ ended }) => ended));
  expect(told.map(({ code, signal }) => code ?? signal)).toEqual(["SIGKILL", "SIGKILL", 0, 0]);
  const numbers = told.flatMap(({ output }) =>
    [...output.matchAll(/made (\d+)\n/g)].map(([, number]) => Number(number)),
  );
  expect(new Set(numbers).size).toBe(numbers.length);
  const journal = await scene.open();
  const last = count(scene.root);
  // Those that were killed may each have made one that they didn't tell.
  expect(last - numbers.length).toBeGreaterThanOrEqual(0);
  expect(last - numbers.length).toBeLessThanOrEqual(2);
  const records = await journal.list();
  // The journal keeps the newest 200; a victim may have made more before the signal reached it.
  expect(records.filter(({ state }) => state === "done").length).toBe(Math.min(last, 200));
  expect(new Set(records.map(({ id }) => id.slice(0, 9))).size).toBe(records.length);
}, 120_000);

it("should leave the record of a living process alone, wait for it, and take over when it is dead", async () => {
  const scene = await newScene();
  const first = await scene.open();
  await scenarios["edit of three files"].prepare(first, scene.root);
  const settings = { ...place(scene), scenario: "edit of three files", waitAt: "replaced 0" };
  const { child, said, ended } = start(program, settings);
  await said("waiting");
  const half = tree(scene.root);
  // Opening doesn't wait, repairs nothing and shows nothing of it.
  const journal = await scene.open({ lockWaitMs: 200 });
  expect([journal.recovered, await journal.recover(), await journal.list()]).toEqual([[], [], []]);
  const refused = journal.commit([change(scene.root, "x", null, "x")]);
  await expect(refused).rejects.toThrow("Another process is writing, and did not end in time.");
  await expect(refused).rejects.toMatchObject({ data: { type: "WriteFailed", hint: "Try again later." } });
  expect(tree(scene.root)).toEqual(half);
  // Somebody who waits goes on when it dies.
  const waiting = first.commit([change(scene.root, "x", null, "x")]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill("SIGKILL");
  await ended;
  await waiting;
  expect(tree(scene.root)).toEqual({
    "a.txt": "old a\n",
    "c.bin": "old c\n",
    "sub/": "",
    "sub/b.txt": "old b\n",
    x: "x",
  });
});

it("should write nothing outside while a folder is swapped for a link", async () => {
  const { base, root, open } = await newScene();
  const outside = join(base, "outside");
  mkdirSync(join(root, "sub"));
  mkdirSync(outside);
  writeFileSync(join(outside, "file"), "0");
  writeFileSync(join(root, "sub/file"), "0");
  writeFileSync(join(root, "beside"), "0");
  const { child, said, ended } = start(swap, { root, outside });
  await said("ready");
  const journal = await open();
  let made = 0;
  let refused = 0;
  const until = Date.now() + rounds(1_000, 20_000);
  while (Date.now() < until) {
    const next = `${made + 1}`;
    try {
      await journal.commit([
        change(root, "sub/file", `${made}`, next),
        change(root, `sub/deep/${next}`, null, next),
        change(root, "beside", `${made}`, next),
      ]);
      made += 1;
    } catch (error) {
      const type = localErrorType(error);
      if (type === undefined) throw error;
      refused += 1;
    }
  }
  child.kill("SIGKILL");
  await ended;
  expect(tree(outside)).toEqual({ file: "0" });
  const sub = readdirSync(root).includes("away") ? "away" : "sub";
  expect([readFileSync(join(root, sub, "file"), "utf8"), readFileSync(join(root, "beside"), "utf8")]).toEqual([
    `${made}`,
    `${made}`,
  ]);
  const left = Object.keys(tree(root)).filter((name) => name.includes(".toolglot-"));
  expect(left).toEqual([]);
  expect(refused).toBeGreaterThan(0);
}, 60_000);
