import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { expect, it } from "vitest";
import { makeFolder } from "../src/node/index.ts";

it("makes a folder and those above it, once or again, and refuses a file in its place", async () => {
  const { path } = await scratchFolder();
  const folder = join(path, "a", "b", "c");
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  writeFileSync(join(path, "file"), "");
  expect(() => makeFolder(join(path, "file"))).toThrow("EEXIST");
  expect(() => makeFolder(join(path, "file", "x"))).toThrow("EEXIST");
});

it.runIf(existsSync("/proc/self"))("ends where nothing can be made", () => {
  expect(() => makeFolder("/proc/nowhere/a/b")).toThrow("ENOENT");
});
