import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import { bundle } from "@toolglot/internal/testing/programs";
import { folderStorage } from "@toolglot/storage";
import { afterAll, beforeAll, expect, it } from "vitest";
import { flaws, resultsIn } from "./forty-effects.ts";

// Real processes, really killed, with a session on disk. `crash.test.ts` has all moments, without processes.

const folder = mkdtempSync(join(tmpdir(), "toolglot-lives-"));
let script: string;
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  script = await bundle("life", import.meta.dirname);
});

/** How the life ended: the run's status, or undefined when it was killed. */
async function live(storage: string, ledger: string, diesAt: number): Promise<string | undefined> {
  const child = spawn(process.execPath, [script, storage, ledger, `${diesAt}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    told += chunk;
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  return signal === "SIGKILL" ? undefined : told;
}

// A process dies after so many moments, and the next one that goes on after as many, until one comes to the end.
const lives = rounds(1, 24);

it(`has no effect twice and loses none when it is killed, and resumed until it ends (${lives} of 24 runs)`, async () => {
  for (let round = 0; round < lives; round += 1) {
    const storage = join(folder, `${round}`);
    const ledger = join(folder, `${round}.txt`);
    const every = [97, 61, 150, 43, 80, 120][round % 6] ?? 97;
    let killed = 0;
    for (;;) {
      const status = await live(storage, ledger, every + round);
      if (status !== undefined) {
        expect(status).toBe("answered");
        break;
      }
      killed += 1;
    }
    const effects = existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [];
    const lines = (await folderStorage(storage).logs.read("agent/runs/run")) ?? [];
    expect(flaws(effects, resultsIn(lines))).toEqual([]);
    expect(killed).toBeGreaterThan(1);
  }
});
