import type { AnyTool, OperationLog } from "@toolglot/core";
import { memoryStorage, type Storage } from "@toolglot/core/storage";
import { someOf } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { createSandbox, type SandboxSession, settleCall } from "../../src/node/index.ts";
import { wrapLog } from "../durable/support.ts";
import { endless } from "../python/reuse/one-at-a-time.ts";
import { tool } from "../support.ts";
import { key, outcomeOf, sessionSandbox, value } from "./support.ts";

// A process that holds a session with a log dies at one moment. Whatever the moment: the state before what it did or the one
// after, never a third, and no effect twice.

const limits = { timeoutMs: 60_000 };
const python = sessionSandbox(limits.timeoutMs);
const javascript = createSandbox({ language: "javascript", domain: "tests", reuse: endless, limits });
afterAll(() => Promise.all([python, javascript].map((each) => each[Symbol.asyncDispose]())));

/** The storage as a process sees it that dies at one moment: nothing is written from there on, and nothing answered. */
function dying(storage: Storage, diesAt: string) {
  let isDead = false;
  let markDead: () => void = () => {};
  const died = new Promise<void>((resolve) => {
    markDead = resolve;
  });
  const never = new Promise<never>(() => {});
  const reach = (moment: string): void => {
    if (moment !== diesAt) return;
    isDead = true;
    markDead();
  };
  const pass = async <Value>(what: string, call: () => Promise<Value>): Promise<Value> => {
    reach(`before ${what}`);
    if (isDead) return await never;
    const value = await call();
    reach(`after ${what}`);
    return isDead ? await never : value;
  };
  const { logs, blobs } = storage;
  const nameOf = (stored: string): string => stored.replace("sandbox/sessions/", "").replace(/-[0-9a-f]+$/, "");
  const seen: Storage = {
    ...storage,
    operations: wrapLog(storage.operations, (method, args, call) => {
      const { scope = "", key: name = "" } = args[0] as { scope?: string; key?: string };
      return pass(`${method} ${scope === "sandbox/session" ? "session " : ""}${name}`, call);
    }),
    logs: {
      ...logs,
      append: (...args) =>
        pass(`${args[1][0]?.startsWith('{"image"') ? "note" : "take"} ${nameOf(args[0])}`, () => logs.append(...args)),
    },
    blobs: {
      ...blobs,
      put: (...args) => pass(`put ${nameOf(args[0])}`, () => blobs.put(...args)),
      delete: (...args) => pass(`delete ${nameOf(args[0])}`, () => blobs.delete(...args)),
    },
  };
  return { storage: seen, died, isDead: () => isDead };
}

const program = "rows.push(await effect({ what: 'one' })); rows.length";

interface Moment {
  at: string;
  /** What the process does as it dies. */
  act(session: SandboxSession): Promise<unknown>;
  /** What a process finds that resumes the session. */
  found: "before" | "pending" | "after";
}

const run = (session: SandboxSession): Promise<unknown> => session.run(program);
const undo = (session: SandboxSession): Promise<unknown> => session.undo();
const write = (session: SandboxSession): Promise<unknown> => session.writeFile("a.txt", "a");
const fork = (session: SandboxSession): Promise<unknown> => session.fork({ id: "fork" });

const moments: readonly Moment[] = [
  { at: "before claim run", act: run, found: "before" },
  { at: "after claim run", act: run, found: "before" },
  { at: "after begin run", act: run, found: "pending" },
  { at: "after claim call:1", act: run, found: "pending" },
  { at: "after begin call:1", act: run, found: "pending" },
  { at: "before finish call:1", act: run, found: "pending" },
  { at: "after finish call:1", act: run, found: "pending" },
  { at: "before finish run", act: run, found: "pending" },
  { at: "after finish run", act: run, found: "pending" },
  { at: "before put s/2", act: run, found: "pending" },
  { at: "after put s/2", act: run, found: "pending" },
  { at: "after note s", act: run, found: "after" },
  { at: "before put s/2", act: undo, found: "before" },
  { at: "before note s", act: undo, found: "before" },
  { at: "after note s", act: undo, found: "after" },
  { at: "after delete s/1", act: undo, found: "after" },
  { at: "before finish file", act: write, found: "before" },
  { at: "after finish file", act: write, found: "before" },
  { at: "after put s/2", act: write, found: "before" },
  { at: "after note s", act: write, found: "after" },
  { at: "after claim session fork", act: fork, found: "before" },
  { at: "after take fork", act: fork, found: "before" },
  { at: "after put fork/1", act: fork, found: "before" },
  { at: "after note fork", act: fork, found: "after" },
];
const always = moments.filter(({ at, act }) => act === run && /(before|after) finish call:1|after finish run/.test(at));

it.each(someOf(moments, 1, always).map((moment) => ({ ...moment, what: moment.act.name })))(
  "is as before or as after when its process dies $at of a $what",
  async ({ at, act, found }) => {
    let time = Date.now();
    const storage = memoryStorage({ now: () => time });
    const log = storage.operations;
    const pass = (ms: number): void => {
      time += ms;
    };
    const effects: string[] = [];
    const tools = (isDead: () => boolean): AnyTool[] => [
      tool("effect", { what: { type: "string" } }, async ({ what }: { what: string }) => {
        if (isDead()) return await new Promise(() => {});
        effects.push(what);
        return `did ${what}`;
      }),
    ];
    const settings = { key, style: "notebook" as const, domain: "tests" };
    const calm = { ...settings, storage, durable: true, tools: tools(() => false) };
    const life = dying(storage, at);
    // There are files in Python alone.
    const sandbox = act === write ? python : javascript;
    {
      await using first = await sandbox.openSession({ ...calm, id: "s" });
      await value(first, act === write ? "rows = ['zero']\n1" : "const rows = ['zero']; 1");
    }
    const dead = await sandbox.resumeSession("s", {
      ...settings,
      ...{ storage: life.storage, durable: true, tools: tools(life.isDead) },
      // Its interpreter is free then.
      limits: { leaseMs: 5000 },
    });
    const acting = act(dead);
    acting.catch(() => {});
    await life.died;
    pass(3_600_000);

    await using session = await sandbox.resumeSession("s", calm);
    expect(session.pending !== undefined).toBe(found === "pending");
    if (act === run) await finish(session, found, { log, pass, effects });
    else if (act === undo) {
      expect(session.turn).toBe(found === "after" ? 2 : 1);
      expect(await value(session, "typeof rows")).toBe(found === "after" ? "undefined" : "object");
    } else if (act === write) {
      expect(session.files().map(({ path }) => path)).toEqual(found === "after" ? ["a.txt"] : []);
      await session.writeFile("a.txt", "again");
      expect(new TextDecoder().decode(await session.readFile("a.txt"))).toBe("again");
    } else {
      expect(await value(session, "rows")).toEqual(["zero"]);
      const other = sandbox.resumeSession("fork", calm);
      if (found === "before") await expect(other).rejects.toMatchObject({ code: "sandbox/session-unknown" });
      else expect(await value(await other, "rows")).toEqual(["zero"]);
    }
  },
);

interface World {
  log: OperationLog;
  pass(ms: number): void;
  effects: readonly string[];
}

/** Brings the program to its end as a host would. */
async function finish(session: SandboxSession, found: Moment["found"], { log, pass, effects }: World): Promise<void> {
  if (found === "before") {
    expect(session.turn).toBe(1);
    expect(await value(session, program)).toBe(2);
  } else if (found === "pending") {
    expect(session.turn).toBe(1);
    let ended = await session.resumeRun();
    if (ended.status === "error") {
      expect(ended).toMatchObject({ error: { type: "InDoubt" }, state: "rolled-back" });
      // Somebody looks into the world.
      await settleCall({ operations: log }, "s#2", 1, effects.length > 0 ? { value: "did one" } : "released");
      pass(3_600_000);
      ended = await session.resumeRun();
    }
    expect(outcomeOf(ended)).toBe(2);
  }
  expect(session.turn).toBe(2);
  expect(await value(session, "rows")).toEqual(["zero", "did one"]);
  expect(effects).toEqual(["one"]);
}
