import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkKeys } from "@toolglot/internal";
import { checkSessionId, type SessionHead, type SessionStore, type StoredTurn } from "../../session/store.ts";

// A session is a folder. `claim-<fence>` says who holds it: the highest one counts, and each is made under a name that nobody
// has, by a link, so that two can't have the same. `<turn>-<fence>.image` is an image, by its writer's fence; `<turn>-<fence>-<time>.image` expires then.

/** What a claim's file says. */
interface Claim {
  owner: string;
  /** When it ends. */
  until: number;
  /**
   * The newest turn when it was claimed; what a holder before it wrote later counts for nothing. Absent while it is being claimed.
   */
  from?: number;
}

interface Image {
  name: string;
  turn: number;
  fence: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

interface Found {
  /** The highest fence, 0 without one. */
  fence: number;
  claims: readonly string[];
  /** The last written of each turn. */
  images: readonly Image[];
  /** All that count, those that were written again too. */
  written: readonly Image[];
  leftovers: readonly string[];
}

const folderPrefix = "session-";
/** Of a process that was killed while it wrote. */
const staleMs = 3_600_000;
/** For the removal of an expired session. */
const expiryLeaseMs = 15_000;

/**
 * Keeps sessions in a folder, which it makes if there is none: 0700, its files 0600. Processes on one machine may share it, on a
 * file system that can link files. Folders of other users, links, and folders that others can write to are refused with an
 * `Error`. Throws `TypeError` for options that make no sense.
 */
export function fileSessionStore(options: { dir: string }): SessionStore {
  checkKeys("fileSessionStore()", options, "dir:text");
  const { dir } = options;
  if (typeof dir !== "string" || dir === "") throw new TypeError("dir must be the path of a folder.");
  let checked: Promise<void> | undefined;

  async function folderOf(id: string): Promise<string> {
    checkSessionId(id);
    checked ??= claimFolder(dir).catch((error) => {
      checked = undefined;
      throw error;
    });
    await checked;
    return join(dir, folderPrefix + id);
  }

  async function held(folder: string, fence: number): Promise<boolean> {
    return (await look(folder)).fence === fence;
  }

  async function headOf(id: string, folder: string): Promise<SessionHead | undefined> {
    const turns: StoredTurn[] = [];
    for (const { name, turn } of (await look(folder)).images) {
      const found = await absent(stat(join(folder, name)));
      if (found) turns.push({ turn, at: found.mtimeMs, bytes: found.size });
    }
    const newest = turns.at(-1);
    return newest && { id, turn: newest.turn, turns };
  }

  /** Whether the newest image of a session has expired. */
  async function isOver(folder: string): Promise<boolean> {
    return ((await look(folder)).images.at(-1)?.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now();
  }

  /** Removes an expired session, unless somebody has it, or has just written to it. */
  async function removeExpired(id: string, folder: string): Promise<boolean> {
    const claimed = await store.claim(id, "expired", expiryLeaseMs);
    if (!("fence" in claimed)) return false;
    const over = await isOver(folder);
    if (over) await store.drop(id, claimed.fence, "all");
    await store.release(id, claimed.fence);
    return over;
  }

  const store: SessionStore = {
    durability: "disk",
    async claim(id, owner, leaseMs) {
      const folder = await folderOf(id);
      await claimFolder(folder);
      const { fence } = await look(folder);
      const until = fence === 0 ? 0 : ((await readClaim(folder, fence))?.until ?? 0);
      if (until > Date.now()) return { until };
      const next = fence + 1;
      if (!(await writeNew(folder, claimName(next), { owner, until: Date.now() + leaseMs }))) {
        return { until: Date.now() + leaseMs };
      }
      const { images, claims, leftovers } = await look(folder);
      // From here on nobody writes with an older fence and is believed.
      const from = images.at(-1)?.turn ?? -1;
      await writeFile(folder, claimName(next), JSON.stringify({ owner, until: Date.now() + leaseMs, from }));
      const old = claims.filter((name) => name !== claimName(next));
      for (const name of [...old, ...leftovers]) await rm(join(folder, name), { force: true });
      return (await held(folder, next)) ? { fence: next } : { until: Date.now() + leaseMs };
    },
    async renew(id, fence, leaseMs) {
      const folder = await folderOf(id);
      const claim = (await held(folder, fence)) ? await readClaim(folder, fence) : undefined;
      if (claim === undefined) return false;
      await writeFile(folder, claimName(fence), JSON.stringify({ ...claim, until: Date.now() + leaseMs }));
      return await held(folder, fence);
    },
    async release(id, fence) {
      const folder = await folderOf(id);
      const claim = (await held(folder, fence)) ? await readClaim(folder, fence) : undefined;
      if (claim) await writeFile(folder, claimName(fence), JSON.stringify({ ...claim, until: 0 }));
    },
    async head(id) {
      return await headOf(id, await folderOf(id));
    },
    async get(id, turn) {
      const folder = await folderOf(id);
      const { images } = await look(folder);
      const image = turn === undefined ? images.at(-1) : images.find((one) => one.turn === turn);
      return image && (await absent(readFile(join(folder, image.name))));
    },
    async put(id, fence, turn, image, expiresAt) {
      const folder = await folderOf(id);
      if (!(await held(folder, fence))) return false;
      const name = `${turn}-${fence}${expiresAt === undefined ? "" : `-${Math.floor(expiresAt)}`}.image`;
      await writeFile(folder, name, image);
      // The same turn, written before by the same writer.
      for (const old of (await look(folder)).written) {
        if (old.turn === turn && old.fence === fence && old.name !== name)
          await rm(join(folder, old.name), { force: true });
      }
      return await held(folder, fence);
    },
    async drop(id, fence, turns) {
      const folder = await folderOf(id);
      const { images, fence: highest } = await look(folder);
      if (highest !== fence) return;
      for (const { name, turn } of images) {
        if (turns === "all" || turns.includes(turn)) await rm(join(folder, name), { force: true });
      }
    },
    async *list() {
      for (const entry of (await absent(readdir(dir))) ?? []) {
        const id = entry.slice(folderPrefix.length);
        const folder = join(dir, entry);
        const head = entry.startsWith(folderPrefix) ? await headOf(id, folder) : undefined;
        if (head && !((await isOver(folder)) && (await removeExpired(id, folder)))) yield head;
      }
    },
  };
  return store;
}

function claimName(fence: number): string {
  return `claim-${fence}`;
}

/** What lies in the folder of a session, and counts. */
async function look(folder: string): Promise<Found> {
  const names = (await absent(readdir(folder))) ?? [];
  const claims = names.filter((name) => /^claim-\d+$/.test(name));
  const fence = Math.max(0, ...claims.map((name) => Number(name.slice("claim-".length))));
  const from = fence === 0 ? undefined : (await readClaim(folder, fence))?.from;
  const images: Image[] = [];
  for (const name of names) {
    const [, turn, by, expires = Number.POSITIVE_INFINITY] = /^(\d+)-(\d+)(?:-(\d+))?\.image$/.exec(name) ?? [];
    const image = { name, turn: Number(turn), fence: Number(by), expiresAt: Number(expires) };
    if (turn === undefined || (image.fence < fence && from !== undefined && image.turn > from)) continue;
    images.push(image);
  }
  images.sort((a, b) => a.turn - b.turn || a.fence - b.fence || a.expiresAt - b.expiresAt);
  const counting = images.filter((image, index) => images[index + 1]?.turn !== image.turn);
  const leftovers: string[] = [];
  for (const name of names) {
    const isWritten = name.endsWith(".image") && !counting.some((image) => image.name === name);
    const written = name.endsWith(".tmp") ? await absent(stat(join(folder, name))) : undefined;
    if (isWritten || (written && Date.now() - written.mtimeMs > staleMs)) leftovers.push(name);
  }
  return { fence, claims, images: counting, written: images, leftovers };
}

async function readClaim(folder: string, fence: number): Promise<Claim | undefined> {
  const text = await absent(readFile(join(folder, claimName(fence)), "utf8"));
  return text === undefined ? undefined : (JSON.parse(text) as Claim);
}

/** Undefined where there is no such file. */
async function absent<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes the folder, or makes sure that it is one of this user's that nobody else can read or write. */
async function claimFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const found = await lstat(dir);
  if (!found.isDirectory()) throw new Error(`${dir} is no folder`);
  // Windows has neither owners nor modes here.
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error(`${dir} belongs to another user`);
  if ((found.mode & 0o077) !== 0) throw new Error(`others can look into ${dir}: run chmod 700 on it`);
}

/** Writes a file that there was not, all of it or nothing. False when there is one. */
async function writeNew(folder: string, name: string, claim: Claim): Promise<boolean> {
  const temporary = await writeTemporary(folder, JSON.stringify(claim));
  try {
    await link(temporary, join(folder, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Writes a file, all of it or nothing, and to stay. */
async function writeFile(folder: string, name: string, content: string | Uint8Array): Promise<void> {
  const temporary = await writeTemporary(folder, content);
  try {
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const entries = await open(folder, constants.O_RDONLY);
  // Not every file system can flush a folder.
  await entries.sync().catch(() => {});
  await entries.close();
}

async function writeTemporary(folder: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, `${randomUUID()}.tmp`);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}
