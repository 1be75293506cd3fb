import type { AnyTool, OperationLog } from "@toolglot/core";
import { someOf } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { memorySessionStore, type SandboxSession, type SessionStore, settleCall } from "../../src/node/index.ts";
import { logWithClock, wrapLog } from "../durable/support.ts";
import { tool } from "../support.ts";
import { key, outcomeOf, sharedSandbox, value } from "./support.ts";

// A process that holds a session with a log dies at one moment. Whatever the moment: the state before what it did or the one
// after, never a third, and no effect twice.

const sandbox = sharedSandbox(60_000);
afterAll(() => sandbox[Symbol.asyncDispose]());

/** The log and the store as a process sees them that dies at one moment: nothing is written from there on, and nothing answered. */
function dying(log: OperationLog, store: SessionStore, diesAt: string) {
  let isDead = false;
  let markDead: () => void = () => {};
  const died = new Promise<void>((resolve) => {
    markDead = resolve;
  });
  const never = new Promise<never>(() => {});
  const fences = new Map<string, number>();
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
  const seenLog = wrapLog(log, (method, args, call) => {
    const { key: name = "" } = args[0] as { key?: string };
    return pass(`${method} ${name}`, call);
  });
  const seenStore: SessionStore = {
    ...store,
    claim: (id, owner, leaseMs) =>
      pass(`claim session ${id}`, async () => {
        const claimed = await store.claim(id, owner, leaseMs);
        if ("fence" in claimed) fences.set(id, claimed.fence);
        return claimed;
      }),
    renew: (...args) => pass("renew session", () => store.renew(...args)),
    release: (...args) => pass("release session", () => store.release(...args)),
    put: (...args) => pass(`put ${args[0]} ${args[2]}`, () => store.put(...args)),
    drop: (...args) => pass("drop", () => store.drop(...args)),
  };
  /** As the end of its leases does. */
  const bury = async (): Promise<void> => {
    for (const [id, fence] of fences) await store.release(id, fence);
  };
  return { log: seenLog, store: seenStore, died, isDead: () => isDead, bury };
}

const program = "rows.append(effect('one'))\n__result__ = len(rows)";

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
  { at: "before put s 2", act: run, found: "pending" },
  { at: "after put s 2", act: run, found: "after" },
  { at: "before put s 2", act: undo, found: "before" },
  { at: "after put s 2", act: undo, found: "after" },
  { at: "after drop", act: undo, found: "after" },
  { at: "before finish file", act: write, found: "before" },
  { at: "after finish file", act: write, found: "before" },
  { at: "after put s 2", act: write, found: "after" },
  { at: "after claim session fork", act: fork, found: "before" },
  { at: "before put fork 1", act: fork, found: "before" },
  { at: "after put fork 1", act: fork, found: "after" },
];
const always = moments.filter(({ at, act }) => act === run && /(before|after) finish call:1|after finish run/.test(at));

it.each(someOf(moments, 1, always).map((moment) => ({ ...moment, what: moment.act.name })))(
  "is as before or as after when its process dies $at of a $what",
  async ({ at, act, found }) => {
    const { log, pass } = logWithClock();
    const store = memorySessionStore();
    const effects: string[] = [];
    const tools = (isDead: () => boolean): AnyTool[] => [
      tool("effect", { what: { type: "string" } }, async ({ what }: { what: string }) => {
        if (isDead()) return await new Promise(() => {});
        effects.push(what);
        return `did ${what}`;
      }),
    ];
    const settings = { key, style: "notebook" as const };
    const calm = { ...settings, store, log, tools: tools(() => false) };
    const life = dying(log, store, at);
    {
      await using first = await sandbox.openSession({ ...calm, id: "s" });
      await value(first, "rows = ['zero']\n__result__ = 1");
    }
    const dead = await sandbox.resumeSession("s", {
      ...settings,
      ...{ store: life.store, log: life.log, tools: tools(life.isDead) },
      // Its interpreter is free then.
      limits: { leaseMs: 5000 },
    });
    const acting = act(dead);
    acting.catch(() => {});
    await life.died;
    await life.bury();
    pass(3_600_000);

    await using session = await sandbox.resumeSession("s", calm);
    expect(session.pending !== undefined).toBe(found === "pending");
    if (act === run) await finish(session, found, { log, pass, effects });
    else if (act === undo) {
      expect(session.turn).toBe(found === "after" ? 2 : 1);
      const seen = await session.run("[n for n in globals() if n == 'rows']");
      expect(outcomeOf(seen)).toEqual(found === "after" ? [] : ["rows"]);
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
      await settleCall(log, "s#2", 1, effects.length > 0 ? { value: "did one" } : "released");
      pass(3_600_000);
      ended = await session.resumeRun();
    }
    expect(outcomeOf(ended)).toBe(2);
  }
  expect(session.turn).toBe(2);
  expect(await value(session, "rows")).toEqual(["zero", "did one"]);
  expect(effects).toEqual(["one"]);
}
