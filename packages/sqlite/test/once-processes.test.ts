import { once, settleOnce } from "@toolglot/core/once";
import { isLong } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newSchema, skip, url } from "../../postgres/test/stores.ts";
import { bundleProcesses } from "./bundle.ts";
import { newFile } from "./files.ts";
import { storages } from "./once/logs.ts";
import { borders } from "./once/worker.ts";
import { runWorld, type World, wrongs } from "./once/world.ts";

// Real processes that do the same things once, on one log, and are killed over and over. Inside the package, so that the worker finds the
// binding.
let scripts: Awaited<ReturnType<typeof bundleProcesses>>;
let worker: string;
const size = isLong ? { processes: 8, keys: 1_000, deaths: 15 } : { processes: 5, keys: 40, deaths: 1 };
const keys = Array.from({ length: size.keys }, (_, index) => `k${index}`);

beforeAll(async () => {
  scripts = await bundleProcesses("once/worker");
  worker = scripts.path("worker");
});
afterAll(() => scripts.remove());

/** A generator of the same numbers each time (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const worldOf = (storage: string, how: World["how"], leaseMs: number): World => ({
  ...{ storage, how, leaseMs, worker, keys, random: numbers(7) },
  ...{ processes: size.processes, deaths: size.deaths, ledger: newFile() },
  address: storage === "postgres" ? `${url}#${newSchema()}` : newFile(),
});

describe.each(Object.keys(storages))("%s", (kind) => {
  const why = kind === "postgres" ? skip : undefined;
  it.skipIf(why)(
    `does nothing twice, and tells nobody what is not so, whoever is killed where${why ? ` (skipped: ${why})` : ""}`,
    async () => {
      const world = worldOf(kind, "once", isLong ? 3_000 : 500);
      const seen = await runWorld(world);
      expect(wrongs(seen, keys)).toEqual([]);
      expect([...seen.killed.keys()].sort()).toEqual([...borders].sort());
      const storage = await (storages[kind] as (typeof storages)[string])(world.address);
      try {
        // Each doubt has its record, and every record is a doubt or done.
        const states: (string | undefined)[] = [];
        for (const key of keys) states.push((await storage.operations.read({ scope: "s", key }))?.state);
        expect(keys.filter((_, index) => states[index] === "in-doubt")).toEqual(
          keys.filter((key) => seen.doubted.has(key)),
        );
        expect(new Set(states)).toEqual(new Set(["done", "in-doubt"]));
        // Somebody looks, and says what happened; then everything has happened once.
        let runs = 0;
        for (const key of seen.doubted) {
          const [effect] = seen.effects.get(key) ?? [];
          const word = effect === undefined ? { happened: false as const } : { happened: true as const, value: effect };
          expect(await settleOnce(storage.operations, { scope: "s", key }, word, "the ledger")).toBe(true);
          const { value } = await once(storage.operations, { scope: "s", key }, () => `run ${++runs}`);
          expect(value).toBe(effect ?? `run ${runs}`);
        }
        const happened = keys.filter((key) => seen.effects.has(key)).length;
        expect(happened + runs).toBe(keys.length);
      } finally {
        await storage.close();
      }
    },
    600_000,
  );
});

it("should find out a wrapper that reads, does and writes", async () => {
  const seen = await runWorld({ ...worldOf("sqlite", "naive", 1_000), ...(!isLong && { processes: 3, deaths: 0 }) });
  expect(wrongs(seen, keys).some((wrong) => wrong.includes("times"))).toBe(true);
}, 600_000);
