import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isLong } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChildGuest } from "../../src/node/python/child-guest.ts";
import { guestFiles } from "../../src/node/python/guest-files.ts";
import { Canary } from "../canary.ts";
import { readSections } from "../support.ts";

// Layers 2 and 3 by themselves: the child's script runs with none of the flags that the engine starts it with, so without
// the permission model, with code from strings allowed, with the host's whole environment, and with the guard off.
// (The table of all layers stands in escapes.test.ts.)
const canary = new Canary();
const { secret, file, mark } = canary;
beforeAll(() => canary.open());

afterAll(() => canary.close());

const attempts = readSections(new URL("./escape-attempts.txt", import.meta.url)).filter(
  ({ name }) => !name.endsWith("(alone)"),
);

/** A child that nothing confines but its own script, and what it says of its walls. */
async function startBare(): Promise<{ guest: ChildGuest; missing: readonly string[] }> {
  const engineDir = realpathSync(dirname(createRequire(import.meta.url).resolve("pyodide/package.json")));
  const { info } = JSON.parse(readFileSync(join(engineDir, "pyodide-lock.json"), "utf8")) as { info: unknown };
  const { script, sources } = guestFiles();
  let missing: readonly string[] = [];
  const guest = new ChildGuest({
    // A child of ours gets no environment; this one gets a telling one.
    file: "/usr/bin/env",
    args: [`TOOLGLOT_CANARY=${secret}`, process.execPath, script],
    init: { engineDir, lockInfo: info, memoryMb: 256, mode: "plain", sources },
    maxFrameBytes: 4_000_000,
    startTimeoutMs: 900_000,
    onWalls: (found) => {
      missing = found;
    },
  });
  await guest.ready;
  return { guest, missing };
}

/** One program in such a child. Resolves with what it said last. */
async function runBare(code: string): Promise<Record<string, unknown>> {
  const { guest, missing } = await startBare();
  // What it finds for itself: flags that a runtime doesn't know, or wasn't given, are no walls.
  expect(missing).toEqual(["files", "processes", "code", "memory"]);
  const limits = { timeoutMs: 60_000, memoryMb: 256, maxResultBytes: 1_000_000, maxLogBytes: 1_000_000 };
  // As a sandbox has them by default: attempts that go through a library find it.
  const { specification, standard } = guestFiles().libraries;
  const libraries = [...specification, ...standard];
  try {
    return await new Promise((resolve, reject) => {
      guest.listen({
        onMessage: (message) => {
          if (message.type === "result" || message.type === "error") resolve(message);
        },
        onEnd: (fault) => reject(new Error(fault)),
      });
      const common = { type: "run", code, tools: [], limits, libraries };
      guest.send(JSON.stringify({ ...common, imports: "refuse", guard: false, seed: "1" }));
    });
  } finally {
    guest.kill();
    await guest.ended;
  }
}

it("should be a child that could reach all of it, were it not for its script", async () => {
  const bare =
    'import("node:fs").then((fs) => console.log(process.env.TOOLGLOT_CANARY, fs.readFileSync(process.argv[1])))';
  expect(bare).toContain("TOOLGLOT_CANARY");
  const { execFileSync } = await import("node:child_process");
  const env = { TOOLGLOT_CANARY: secret };
  expect(execFileSync(process.execPath, ["-e", bare, file], { env, encoding: "utf8" })).toContain(secret);
});

// Some of each kind; all in test:long. They share a child: one without a snapshot takes seconds to start.
const group = isLong ? attempts : attempts.filter((_, index) => index % 3 === 0);

it(`should reach nothing without permission model and guard: ${group.length} of ${attempts.length} attempts`, async () => {
  const sources = JSON.stringify(group.map(({ code }) => canary.fill(code)));
  const outcome = await runBare(`
names = dict(globals())
outcomes = []
for code in json.loads(${JSON.stringify(sources)}):
    own = dict(names)
    try:
        exec(code, own)
        outcomes.append(repr(own.get("__result__"))[:2000])
    except BaseException as error:
        outcomes.append(f"{type(error).__name__}: {error}"[:2000])
__result__ = outcomes`);
  expect(outcome.error).toBeUndefined();
  expect(outcome.value).toHaveLength(group.length);
  const reached = (outcome.value as string[]).flatMap((text, index) =>
    text.includes(secret) || text.includes("REACHED") ? [`${group[index]?.name}: ${text.slice(0, 300)}`] : [],
  );
  expect(reached).toEqual([]);
  expect(existsSync(mark)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe(secret);
  expect(canary.connections).toBe(0);
});
