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
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { defaultCacheDir, findOrBuildSnapshot } from "../../src/node/python/snapshot.ts";
import { pythonSandbox } from "../own-sandbox.ts";

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

/** A folder with a snapshot that was just made. Making one takes as long as many runs: both tests have the same. */
let made: Promise<string> | undefined;
async function makeSnapshot(): Promise<string> {
  const cacheDir = newFolder();
  await using sandbox = pythonSandbox({ cacheDir, pool });
  expect(await sandbox.run(program)).toMatchObject(expected);
  expect(sandbox.stats().snapshot).toBe("built");
  return cacheDir;
}

it("should run the same with a snapshot made now, and found", async (context) => {
  leftToCi(context);
  made ??= makeSnapshot();
  const cacheDir = await made;
  const [name = ""] = readdirSync(cacheDir);
  expect(name).toMatch(/^pyodide-314\.0\.7-node-\d+\.\d+\.\d+-[0-9a-f]{16}\.snapshot$/);
  const content = readFileSync(join(cacheDir, name));
  {
    await using sandbox = pythonSandbox({ cacheDir, pool });
    expect(await sandbox.run(program)).toMatchObject(expected);
    expect(sandbox.stats().snapshot).toBe("cached");
  }
  // Nothing of the machine that made it is in it.
  for (const trace of [process.cwd(), process.execPath, process.env.HOME ?? "/root", "node_modules"]) {
    expect(content.includes(Buffer.from(trace)) && trace.length > 5).toBe(false);
  }
});

it("should make a snapshot anew that the engine refuses", async (context) => {
  leftToCi(context);
  made ??= makeSnapshot();
  const [name = ""] = readdirSync(await made);
  const cacheDir = newFolder();
  mkdirSync(cacheDir);
  // Intact by its hash, but no memory of this engine.
  const nonsense = randomBytes(1 << 20);
  writeFileSync(join(cacheDir, name), Buffer.concat([nonsense, createHash("sha256").update(nonsense).digest()]));
  await using sandbox = pythonSandbox({ cacheDir, pool });
  expect(await sandbox.run(program)).toMatchObject(expected);
  expect(sandbox.stats()).toMatchObject({ snapshot: "built", started: 2 });
});
