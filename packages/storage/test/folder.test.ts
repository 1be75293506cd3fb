import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, rm, stat, symlink, truncate, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { bundledScript } from "../../../bundled-script.ts";
import { folderStorage } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-folder-"));
afterAll(() => rm(folder, { recursive: true }));
const fresh = (): string => mkdtempSync(join(folder, "storage-"));

describe("the folder", () => {
  it.skipIf(process.platform === "win32")("is for its owner alone, and so is what is in it", async () => {
    const dir = join(fresh(), "below");
    const { logs, blobs } = folderStorage(dir);
    await logs.append("a/b", ["1"], 0);
    await blobs.put("a/b", Uint8Array.of(1));
    for (const [path, mode] of [
      ["", 0o700],
      ["logs/a", 0o700],
      ["logs/a/b.log", 0o600],
      ["blobs/a/b.blob", 0o600],
    ] as const)
      expect((await stat(join(dir, path))).mode & 0o777, path).toBe(mode);
  });

  it.skipIf(process.platform === "win32")("is refused when others can look into it, or it is a link", async () => {
    const open = fresh();
    await chmod(open, 0o755);
    const linked = join(fresh(), "link");
    await symlink(fresh(), linked);
    for (const dir of [open, linked]) {
      const { logs, blobs, operations } = folderStorage(dir);
      await expect(logs.read("a")).rejects.toThrow(dir);
      await expect(blobs.get("a")).rejects.toThrow(dir);
      await expect(operations.read({ scope: "s", key: "k" })).rejects.toThrow(dir);
    }
    // Once it is mended, the same storage works.
    const { logs } = folderStorage(open);
    await expect(logs.read("a")).rejects.toThrow("chmod 700");
    await chmod(open, 0o700);
    expect(await logs.append("a", ["1"], 0)).toBe(true);
  });

  it.skipIf(process.getuid?.() !== 0)("is refused when it belongs to somebody else", async () => {
    const dir = fresh();
    await chown(dir, 1234, 1234);
    await expect(folderStorage(dir).logs.read("a")).rejects.toThrow("another user");
  });

  it("loses what a killed process had not finished, after an hour", async () => {
    const dir = fresh();
    await mkdir(join(dir, "unfinished"), { mode: 0o700 });
    writeFileSync(join(dir, "unfinished/old"), "x");
    writeFileSync(join(dir, "unfinished/new"), "x");
    await utimes(join(dir, "unfinished/old"), 1, 1);
    await folderStorage(dir).blobs.put("a", Uint8Array.of(1));
    expect(readdirSync(join(dir, "unfinished"))).toEqual(["new"]);
  });

  it.each(["", 7, undefined])("must have a path: %o", (dir) => {
    expect(() => folderStorage(dir as never)).toThrow(TypeError);
  });
});

describe("a log in a file", () => {
  it("goes on behind a line that a crash cut off, at any place", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(200),
        fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 4 }),
        async (cut, texts) => {
          const dir = fresh();
          const path = join(dir, "logs/a.log");
          const before = texts.map((text) => JSON.stringify(text));
          await folderStorage(dir).logs.append("a", ["first", ...before], 0);
          const { size } = await stat(path);
          await truncate(path, Math.max(0, size - cut));
          const { logs } = folderStorage(dir);
          const left = (await logs.read("a")) ?? [];
          expect(left).toEqual(["first", ...before].slice(0, left.length));
          expect(await logs.append("a", ["next"], left.length)).toBe(true);
          expect(await logs.append("a", ["last"], left.length + 1)).toBe(true);
          expect(await folderStorage(dir).logs.read("a")).toEqual([...left, "next", "last"]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("counts nothing that somebody else wrote into it", async () => {
    const dir = fresh();
    const one = folderStorage(dir).logs;
    const two = folderStorage(dir).logs;
    await one.append("a", ["1"], 0);
    await appendFile(join(dir, "logs/a.log"), "hello\n1 ff 99 short\n7 ff 1 x\n1 ff 1 x");
    expect(await two.read("a")).toEqual(["1", "x"]);
    expect(await one.append("a", ["2"], 1)).toBe(false);
    expect(await one.append("a", ["3"], 2)).toBe(true);
    expect(await two.append("a", ["4"], 3)).toBe(true);
    expect(await one.read("a")).toEqual(["1", "x", "3", "4"]);
  });

  it("begins anew for a writer who knew it before another removed it", async () => {
    const dir = fresh();
    const one = folderStorage(dir).logs;
    const two = folderStorage(dir).logs;
    await one.append("a", ["1", "2"], 0);
    await two.delete("a");
    expect(await one.append("a", ["3"], 2)).toBe(false);
    expect(await two.append("a", ["x", "y"], 0)).toBe(true);
    expect(await one.append("a", ["z"], 2)).toBe(true);
    expect(await two.read("a")).toEqual(["x", "y", "z"]);
  });
});

it("should lose and double no line when processes write at one time, of which one is killed", async () => {
  const program = await bundledScript(join(import.meta.dirname, "processes/writer.ts"));
  const dir = fresh();
  const start = (name: string, count: number, killMs?: number): Promise<string[]> => {
    const child = spawn(process.execPath, ["-e", program, dir, name, String(count)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      if (printed === "" && killMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killMs);
      printed += chunk;
    });
    return new Promise((resolve) => {
      child.on("close", () => resolve(printed.split("\n").filter(Boolean)));
    });
  };
  const writers = ["a", "b", "c"].map((name) => start(name, 60));
  const added = (await Promise.all([...writers, start("v", 10_000, 100)])).flat();
  const lines = (await folderStorage(dir).logs.read("shared")) ?? [];
  expect(new Set(lines).size).toBe(lines.length);
  // The victim may have added one line more than it could tell.
  expect(lines.filter((line) => !added.includes(line)).length).toBeLessThanOrEqual(1);
  expect(added.filter((line) => !lines.includes(line))).toEqual([]);
  for (const name of ["a", "b", "c"]) expect(lines.filter((line) => line.startsWith(name))).toHaveLength(60);
});
