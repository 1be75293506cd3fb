import { randomBytes } from "node:crypto";
import { link, mkdir, readdir, readFile, rename, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolglotError } from "@toolglot/core";
import { sleep } from "@toolglot/internal";
import { ignoring } from "../errors.ts";
import { isAlive, type Owner, parseOwner } from "./owner.ts";

/** The entry of the journal's folder in which the lock is. */
export const lockFolder = "lock";

/** The right to write, until released. */
export interface HeldLock {
  /** False once another process took it for abandoned: this one slept too long, and must not write. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Entries behind the newest that stay: a listing that runs while others come and go can't miss all of them. */
const keptBehind = 16;

/**
 * One writer at a time, across processes. The entries of a folder are numbered: `held-7` names the process that holds the
 * lock, and becomes `free-7` when it is released. The highest number counts, and is never removed; a process that wants the lock
 * makes the next one, which only one can (a hard link to a written file: never seen half written). So a dead holder needs
 * no removal, in which two could take each other's lock away: its number is simply passed.
 */
export async function takeLock(dir: string, self: Owner, waitMs: number): Promise<HeldLock> {
  await mkdir(dir, { mode: 0o700 }).catch(ignoring("EEXIST"));
  const until = performance.now() + waitMs;
  for (let pause = 4; ; pause = Math.min(pause * 1.5, 50)) {
    const newest = newestOf(await entries(dir));
    const holder = newest?.held ? await holderOf(join(dir, newest.name), self) : undefined;
    if (holder === undefined) {
      const number = (newest?.number ?? 0) + 1;
      if (await place(dir, number, self)) return held(dir, number);
    }
    if (performance.now() >= until) throw busy(holder, waitMs);
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

interface Entry {
  name: string;
  number: number;
  held: boolean;
}

async function entries(dir: string): Promise<Entry[]> {
  return (await readdir(dir)).flatMap((name) => {
    const [, kind, number] = /^(held|free)-(\d{1,15})$/.exec(name) ?? [];
    return number === undefined ? [] : [{ name, number: Number(number), held: kind === "held" }];
  });
}

function newestOf(all: readonly Entry[]): Entry | undefined {
  // Of one number the released one counts: the other lost the race described in `place`, and goes away.
  return all.reduce<Entry | undefined>((best, entry) => {
    if (best === undefined || entry.number > best.number) return entry;
    return entry.number === best.number && !entry.held ? entry : best;
  }, undefined);
}

/** The living process that an entry names. Gone or unreadable entries (a power cut empties them) name none. */
async function holderOf(path: string, self: Owner): Promise<Owner | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    const owner = parseOwner(JSON.parse(text));
    return owner !== undefined && (await isAlive(owner, self, Date.now() - mtimeMs)) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the entry of a number, unless somebody else did. */
async function place(dir: string, number: number, self: Owner): Promise<boolean> {
  const written = join(dir, `new-${self.pid}-${randomBytes(6).toString("hex")}`);
  const mine = `held-${number}`;
  await writeFile(written, JSON.stringify(self), { flag: "wx", mode: 0o600 });
  try {
    await link(written, join(dir, mine));
  } catch (error) {
    return ignoring("EEXIST", "ENOENT")(error) ?? false;
  } finally {
    await unlink(written).catch(ignoring("ENOENT"));
  }
  const all = await entries(dir);
  // Between the listing and the link others may have held and released this number, and gone on.
  if (all.some((entry) => entry.name !== mine && entry.number >= number) || !all.some(({ name }) => name === mine)) {
    await unlink(join(dir, mine)).catch(ignoring("ENOENT"));
    return false;
  }
  await sweep(dir, all, number);
  return true;
}

async function sweep(dir: string, all: readonly Entry[], number: number): Promise<void> {
  const old = all.filter((entry) => entry.number < number - keptBehind).map(({ name }) => name);
  if (old.length < keptBehind) return;
  const written = (await readdir(dir)).filter((name) => name.startsWith("new-"));
  for (const name of written) {
    const found = await stat(join(dir, name)).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > 60_000) old.push(name);
  }
  await Promise.all(old.map((name) => unlink(join(dir, name)).catch(() => {})));
}

function held(dir: string, number: number): HeldLock {
  const mine = `held-${number}`;
  const sign = setInterval(() => {
    const now = new Date();
    utimes(join(dir, mine), now, now).catch(() => {});
  }, 5000);
  sign.unref();
  return {
    isHeld: async () => newestOf(await entries(dir))?.name === mine,
    // A renaming needs no space on a full disk, and the number stays the highest.
    release: () => {
      clearInterval(sign);
      return rename(join(dir, mine), join(dir, `free-${number}`)).catch(() => {});
    },
  };
}

function busy(holder: Owner | undefined, waitMs: number): ToolglotError {
  const who = holder === undefined ? "Other processes" : `Process ${holder.pid} on ${holder.host}`;
  const waited = `${Math.round(waitMs / 100) / 10} s`;
  return new ToolglotError("local-tools/journal-locked", `${who} held the change journal for more than ${waited}.`, {
    data: { ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }), waitMs },
  });
}
