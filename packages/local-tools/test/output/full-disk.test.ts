import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";

const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  const writeSync = (descriptor: number, bytes: Buffer, at: number, length: number): number => {
    if (disk.room <= 0) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    const written = fs.writeSync(descriptor, bytes, at, Math.min(length, disk.room, disk.most));
    disk.room -= written;
    return written;
  };
  return { ...fs, writeSync };
});

/** A copy of its own: files that ran before in this process have loaded one that writes past the mock. */
vi.resetModules();
const { OutputLog } = await import("../../src/output/output-log.ts");

it("should keep the result when the disk gets full, and leave no half file", () => {
  const dir = mkdtempSync(join(tmpdir(), "toolglot-output-"));
  disk.room = 100_000;
  const log = new OutputLog({ maxChars: 1000, artifactDir: dir });
  for (let n = 0; n < 50_000; n++) log.write(`line ${n}\n`);
  const { output, artifact } = log.finish("last");
  expect(artifact).toBeUndefined();
  expect(output).toMatch(/\n\[\d+ characters left out here; the whole output could not be kept: the disk is full\]\n/);
  expect(output.startsWith("line 0\n")).toBe(true);
  expect(output.endsWith("line 49999\nlast")).toBe(true);
  expect(readdirSync(dir)).toEqual([]);
  rmSync(dir, { recursive: true });
});

it("should write on when the system takes less than it was given", async () => {
  const dir = mkdtempSync(join(tmpdir(), "toolglot-output-"));
  disk.room = Number.POSITIVE_INFINITY;
  disk.most = 1001;
  const log = new OutputLog({ maxChars: 1000, artifactDir: dir });
  const text = "größer\n".repeat(5000);
  log.write(text);
  const { artifact } = log.finish();
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(artifact as string, "utf8")).toBe(text);
  rmSync(dir, { recursive: true });
});
