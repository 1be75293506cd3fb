import { readdir, readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { expect, it } from "vitest";
import { keepBackup } from "../../src/edit/backup.ts";
import { scratchFolder } from "../support/scratch.ts";

const now = new Date("2026-11-21T21:10:05.123Z");

it("keeps a copy under a name with the time, for its owner alone", async () => {
  const state = await scratchFolder();
  const path = await keepBackup(state.at("new", "backups"), ".env", Buffer.from("KEY=1\r\n"), now);
  expect(path).toBe(state.at("new", "backups", ".env.2026-11-21T21-10-05.123Z"));
  expect(await readFile(path, "utf8")).toBe("KEY=1\r\n");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(state.at("new", "backups"))).mode & 0o777).toBe(0o700);
});

it("never writes over another copy", async () => {
  const state = await scratchFolder();
  const copies = await Promise.all(
    ["a", "b", "c"].map((text) => keepBackup(state.path, ".env", Buffer.from(text), now)),
  );
  expect((await readdir(state.path)).sort()).toEqual(copies.map((path) => basename(path)).sort());
  expect((await Promise.all(copies.map((path) => readFile(path, "utf8")))).sort()).toEqual(["a", "b", "c"]);
});

it("refuses when there is no place for it", async () => {
  const state = await scratchFolder({ file: "" });
  await expect(keepBackup(state.at("file"), ".env", Buffer.from("x"), now)).rejects.toMatchObject({
    data: { type: "WriteFailed" },
    message: expect.stringMatching(/^A copy of \.env could not be kept first \(EEXIST\), so nothing was written\.$/),
  });
});
