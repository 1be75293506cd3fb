import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage, type Storage } from "@toolglot/core/storage";
import { afterAll, describe, expect, it } from "vitest";
import { folderStorage } from "../src/index.ts";
import { storageSuite } from "../src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-storages-"));
afterAll(() => rm(folder, { recursive: true }));

const storages: [name: string, open: () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["a folder", () => folderStorage(mkdtempSync(join(folder, "storage-")))],
];

describe.each(storages)("a storage in %s", (_, open) => {
  it.each(storageSuite)("$name", ({ run }) => run(async () => open()));
});

it("should keep no more bytes in memory than it may, and count what was replaced and removed", async () => {
  const { blobs } = memoryStorage({ maxBytes: 10 });
  await blobs.put("a", new Uint8Array(6));
  await expect(blobs.put("b", new Uint8Array(5))).rejects.toMatchObject({
    code: "core/storage-full",
    data: { bytes: 11, max: 10 },
  });
  await blobs.put("a", new Uint8Array(4));
  await blobs.put("b", new Uint8Array(6));
  await blobs.delete("a");
  await blobs.put("b", new Uint8Array(10));
});

it.each([{ maxbytes: 1 }, { maxBytes: "1" }, { now: 1 }])("should refuse odd options: %o", (options) => {
  expect(() => memoryStorage(options as never)).toThrow(TypeError);
  expect(() => folderStorage(folder, options as never)).toThrow(TypeError);
});
