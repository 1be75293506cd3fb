import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi, rounds } from "@toolglot/internal/testing";
import { bundle } from "@toolglot/internal/testing/programs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresForTests } from "../../../../scripts/lib/postgres.mjs";
import { openStorage } from "../support/open-storage.ts";
import { flaws, resultsIn } from "./forty-effects.ts";

// Real processes, really killed, with a session that outlives them. `crash.test.ts` has all moments, without processes.

const { url, skip } = await postgresForTests();
const folder = mkdtempSync(join(tmpdir(), "toolglot-lives-"));
let script: string;
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  script = await bundle("life", import.meta.dirname);
});

/** How the life ended: the run's status or the code of its error, or undefined when it was killed. */
async function live(place: string, ledger: string, diesAt: number): Promise<string | undefined> {
  const child = spawn(process.execPath, [script, place, ledger, `${diesAt}`], { stdio: ["ignore", "pipe", "inherit"] });
  let told = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    told += chunk;
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  return signal === "SIGKILL" ? undefined : told;
}

async function flawsOf(place: string, ledger: string): Promise<string[]> {
  const effects = existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [];
  const storage = await openStorage(place);
  const lines = (await storage.logs.read("agent/runs/run")) ?? [];
  await storage.close();
  return flaws(effects, resultsIn(lines));
}

// A process dies after so many moments, and the next one that goes on after as many, until one comes to the end.
const lives = rounds(1, 24);

describe.each<[string, (round: string) => string, string | undefined]>([
  ["in a folder", (round) => join(folder, round), undefined],
  ["in SQLite", (round) => join(folder, `${round}.sqlite`), undefined],
  ["in PostgreSQL", (round) => `${url}#test_runs_${process.pid}_${round}`, skip],
])("a run %s", (name, placeOf, why) => {
  const which = name.split(" ").at(-1);

  it.skipIf(why)(
    `has no effect twice and loses none when it is killed, and resumed until it ends (${why ?? `${lives} of 24 runs`})`,
    async (context) => {
      leftToCi(context, which !== "SQLite");
      for (let round = 0; round < lives; round += 1) {
        const place = placeOf(`${round}`);
        const ledger = join(folder, `${which}-${round}.txt`);
        const every = [97, 61, 150, 43, 80, 120][round % 6] ?? 97;
        let killed = 0;
        for (;;) {
          const status = await live(place, ledger, every + round);
          if (status !== undefined) {
            expect(status).toBe("answered");
            break;
          }
          killed += 1;
        }
        expect(await flawsOf(place, ledger)).toEqual([]);
        expect(killed).toBeGreaterThan(1);
      }
    },
  );

  it.skipIf(why)(
    `is resumed by one of three processes at once, and the others are told${why ? ` (${why})` : ""}`,
    async (context) => {
      leftToCi(context, which === "PostgreSQL");
      const place = placeOf("race");
      const ledger = join(folder, `${which}-race.txt`);
      expect(await live(place, ledger, 100)).toBeUndefined();
      const ends = await Promise.all([0, 1, 2].map(() => live(place, ledger, 0)));
      expect(ends.filter((end) => end === "answered")).toHaveLength(1);
      for (const end of ends) expect(end).toMatch(/^(answered|agent\/session-(busy|ended))$/);
      expect(await flawsOf(place, ledger)).toEqual([]);
    },
  );
});
