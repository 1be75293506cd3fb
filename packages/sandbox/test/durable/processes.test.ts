import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLong, leftToCi, share, someOf } from "@toolglot/internal/testing";
import { asProgram } from "@toolglot/internal/testing/programs";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { postgresForTests } from "../../../../scripts/lib/postgres.mjs";
import type { SandboxLanguage, SandboxRun } from "../../src/node/index.ts";
import { libsqlFolder } from "../session/processes/start-script.ts";
import type { Settings } from "./processes/life.ts";
import { resultOf } from "./support.ts";

// Real processes, really killed, with a journal that outlives them.

const { url, skip } = await postgresForTests();
const folder = mkdtempSync(join(tmpdir(), "toolglot-durable-"));
// Beside the packages that it needs, and as deep as `dist`, so that it finds the guest's files.
const script = join(import.meta.dirname, `../../node_modules/.durable-life-${process.pid}.mjs`);
const running = new Set<ChildProcess>();

beforeAll(async () => {
  await build({ ...asProgram, entryPoints: [join(import.meta.dirname, "processes/life.ts")], outfile: script });
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(script, { force: true });
});

interface Life {
  child: ChildProcess;
  /** All that it told, by kind, in order. */
  told(kind: string): unknown[];
  /** When it has told this kind. */
  until(kind: string): Promise<void>;
  /** True when it was killed. */
  ended: Promise<boolean>;
}

function start(settings: Settings): Life {
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_PATH: libsqlFolder() },
  });
  running.add(child);
  let output = "";
  let look: () => void = () => {};
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    look();
  });
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    if (code !== 0 && signal !== "SIGKILL") throw new Error(`it ended with ${code}: ${output}`);
    return signal === "SIGKILL";
  });
  const told = (kind: string): unknown[] => {
    const lines = output.split("\n").filter((line) => line.startsWith(`${kind} `));
    return lines.map((line) => JSON.parse(line.slice(kind.length + 1)) as unknown);
  };
  const until = (kind: string): Promise<void> =>
    new Promise((resolve, reject) => {
      look = () => {
        if (output.includes(`${kind} `)) resolve();
      };
      look();
      void ended.then(() => reject(new Error(`it ended without ${kind}: ${output}`)), reject);
    });
  return { child, told, until, ended };
}

const programs: Record<SandboxLanguage, string> = {
  javascript: `
const got = {};
const order = [];
const one = async (tool, key) => {
  got[key] = await tool({ key, seen: order.join() });
  order.push(key);
};
console.log(JSON.stringify([Math.random(), Date.now()]));
await one(effect, "a");
await Promise.all([one(effect, "bbbbbb"), one(again, "cccc"), one(asked, "dd")]);
await one(again, "e");
console.log(order.join());
__result__ = { got, random: Math.random(), time: Date.now() };`,
  python: `
got = {}
order = []
def one(tool, key):
    got[key] = tool(key=key, seen=",".join(order))
    order.append(key)
print(json.dumps([random.random(), datetime.now().timestamp()]))
for tool, key in ((effect, "a"), (again, "b"), (asked, "c")):
    one(tool, key)
print(",".join(order))
__result__ = {"got": got, "random": random.random(), "time": datetime.now().timestamp()}`,
};

let worlds = 0;

function newWorld(language: SandboxLanguage, isShared = false): Settings {
  const world = join(folder, String(++worlds));
  const place = isShared ? `${url}#test_durable_${process.pid}_${worlds}` : `${world}.sqlite`;
  return { language, place, ledger: `${world}.txt`, code: programs[language], approval: "given" };
}

/** What each call gave must be what was done to the world, once. */
function checkWorld({ language, ledger }: Settings, run: SandboxRun): void {
  const { got } = resultOf(run) as { got: Record<string, number> };
  const keys = { javascript: ["a", "bbbbbb", "cccc", "dd", "e"], python: ["a", "b", "c"] }[language];
  const repeatable = { javascript: ["cccc", "e"], python: ["b"] }[language];
  expect(Object.keys(got).sort()).toEqual(keys);
  const done = readFileSync(ledger, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" ") as [string, string]);
  for (const key of keys) {
    const gave = done.filter(([name]) => name === key).map(([, value]) => Number(value));
    if (!repeatable.includes(key)) expect(gave, `effects of ${key}`).toHaveLength(1);
    expect(gave).toContain(got[key]);
  }
}

/** Lives until one is not killed. Gives what it came to, and the lines of every life. */
async function liveOn(settings: Settings, kill: (life: Life, number: number) => Promise<void> | undefined) {
  const logs: unknown[][] = [];
  for (let number = 0; number < 60; number++) {
    const diesAt = settings.diesAt === undefined ? {} : { diesAt: settings.diesAt + number };
    const life = start({ ...settings, ...diesAt });
    await kill(life, number);
    const wasKilled = await life.ended;
    const run = life.told("run")[0] as SandboxRun | undefined;
    // A run that had ended before its process was killed tells its lines only in the end.
    logs.push(run ? run.logs.map(({ text }) => text) : life.told("log"));
    if (run && !wasKilled) return { run, logs, lives: number + 1 };
  }
  throw new Error("it never ends");
}

/** Every life printed the beginning of what the last one did. */
function checkLogs(logs: unknown[][]): void {
  for (const lines of logs) expect(logs.at(-1)?.slice(0, lines.length)).toEqual(lines);
  expect(logs.at(-1)).toHaveLength(2);
}

/** The moment of the first life. Each life dies one moment later than the one before, so that none repeats it step by step. */
const killPoints = (["javascript", "python"] as const).flatMap((language) => {
  const all = { javascript: [15, 16, 17, 18, 19, 21, 24], python: [9, 10, 11, 12, 13, 14, 16] }[language];
  // Every life of a Python program starts an interpreter.
  const some = { javascript: someOf(all, 0, [18]), python: someOf(all, 0, [12]) }[language];
  return some.map((diesAt): [SandboxLanguage, number] => [language, diesAt]);
});

it.for(killPoints)(
  "should come to its end though each %s process kills itself at its moment %i",
  async ([language, diesAt], context) => {
    leftToCi(context, diesAt === 18 || diesAt === 12);
    const settings = { ...newWorld(language), diesAt };
    const { run, logs, lives } = await liveOn(settings, () => undefined);
    checkWorld(settings, run);
    checkLogs(logs);
    expect(lives).toBeGreaterThan(1);
  },
);

it.skipIf(skip)(
  `should come to its end over PostgreSQL though each process kills itself at its moment 18${skip ? ` (skipped: ${skip})` : ""}`,
  async (context) => {
    leftToCi(context);
    const settings = { ...newWorld("javascript", true), diesAt: 18 };
    const { run, logs, lives } = await liveOn(settings, () => undefined);
    checkWorld(settings, run);
    checkLogs(logs);
    expect(lives).toBeGreaterThan(1);
  },
);

it.skipIf(skip)(
  `should be resumed over PostgreSQL by one of two processes at once, and the other is told${skip ? ` (skipped: ${skip})` : ""}`,
  async () => {
    const { code, ...rest } = { ...newWorld("javascript", true), approval: "never" } as Settings;
    const killed = async (life: Life): Promise<void> => {
      await life.until("asked");
      life.child.kill("SIGKILL");
      await life.ended;
    };
    await killed(start({ code, ...rest } as Settings));
    const second = start(rest);
    await second.until("asked");
    const third = start(rest);
    await third.ended;
    expect([third.told("refused"), third.told("run")]).toEqual([["sandbox/run-live"], []]);
    await killed(second);
    // One of them may come when the other has ended it: it gets the same.
    const both = [1, 2].map(() => start({ ...rest, approval: "given" }));
    await Promise.all(both.map(({ ended }) => ended));
    const runs = both.flatMap(({ told }) => told("run") as SandboxRun[]);
    expect(runs.length + both.flatMap(({ told }) => told("refused")).length).toBe(2);
    expect(runs[0]?.status).toBe("ok");
    for (const run of runs) {
      checkWorld(rest, run);
      expect(resultOf(run)).toEqual(resultOf(runs[0] as SandboxRun));
    }
  },
);

it.for<SandboxLanguage>(["javascript", "python"])(
  "should resume a %s program that was parked at an approval",
  async (language, context) => {
    leftToCi(context, language === "javascript");
    const settings = { ...newWorld(language), approval: "never" } as Settings;
    const first = start(settings);
    await first.until("asked");
    first.child.kill("SIGKILL");
    await first.ended;
    const { code: _, ...rest } = settings;
    const { run, logs } = await liveOn({ ...rest, approval: "given" }, () => undefined);
    checkWorld(settings, run);
    checkLogs([first.told("log"), ...logs]);
    expect(first.told("log")).toHaveLength(1);
    expect(run.toolCalls[0]).toMatchObject({ callId: "life:1", replayed: true });
  },
);

const killings = share("rounds", 1, 5);
// Every life of a Python program starts an interpreter.
const languages: readonly SandboxLanguage[] = isLong ? ["javascript", "python"] : ["javascript"];

it.for(languages)(
  `should come to its end however often its %s process is killed: ${killings.told}`,
  async (language) => {
    for (let round = 0; round < killings.count; round++) {
      const settings = newWorld(language);
      const { run, logs } = await liveOn(settings, async ({ child, ended }, number) => {
        if (number >= 5) return;
        const moment = 200 + Math.random() * 900;
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, moment))]);
        child.kill("SIGKILL");
      });
      checkWorld(settings, run);
      checkLogs(logs);
      expect(existsSync(settings.place)).toBe(true);
    }
  },
);
