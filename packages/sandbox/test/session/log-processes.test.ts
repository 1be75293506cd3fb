import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep } from "@toolglot/internal";
import { isLong, leftToCi } from "@toolglot/internal/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { postgresForTests } from "../../../../scripts/lib/postgres.mjs";
import { spawnScript, toldBy } from "./processes/start-script.ts";

// Real processes, really killed, with a log and images that outlive them.

const { url, skip } = await postgresForTests();

let dir = "";
const running = new Set<ChildProcess>();
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "toolglot-logged-"));
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

let schemas = 0;
const places: [string, () => string, string | undefined][] = [
  ["a folder", () => join(dir, "storage"), undefined],
  ["PostgreSQL", () => `${url}#test_session_${process.pid}_${schemas++}`, skip],
];

/** A process that holds the session. `next`: what it tells next. */
async function hold(place: string, way: "open" | "resume" | "work", ...args: string[]) {
  const child = await spawnScript("logged.ts", [dir, place, way, ...args]);
  running.add(child);
  const ended = once(child, "close");
  const run = (code: string | null): void => void child.stdin?.write(`${JSON.stringify(code)}\n`);
  return { child, ended, next: toldBy(child), run };
}

const effects = (): string[] => readFileSync(join(dir, "effects"), "utf8").trim().split("\n");

describe.each(places)("a session in %s", (kind, placeOf, why) => {
  it.skipIf(why)(
    `should go on in another process with a program that waited for an approval when its process was killed${why ? ` (skipped: ${why})` : ""}`,
    async (context) => {
      leftToCi(context, kind === "a folder");
      const place = placeOf();
      const first = await hold(place, "open");
      expect(await first.next()).toEqual({ turn: 0 });
      first.run("rows = [random.random()]\ndef size(): return len(rows)\n__result__ = rows[0]");
      const { value } = (await first.next()) as { value: number };
      first.run('rows.append(effect("one"))\nrows.append(asked("two"))\n__result__ = [rows, size()]');
      expect(await first.next()).toEqual({ asked: "s#2:2" });
      first.child.kill("SIGKILL");
      await first.ended;
      const second = await hold(place, "resume");
      expect(await second.next()).toEqual({ turn: 1, pending: "s#2" });
      second.run(null);
      expect(await second.next()).toEqual({ asked: "s#2:2" });
      const rows = [value, "did one", "did two"];
      expect(await second.next()).toEqual({ value: [rows, 3], turn: 2, state: "kept" });
      second.run("__result__ = [rows, size()]");
      expect(await second.next()).toEqual({ value: [rows, 3], turn: 3, state: "kept" });
      expect(effects()).toEqual(["one", "two"]);
      second.child.stdin?.end();
      await second.ended;
    },
  );
  const often = async (): Promise<void> => {
    for (let round = 0; round < 4; round++) {
      const place = placeOf();
      let last: unknown;
      for (let life = 0; last === undefined; life++) {
        const { child, ended, next } = await hold(place, "work", "6");
        await next();
        // From its first word on, so that none dies of its start alone.
        if (life < 8) void sleep(Math.random() * 1500).then(() => child.kill("SIGKILL"));
        last = await next();
        await ended;
      }
      const all = Array.from({ length: 6 }, (_, turn) => String(turn));
      expect(last).toEqual({ value: all.map((what) => `did ${what}`) });
      expect(effects()).toEqual(all);
      rmSync(dir, { recursive: true, force: true });
      dir = mkdtempSync(join(tmpdir(), "toolglot-logged-"));
    }
  };
  if (isLong)
    it.skipIf(why)(
      "should come to the same variables, with each effect once, however often its process is killed",
      often,
    );
});
