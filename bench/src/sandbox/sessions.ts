import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryStorage } from "@toolglot/core/storage";
import { createSandbox, type Sandbox, type SandboxSession, type SessionOptions } from "@toolglot/sandbox";
import { folderStorage } from "@toolglot/storage";
import { inFolder } from "../machine.ts";
import { median, often, quick } from "../measure.ts";
import { descendants, residentMb, wholeProcessorMs } from "../processes.ts";
import { atMost, type Bar, type Findings, figure, ms, type Run, ratio, type Table } from "../report.ts";
import { conversationPeers } from "./conversations.ts";
import { perRound, processorEach } from "./measures.ts";

// Sessions: what it costs to keep, to store and to go on with what programs left.

/** Of a session of a thousand rows: what makes them, counts them, changes one, and makes many more. */
interface Programs {
  rows: string;
  count: string;
  step: string;
  more: string;
}

const row = "[{'id': n, 'name': f'row {n}', 'price': n * 1.5}";
const count = "__result__ = len(rows)";
const python: Programs = {
  rows: `rows = ${row} for n in range(1000)]\n${count}`,
  count,
  step: `rows[7]['price'] += 1\n${count}`,
  more: `more = ${row} for n in range(28_000)]\n${count}`,
};
const made = (rows: number) =>
  `Array.from({ length: ${rows} }, (_, n) => ({ id: n, name: "row " + n, price: n * 1.5 }));\nreturn rows.length;`;
const javascript: Programs = {
  rows: `const rows = ${made(1000)}`,
  count: "return rows.length;",
  step: "rows[7].price += 1;\nreturn rows.length;",
  more: `const more = ${made(28_000)}`,
};
const { rows, step } = python;

const key = new Uint8Array(32).fill(7);
const shared = { key, domain: "bench" };

async function expectRows(session: SandboxSession, code: string): Promise<void> {
  const run = await session.run(code);
  if (run.status !== "ok" || run.value !== 1000 || run.state !== "kept") throw new Error(JSON.stringify(run));
}

/** Processor time of a round, of all processes: the least of some parts, since on a busy machine the same work takes longer. */
async function processorOf(work: () => Promise<unknown>): Promise<number> {
  const found: number[] = [];
  for (let part = 0; part < often(5); part += 1) found.push(await perRound(15, work, wholeProcessorMs));
  return Math.min(...found);
}

interface Costs {
  /** A program of a session whose image is not stored. */
  program: number;
  /** What storing its image adds, on disk. */
  save: number;
  /** Going on with a stored session in a warm interpreter, its first program included. */
  resume: number;
  /** Of a larger one, beside its next program. */
  resumeLarge: number;
  largeBytes: number;
  packed: number;
}

async function measureCosts(sandbox: Sandbox, dir: string, { rows, count, step, more }: Programs): Promise<Costs> {
  const storage = folderStorage(dir);
  const open = async (options: SessionOptions): Promise<SandboxSession> => {
    const session = await sandbox.openSession({ storage, ...shared, ...options });
    await expectRows(session, rows);
    return session;
  };
  const unsaved = await open({ save: "manual" });
  for (let round = 0; round < 3; round += 1) await expectRows(unsaved, step);
  const program = await processorOf(() => expectRows(unsaved, step));
  await unsaved.close({ forget: true });

  const saved = await open({ save: "each", limits: { checkpoints: 0 } });
  for (let round = 0; round < 3; round += 1) await expectRows(saved, step);
  const save = (await processorOf(() => expectRows(saved, step))) - program;
  const { packed } = await saved.save();
  await saved.close();

  const again = async (id: string, code: string): Promise<void> => {
    const session = await sandbox.resumeSession(id, { storage, ...shared, save: "manual" });
    await expectRows(session, code);
    await session.close();
  };
  await again(saved.id, count);
  const resume = await processorOf(() => again(saved.id, count));

  const large = await open({ save: "manual" });
  await expectRows(large, more);
  const { bytes: largeBytes } = await large.save();
  await large.close();
  const held = await sandbox.resumeSession(large.id, { storage, ...shared, save: "manual" });
  const nextLarge = await processorOf(() => expectRows(held, count));
  await held.close();
  const resumeLarge = (await processorOf(() => again(large.id, count))) - nextLarge;
  return { program, save, resume, resumeLarge, largeBytes, packed };
}

/** Sessions that are open at the same time, in one domain. */
async function measureCrowd(sandbox: Sandbox, sessions: number) {
  const own = String(process.pid);
  const storage = memoryStorage({ maxBytes: 8 * 2 ** 30 });
  const all: SandboxSession[] = [];
  const open = async (): Promise<void> => {
    const session = await sandbox.openSession({ storage, ...shared, limits: { idleMs: 500 } });
    await expectRows(session, rows);
    all.push(session);
  };
  for (let number = 0; number < often(20); number += 1) await open();
  const before = residentMb([own]);
  for (let number = 0; number < sessions; number += 1) await open();
  const mbEach = (residentMb([own]) - before) / sessions;
  const processes = descendants().length;
  for (const at of [0, sessions / 2, sessions]) await expectRows(all[at] as SandboxSession, step);
  for (const session of all) await session.close({ forget: true });

  await using lone = createSandbox({ language: "python", pool: { size: 0 } });
  const others = new Set(descendants());
  const session = await lone.openSession({ limits: { idleMs: 200 } });
  await expectRows(session, rows);
  await sleep(3000);
  const idleProcesses = descendants().filter((pid) => !others.has(pid)).length;
  await expectRows(session, step);
  await session.close();
  return { sessions, mbEach, processes, idleProcesses };
}

/** Snapshots that were built by themselves, and interpreters that go on with one session: different memory would be refused. */
const measureSameness = (starts: number): Promise<{ snapshots: Set<string>; images: number }> =>
  inFolder(async (folder) => {
    const snapshots = new Set<string>();
    const storage = memoryStorage();
    const id = randomUUID();
    const folders = ["one", "other"].map((name) => join(folder, name)) as [string, string];
    const make = (cacheDir: string): Sandbox => createSandbox({ language: "python", cacheDir, pool: { size: 0 } });
    for (const [at, cacheDir] of folders.entries()) {
      await using sandbox = make(cacheDir);
      if (at === 0) {
        const session = await sandbox.openSession({ id, storage, key, save: "each" });
        await expectRows(session, rows);
        await session.close();
      } else await sandbox.run("__result__ = 1");
      const [name = ""] = readdirSync(cacheDir);
      const bytes = readFileSync(join(cacheDir, name));
      snapshots.add(createHash("sha256").update(bytes).digest("hex"));
    }
    let images = 0;
    for (; images < starts; images += 1) {
      await using sandbox = make(folders[images % 2] as string);
      const session = await sandbox.resumeSession(id, { storage, key, save: "manual" });
      await expectRows(session, count);
      await session.close();
    }
    return { snapshots, images };
  });

function costTable(
  title: string,
  { program, save, resume, resumeLarge, largeBytes, packed }: Costs,
  more: string[][] = [],
): Table {
  const large = figure(largeBytes / 1e6);
  return {
    title,
    note: "Processor time of all processes, in a session of 1,000 rows; its interpreter is warm. Of five times fifteen rounds the fifteen that took least.",
    columns: ["", "measured"],
    rows: [
      ["a program that changes one row, image not stored", ms(program)],
      ["storing the image on disk besides", ms(save)],
      ["bytes of an image", figure(packed)],
      ["going on from the disk, with one program", ms(resume)],
      [`going on with ${large} MB of memory from the disk, besides a program`, ms(resumeLarge)],
      ...more,
    ],
  };
}

/** What sessions cost and hold. */
export const measureSessions = ({ progress }: Run): Promise<Findings> =>
  inFolder(async (dir) => {
    progress("sessions: programs, images, resumes");
    const reuse = { maxPrograms: 10_000, maxMs: 3_600_000 };
    await using sandbox = createSandbox({ language: "python", reuse });
    const costs = await measureCosts(sandbox, join(dir, "store"), python);
    progress("sessions: JavaScript");
    await using other = createSandbox({ language: "javascript", reuse });
    const javascriptCosts = await measureCosts(other, join(dir, "javascript"), javascript);
    progress("sessions: four hundred that are open");
    const crowd = await measureCrowd(sandbox, quick ? 4 : 400);
    progress("sessions: the same bytes");
    const starts = often(20);
    const same = await measureSameness(starts);
    progress("sessions: single-use starts");
    const make = (): Sandbox => createSandbox({ language: "python", pool: { size: 0 } });
    const single = median([await processorEach(make, 3), await processorEach(make, 3), await processorEach(make, 3)]);
    progress("sessions: peers");
    const peers = await conversationPeers(step, rows);
    const stored = costs.program + costs.save;
    const bar = (what: string, limit: string, measured: string, met: boolean): Bar => ({ what, limit, measured, met });
    const rowsOfPeers = [
      { name: "**toolglot**, stored after each", ms: stored, left: "all, functions and classes too" },
      { name: "**toolglot**, not stored", ms: costs.program, left: "the last image that was stored" },
      ...peers,
    ].map((one) => [one.name, `${ms(one.ms)} (${ratio(one.ms, stored)})`, one.left]);
    return {
      tables: [
        costTable("Sessions of Python", costs, [
          [`memory of the host for each of ${crowd.sessions} that are open`, `${figure(crowd.mbEach)} MB`],
          [`processes besides the host while ${crowd.sessions} are open`, String(crowd.processes)],
          ["a program without domain or session, its interpreter's start included", ms(single)],
        ]),
        costTable("Sessions of JavaScript", javascriptCosts),
        {
          title: "A conversation beside peers",
          note: "Processor time of each of many programs that change one of a thousand rows. In brackets: beside a program of a session that is stored on disk.",
          columns: ["", "each program", "what is left when its process dies"],
          words: [2],
          rows: rowsOfPeers,
        },
      ],
      bars: [
        atMost("Session of 1,000 rows: storing its image, processor time", costs.save, 120, " ms"),
        atMost(
          "Session of 1,000 rows: going on in a warm interpreter and one program, processor time",
          costs.resume,
          60,
          " ms",
        ),
        atMost("Session of 10 MB: going on, besides a program", costs.resumeLarge, 50, " ms"),
        atMost("Idle session of 1,000 rows: memory of the host", crowd.mbEach, 6, " MB"),
        bar("Idle session: processes", "0", String(crowd.idleProcesses), crowd.idleProcesses === 0),
        bar("400 open sessions: processes, for those that run", "≤ 2", String(crowd.processes), crowd.processes <= 2),
        bar("Two builds of the snapshot", "one SHA-256", `${same.snapshots.size}`, same.snapshots.size === 1),
        bar("Memory of 20 starts from two snapshots", "one SHA-256", `${same.images} went on`, same.images === starts),
      ],
    };
  });
