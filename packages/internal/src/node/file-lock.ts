import { randomBytes } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { allowing, attempt } from "../attempt.ts";
import { sleep } from "../waits.ts";
import { isAlive, type Owner, parseOwner } from "./owner.ts";

/** The right to write, until released. */
export interface HeldLock {
  /** True when nobody else has held it since this owner released it last. */
  isNext: boolean;
  /** Returns false once another process took it for abandoned: this one slept too long, and must not write. */
  isHeld(): boolean;
  release(): void;
}

/** Entries behind the newest that stay: a listing made while others come and go can't miss all of them. */
const maxBehind = 16;

/**
 * Resolves once this process may write, one at a time across processes. The entries of a folder are numbered: `held-7` names the process
 * that holds the lock, and becomes `free-7` when it is released. The highest number counts, and is never removed; a process that wants the
 * lock makes the next one, which only one can (a hard link to a written file: never seen half written). So a dead holder needs no removal,
 * in which two could take each other's lock away: its number is passed.
 *
 * Rejects with the error that `busy` makes after `waitMs`; `holder` is undefined when several others held it by turns.
 */
export async function takeLock(
  dir: string,
  self: Owner,
  waitMs: number,
  busy: (holder: Owner | undefined) => Error,
): Promise<HeldLock> {
  const last = released.get(self);
  // Mostly nobody else was here: then it is taken without a look around before.
  if (last?.dir === dir && isLinkedAgain(dir, `held-${last.number + 1}`, last) && isPlaced(dir, last.number + 1)) {
    return held(dir, last.number + 1, self, true);
  }
  if (!existsSync(dir)) allowing(["EEXIST"], () => mkdirSync(dir, { mode: 0o700 }));
  const until = performance.now() + waitMs;
  for (let pause = 4; ; pause = Math.min(pause * 1.5, 50)) {
    const newest = newestOf(entries(dir));
    const holder = newest?.held ? holderOf(join(dir, newest.name), self) : undefined;
    if (holder === undefined) {
      const number = (newest?.number ?? 0) + 1;
      if (isLinked(dir, `held-${number}`, self) && isPlaced(dir, number)) return held(dir, number, self, false);
    }
    if (performance.now() >= until) throw busy(holder);
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

interface Entry {
  name: string;
  number: number;
  held: boolean;
}

function entries(dir: string): Entry[] {
  return readdirSync(dir).flatMap((name) => {
    const [, kind, number] = /^(held|free)-(\d{1,15})$/.exec(name) ?? [];
    return number === undefined ? [] : [{ name, number: Number(number), held: kind === "held" }];
  });
}

function newestOf(all: readonly Entry[]): Entry | undefined {
  // Of one number the released one counts: the other lost the race described in `isPlaced`, and goes away.
  return all.reduce<Entry | undefined>((best, entry) => {
    if (best === undefined || entry.number > best.number) return entry;
    return entry.number === best.number && !entry.held ? entry : best;
  }, undefined);
}

/** Returns the living process that an entry names. Gone or unreadable entries (a power cut empties them) name none. */
function holderOf(path: string, self: Owner): Owner | undefined {
  return attempt(() => {
    const owner = parseOwner(JSON.parse(readFileSync(path, "utf8")));
    return owner !== undefined && isAlive(owner, self, Date.now() - statSync(path).mtimeMs) ? owner : undefined;
  });
}

/** Checks that the entry that was made is the highest, and removes it otherwise. */
function isPlaced(dir: string, number: number): boolean {
  const mine = `held-${number}`;
  const all = entries(dir);
  // Others may have held and released this number before it was made.
  if (all.some((entry) => entry.name !== mine && entry.number >= number) || !all.some(({ name }) => name === mine)) {
    allowing(["ENOENT"], () => unlinkSync(join(dir, mine)));
    return false;
  }
  sweep(dir, all, number);
  return true;
}

/** The entry that an owner released last. It names this owner, so the next one is a link to it: to make a file takes longer. */
const released = new WeakMap<Owner, Released>();

interface Released {
  dir: string;
  number: number;
}

function isLinkedAgain(dir: string, name: string, last: Released): boolean {
  const from = join(last.dir, `free-${last.number}`);
  // Who knows nothing of a process but the age of its entry must find it young. After a while it is swept away.
  return attempt(() => sign(from) ?? true) === true && link(from, join(dir, name));
}

function link(from: string, to: string): boolean {
  return allowing(["EEXIST", "ENOENT"], () => linkSync(from, to) ?? true) === true;
}

/** Links a name to a file that names the owner; false when the name is taken. */
function isLinked(dir: string, name: string, self: Owner): boolean {
  const last = released.get(self);
  if (last !== undefined && isLinkedAgain(dir, name, last)) return true;
  const written = join(dir, `new-${self.pid}-${randomBytes(6).toString("hex")}`);
  writeFileSync(written, JSON.stringify(self), { flag: "wx", mode: 0o600 });
  try {
    return link(written, join(dir, name));
  } finally {
    allowing(["ENOENT"], () => unlinkSync(written));
  }
}

/** Writes a sign of life. */
function sign(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

function sweep(dir: string, all: readonly Entry[], number: number): void {
  const old = all.filter((entry) => entry.number < number - maxBehind).map(({ name }) => name);
  if (old.length < maxBehind) return;
  for (const name of readdirSync(dir).filter((name) => name.startsWith("new-"))) {
    const found = attempt(() => statSync(join(dir, name)));
    if (found !== undefined && Date.now() - found.mtimeMs > 60_000) old.push(name);
  }
  for (const name of old) attempt(() => unlinkSync(join(dir, name)));
}

function held(dir: string, number: number, self: Owner, isNext: boolean): HeldLock {
  const name = `held-${number}`;
  const [mine, free] = [join(dir, name), join(dir, `free-${number}`)];
  const signs = setInterval(() => attempt(() => sign(mine)), 5000);
  signs.unref();
  return {
    isNext,
    // Whoever passes it takes the next number.
    isHeld: () => existsSync(mine) && !["held", "free"].some((kind) => existsSync(join(dir, `${kind}-${number + 1}`))),
    release: () => {
      clearInterval(signs);
      // A renaming needs no space on a full disk, and the number stays the highest.
      if (attempt(() => renameSync(mine, free) ?? true)) released.set(self, { dir, number });
    },
  };
}
