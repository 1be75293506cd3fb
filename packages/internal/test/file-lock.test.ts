import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { type HeldLock, isAlive, type Owner, parseOwner, takeLock as take, thisOwner } from "../src/node/index.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function newDir(): string {
  count += 1;
  return join(folder, String(count));
}

/** A lock as another one would hold it. */
function place(dir: string, number: number, owner: Owner, ageMs = 0): void {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, `held-${number}`);
  writeFileSync(path, JSON.stringify(owner));
  const at = new Date(Date.now() - ageMs);
  utimesSync(path, at, at);
}

/** As callers of the lock have it, with an error of theirs. */
function takeLock(dir: string, self: Owner, waitMs: number): Promise<HeldLock> {
  return take(dir, self, waitMs, (holder) => Object.assign(new Error("busy"), { holder }));
}

const hour = 3_600_000;

it("should be held by one at a time", async () => {
  const dir = newDir();
  const owners = await Promise.all(Array.from({ length: 6 }, thisOwner));
  let inside = 0;
  let most = 0;
  let taken = 0;
  await Promise.all(
    owners.map(async (owner) => {
      for (let round = 0; round < 8; round++) {
        const lock = await takeLock(dir, owner, 60_000);
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setTimeout(resolve, 1));
        expect(await lock.isHeld()).toBe(true);
        inside -= 1;
        taken += 1;
        await lock.release();
        expect(await lock.isHeld()).toBe(false);
      }
    }),
  );
  expect([most, taken]).toEqual([1, 48]);
  // Old numbers are swept away.
  expect(readdirSync(dir).length).toBeLessThanOrEqual(33);
}, 60_000);

it("should wait for a living holder no longer than it may, and say who it is", async () => {
  const dir = newDir();
  const self = await thisOwner();
  const lock = await takeLock(dir, self, 0);
  await expect(takeLock(dir, await thisOwner(), 100)).rejects.toMatchObject({
    message: "busy",
    holder: { pid: process.pid },
  });
  await lock.release();
  await (await takeLock(dir, self, 0)).release();
});

it("should pass a holder that is dead, of an earlier boot, or can't be read", async () => {
  const self = await thisOwner();
  const dead: Owner[] = [
    { ...self, pid: 4_194_305, id: "x" },
    ...(self.started === null ? [] : [{ ...self, started: "1", id: "x" }]),
    { ...self, boot: "another boot", id: "x" },
  ];
  for (const owner of dead) {
    const dir = newDir();
    place(dir, 7, owner);
    const lock = await takeLock(dir, self, 0);
    expect(readdirSync(dir).sort()).toEqual(["held-7", "held-8"]);
    await lock.release();
  }
  const dir = newDir();
  mkdirSync(dir);
  for (const [name, text] of Object.entries({ "held-3": "", "held-2": "{}", "new-1-x": "", "mine.txt": "" })) {
    writeFileSync(join(dir, name), text);
  }
  await (await takeLock(dir, self, 0)).release();
  expect(readdirSync(dir).sort()).toEqual(["free-4", "held-2", "held-3", "mine.txt", "new-1-x"]);
});

it("should wait for holders of whom nothing can be known, but not for ever; and a holder passed over learns of it", async () => {
  const self = await thisOwner();
  const strangers: Owner[] = [
    { ...self, host: "elsewhere", boot: "another boot" },
    { ...self, space: "pid:[1]" },
    { ...self, host: "elsewhere", boot: null },
  ];
  for (const owner of strangers) {
    const dir = newDir();
    place(dir, 1, owner);
    await expect(takeLock(dir, self, 20)).rejects.toMatchObject({ holder: owner });
    place(dir, 1, owner, hour);
    const lock = await takeLock(dir, self, 20);
    expect(await lock.isHeld()).toBe(true);
    place(dir, 3, self);
    expect(await lock.isHeld()).toBe(false);
    await lock.release();
  }
});

it("should say whether nobody else held it since", async () => {
  const dir = newDir();
  const [self, other] = [thisOwner(), thisOwner()];
  const isNext = async (owner: Owner): Promise<boolean> => {
    const lock = await takeLock(dir, owner, 0);
    lock.release();
    return lock.isNext;
  };
  const found: boolean[] = [];
  for (const owner of [self, self, self, other, self, self, other, other]) found.push(await isNext(owner));
  expect(found).toEqual([false, true, true, false, false, true, false, true]);
  // Also one that was passed over.
  const slept = await takeLock(dir, self, 0);
  place(dir, 10, other);
  slept.release();
  renameSync(join(dir, "held-10"), join(dir, "free-10"));
  expect([await isNext(self), await isNext(self)]).toEqual([false, true]);
  rmSync(dir, { recursive: true });
  expect([await isNext(self), await isNext(self)]).toEqual([false, true]);
});

it("should give a sign of life as long as it is held", async () => {
  const dir = newDir();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const lock = await takeLock(dir, await thisOwner(), 0);
    const path = join(dir, "held-1");
    utimesSync(path, 1, 1);
    vi.advanceTimersByTime(5000);
    await vi.waitFor(() => expect(statSync(path).mtimeMs).toBeGreaterThan(Date.now() - hour));
    await lock.release();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it("should know the living from the dead", async () => {
  const self = await thisOwner();
  expect(await isAlive(self, self, hour)).toBe(true);
  expect(await isAlive({ ...self, pid: process.ppid, started: null }, self, hour)).toBe(true);
  // A number that was given out again.
  if (self.started !== null) expect(await isAlive({ ...self, pid: process.ppid }, self, 0)).toBe(false);
  expect(parseOwner(JSON.parse(JSON.stringify(self)))).toEqual(self);
  for (const broken of [
    null,
    "x",
    {},
    { ...self, pid: 0 },
    { ...self, pid: "1" },
    { ...self, boot: 1 },
    { ...self, host: null },
  ]) {
    expect(parseOwner(broken)).toBeUndefined();
  }
});

it.runIf(process.platform === "linux")("should take a process for dead that only waits for its parent", async () => {
  const self = await thisOwner();
  // The first ends while the second runs, which never asks for it.
  const child = spawn("sh", ["-c", "sleep 0.3 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const owner: Owner = { ...self, pid: Number(String(line)), started: null };
    await vi.waitFor(async () => expect(await isAlive(owner, self, 0)).toBe(false), { timeout: 10_000 });
    // The system still has it.
    expect(process.kill(owner.pid, 0)).toBe(true);
  } finally {
    child.kill("SIGKILL");
  }
});
