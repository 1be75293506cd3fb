import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "@toolglot/core/storage";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { readImage } from "../../src/node/session/image.ts";
import { imageOf } from "./support.ts";

const root = mkdtempSync(join(tmpdir(), "toolglot-base-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const { TZ } = process.env;
afterAll(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

const key = new Uint8Array(32).fill(7);

/** The hash of the memory that a fresh interpreter has, and that of its snapshot. */
async function hashes(cacheDir: string, before: string): Promise<{ base: string; snapshot: string }> {
  const storage = memoryStorage();
  await using sandbox = createSandbox({ language: "python", cacheDir, pool: { size: 0 } });
  if (before !== "") await sandbox.run(before);
  await using session = await sandbox.openSession({ id: "a", storage, key });
  const run = await session.run("x = datetime.now()\n__result__ = 1");
  expect(run).toMatchObject({ status: "ok", state: "kept" });
  const { head } = readImage(await imageOf(storage, "a", 1), { id: "a", turn: 1 }, key);
  const [name = ""] = readdirSync(cacheDir);
  return {
    base: head.baseHash,
    snapshot: createHash("sha256")
      .update(readFileSync(join(cacheDir, name)))
      .digest("hex"),
  };
}

it("should be the same bytes in every process: two builds of the snapshot, and interpreters at other times and places", async (context) => {
  leftToCi(context);
  const [one, other] = [join(root, "one"), join(root, "other")];
  const seen = [await hashes(one, "")];
  process.env.TZ = "Asia/Shanghai";
  seen.push(await hashes(other, ""));
  process.env.TZ = "America/New_York";
  seen.push(await hashes(one, "__result__ = random.random()"));
  expect(new Set(seen.map(({ snapshot }) => snapshot)).size).toBe(1);
  expect(new Set(seen.map(({ base }) => base)).size).toBe(1);
}, 120_000);
