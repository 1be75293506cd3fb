import { readFileSync } from "node:fs";
import { memoryStorage } from "@toolglot/core/storage";
import { someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type SandboxSession, type SessionRun } from "../../../src/node/index.ts";
import { addTool, readSections } from "../../support.ts";
import { endless, seenOf } from "./one-at-a-time.ts";

// Sessions that leave what they can, in one domain with others. A session that is forked, and one that is resumed, must find what
// they found before, in whatever interpreter they are.

const poisons = readSections(new URL("./poison.txt", import.meta.url));
const text = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const settings = { key: new Uint8Array(32), domain: "one", save: "manual" } as const;

const seenBy = (run: SessionRun): unknown => {
  if (run.status !== "ok") throw new Error(JSON.stringify(run));
  return seenOf(run);
};

describe.each([
  ["off", false, text("probe.py"), 3],
  // The guard is one wall more.
  ["on", true, text("probe-guarded.py"), 1],
])("with the guard %s", (_, guard, probe, count) => {
  /** All in `npm run test:long`. */
  const some = someOf(poisons, count);
  const limits = { timeoutMs: 120_000 };
  const sandbox = createSandbox({ language: "python", tools: [addTool], guard, limits, reuse: endless });
  const storage = memoryStorage();
  let origin: SandboxSession;
  let id: string;
  let forked: unknown;
  let resumed: unknown;

  const fork = async (): Promise<unknown> => {
    const session = await origin.fork();
    const run = await session.run(probe);
    await session.close({ forget: true });
    return seenBy(run);
  };
  const resume = async (): Promise<unknown> => {
    const session = await sandbox.resumeSession(id, { ...settings, storage });
    const run = await session.run(probe);
    await session.close();
    return seenBy(run);
  };

  beforeAll(async () => {
    origin = await sandbox.openSession({ ...settings, storage });
    const other = await sandbox.openSession({ ...settings, storage });
    ({ id } = other);
    for (const session of [origin, other]) {
      expect(await session.run("mine = [1, 2]\n__result__ = mine")).toMatchObject({ status: "ok", state: "kept" });
      await session.save();
    }
    await other.close();
    forked = await fork();
    resumed = await resume();
  });
  afterAll(async () => {
    await origin.close();
    await sandbox[Symbol.asyncDispose]();
  });

  it("should find the same twice", async () => {
    expect([await fork(), await resume()]).toEqual([forked, resumed]);
  });

  it.for(some)("should find nothing of: $name", async ({ code }) => {
    const poisoned = await sandbox.openSession({ ...settings, storage });
    await poisoned.run(code);
    expect(await fork()).toEqual(forked);
    await poisoned.run("__result__ = 1");
    expect(await resume()).toEqual(resumed);
    await poisoned.close({ forget: true });
  });
});
