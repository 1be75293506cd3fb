import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { memoryStorage } from "@toolglot/core/storage";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { defaultCacheDir, findOrBuildSnapshot } from "../../src/node/python/snapshot.ts";
import { readImage } from "../../src/node/session/image.ts";
import { pythonSandbox } from "../own-sandbox.ts";
import { imageOf } from "../session/support.ts";

const root = mkdtempSync(join(tmpdir(), "toolglot-snapshot-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const newFolder = (): string => join(root, `cache-${++folders}`);

/** Counts how often it builds. */
function builder(bytes = randomBytes(100_000)): { (): Promise<Buffer>; count: number } {
  const build = Object.assign(
    async () => {
      build.count++;
      return bytes;
    },
    { count: 0 },
  );
  return build;
}

it("should build once, keep the file to its owner, and check its hash before it is used again", async () => {
  const dir = newFolder();
  const bytes = randomBytes(100_000);
  const build = builder(bytes);
  const first = await findOrBuildSnapshot(dir, "name", build);
  expect(first).toEqual({ path: join(dir, "name.snapshot"), built: true });
  const content = readFileSync(join(dir, "name.snapshot"));
  expect(content.subarray(0, -32).equals(bytes)).toBe(true);
  expect(content.subarray(-32).equals(createHash("sha256").update(bytes).digest())).toBe(true);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, "name.snapshot")).mode & 0o777).toBe(0o600);
  expect(await findOrBuildSnapshot(dir, "name", build)).toMatchObject({ built: false });
  expect(build.count).toBe(1);
  expect(readdirSync(dir)).toEqual(["name.snapshot"]);
});

it.each([
  ["changed", (content: Buffer) => Buffer.concat([Buffer.from([(content[0] ?? 0) ^ 1]), content.subarray(1)])],
  ["cut short", (content: Buffer) => content.subarray(0, 5000)],
  ["empty", () => Buffer.alloc(0)],
  ["longer", (content: Buffer) => Buffer.concat([content, Buffer.from([0])])],
])("should build again when the file was %s", async (_, spoil) => {
  const dir = newFolder();
  const build = builder();
  await findOrBuildSnapshot(dir, "name", build);
  const path = join(dir, "name.snapshot");
  writeFileSync(path, spoil(readFileSync(path)));
  expect(await findOrBuildSnapshot(dir, "name", build)).toMatchObject({ built: true });
  expect(await findOrBuildSnapshot(dir, "name", build)).toMatchObject({ built: false });
  expect(build.count).toBe(2);
});

it("should build once for all that ask at the same time", async () => {
  const dir = newFolder();
  const build = builder();
  const found = await Promise.all([1, 2, 3].map(() => findOrBuildSnapshot(dir, "name", build)));
  expect(build.count).toBe(1);
  expect(new Set(found.map((snapshot) => "path" in snapshot && snapshot.path)).size).toBe(1);
});

it("should hold it in the process when there is no folder of its own, made once", async () => {
  const build = builder();
  const file = join(root, "a file");
  writeFileSync(file, "");
  const { bytes } = (await findOrBuildSnapshot(file, "held", build)) as { bytes: Buffer };
  expect(await findOrBuildSnapshot(join(file, "below"), "held", build)).toEqual({ bytes, built: true });
  expect(await findOrBuildSnapshot(undefined, "held", build)).toEqual({ bytes, built: true });
  const real = newFolder();
  mkdirSync(real);
  const link = join(root, "link");
  symlinkSync(real, link);
  expect(await findOrBuildSnapshot(link, "held", build)).toEqual({ bytes, built: true });
  expect([build.count, readdirSync(real)]).toEqual([1, []]);
});

it("should say why a build failed, and build again for the next who asks", async () => {
  const failing = newFolder();
  for (const dir of [failing, undefined]) {
    const fails = (): Promise<Buffer> => Promise.reject(new Error("the child was killed"));
    await expect(findOrBuildSnapshot(dir, "fails", fails)).rejects.toThrow("the child was killed");
    expect(await findOrBuildSnapshot(dir, "fails", builder())).toMatchObject({ built: true });
  }
});

it("should take a folder that others could write to for itself", async () => {
  const dir = newFolder();
  mkdirSync(dir);
  chmodSync(dir, 0o777);
  expect(await findOrBuildSnapshot(dir, "name", builder())).toMatchObject({ built: true });
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

it("should keep snapshots in the user's cache folder", () => {
  const before = process.env.XDG_CACHE_HOME;
  try {
    process.env.XDG_CACHE_HOME = "/var/cache/me";
    expect(defaultCacheDir()).toBe("/var/cache/me/toolglot-sandbox");
    process.env.XDG_CACHE_HOME = "relative";
    expect(defaultCacheDir().startsWith(join(tmpdir(), "toolglot-sandbox-"))).toBe(true);
  } finally {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  }
});

const program = "__result__ = [2 ** 10, str(datetime(2024, 1, 1)), json.dumps({'a': statistics.mean([1, 3])})]";
const expected = { status: "ok", value: [1024, "2024-01-01 00:00:00", '{"a": 2}'] };
const pool = { size: 0 };

/** Runs the program with the snapshot of a folder, and returns what the sandbox says of it. */
async function runsWith(cacheDir: string): Promise<object> {
  await using sandbox = pythonSandbox({ cacheDir, pool });
  expect(await sandbox.run(program)).toMatchObject(expected);
  return sandbox.stats();
}

const fileIn = (cacheDir: string): string => join(cacheDir, readdirSync(cacheDir)[0] ?? "");

// To make a snapshot takes as long as many runs: the tests share two.
let first: Promise<string> | undefined;
let second: Promise<string> | undefined;

/** Returns a folder with a snapshot that was just made. */
async function makeSnapshot(): Promise<string> {
  const cacheDir = newFolder();
  expect(await runsWith(cacheDir)).toMatchObject({ snapshot: "built" });
  return cacheDir;
}

/** The same in another time zone, in the place of a file that is intact by its hash, but no memory of this engine. */
async function makeSnapshotAnew(): Promise<string> {
  first ??= makeSnapshot();
  const name = basename(fileIn(await first));
  const cacheDir = newFolder();
  mkdirSync(cacheDir);
  const nonsense = randomBytes(1 << 20);
  writeFileSync(join(cacheDir, name), Buffer.concat([nonsense, createHash("sha256").update(nonsense).digest()]));
  process.env.TZ = "Asia/Shanghai";
  expect(await runsWith(cacheDir)).toMatchObject({ snapshot: "built", started: 2 });
  return cacheDir;
}

it("should run the same with a snapshot made now, and found", async (context) => {
  leftToCi(context);
  first ??= makeSnapshot();
  const cacheDir = await first;
  expect(basename(fileIn(cacheDir))).toMatch(/^pyodide-314\.0\.7-node-\d+\.\d+\.\d+-[0-9a-f]{16}\.snapshot$/);
  const content = readFileSync(fileIn(cacheDir));
  expect(await runsWith(cacheDir)).toMatchObject({ snapshot: "cached" });
  // Nothing of the machine that made it is in it.
  for (const trace of [process.cwd(), process.execPath, process.env.HOME ?? "/root", "node_modules"]) {
    expect(content.includes(Buffer.from(trace)) && trace.length > 5).toBe(false);
  }
});

it("should make a snapshot anew that the engine refuses", async (context) => {
  leftToCi(context);
  second ??= makeSnapshotAnew();
  await second;
});

/** The hash of the memory that a fresh interpreter has, which nothing was run in but what came before. */
async function baseHash(cacheDir: string, before = ""): Promise<string> {
  const key = new Uint8Array(32);
  const storage = memoryStorage();
  await using sandbox = pythonSandbox({ cacheDir, pool });
  if (before !== "") await sandbox.run(before);
  await using session = await sandbox.openSession({ id: "a", storage, key });
  const run = await session.run("x = datetime.now()\n__result__ = 1");
  expect(run).toMatchObject({ status: "ok", state: "kept" });
  return readImage(await imageOf(storage, "a", 1), { id: "a", turn: 1 }, key).head.baseHash;
}

it("should be the same bytes in every process: two builds of the snapshot, and interpreters at other times and places", async (context) => {
  leftToCi(context);
  first ??= makeSnapshot();
  const one = await first;
  const hashes = [await baseHash(one)];
  second ??= makeSnapshotAnew();
  const other = await second;
  hashes.push(await baseHash(other));
  process.env.TZ = "America/New_York";
  hashes.push(await baseHash(one, "__result__ = random.random()"));
  expect(readFileSync(fileIn(one)).equals(readFileSync(fileIn(other)))).toBe(true);
  expect(new Set(hashes).size).toBe(1);
}, 120_000);
