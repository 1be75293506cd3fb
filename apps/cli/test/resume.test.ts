import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { commandNames, commandOf } from "../src/chat/commands.ts";
import { offerOf } from "../src/cli/agent-options.ts";
import { Session } from "../src/cli/session.ts";
import { loadModule, openModules } from "../src/modules/load-module.ts";
import { buildDemo, type Ended, startDemo } from "./support/child.ts";
import { demoModule, runDemo } from "./support/in-process.ts";

const root = mkdtempSync(join(tmpdir(), "demo-resume-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const question = "open a high priority ticket: Lantern overheats; serial F4-10233";
let count = 0;

/** A data folder of its own, and the demo in it. Programs are JavaScript: their interpreter starts at once. */
function place() {
  const data = join(root, String(++count));
  const demo = (...args: string[]): Promise<Ended> => runDemo([...args, "--data-dir", data]);
  const query = <Row>(file: string, sql: string): Row[] => {
    const db = new Database(join(data, file));
    try {
      return db.prepare(sql).all() as Row[];
    } finally {
      db.close();
    }
  };
  const programs = join(data, "programs");
  return {
    data,
    demo,
    query,
    ask: () => demo("--protocol", "trp-code-js", question),
    tickets: () =>
      query<{ title: string }>("shop.db", "SELECT title FROM tickets WHERE id > 3").map(({ title }) => title),
    expire(): void {
      const db = new Database(join(data, "router.db"));
      db.exec("UPDATE approvals SET expires_at = 1, record = json_set(record, '$.expiresAt', 1)");
      db.close();
    },
    /** The files of programs that have not ended. */
    kept: () => (existsSync(programs) ? readdirSync(programs).filter((file) => file.endsWith(".json")) : []),
    edit(change: (text: string) => string): void {
      for (const file of readdirSync(programs).filter((name) => name.endsWith(".json"))) {
        writeFileSync(join(programs, file), change(readFileSync(join(programs, file), "utf8")));
      }
    },
    forgetCalls: () => {
      // A program that waits gives its leases up, for which nobody waits longer than a second.
      rmSync(join(programs, "calls"), { recursive: true, maxRetries: 20 });
    },
  };
}

const approvalIn = ({ stderr }: Ended): string => /approvals approve (\S+)/.exec(stderr)?.[1] ?? "";
const programIn = ({ stderr }: Ended): string => / -- resume (\S+)/.exec(stderr)?.[1] ?? "";

describe("a program that waits", () => {
  it("should go on after its approval, once, with what it says to do", async () => {
    const { data, demo, ask, tickets, kept } = place();
    const asked = await ask();
    expect(asked).toMatchObject({ code: 6, stdout: expect.stringContaining("create_ticket waits for approval") });
    expect(asked.stderr).toContain(`npm run demo -- resume ${programIn(asked)} --data-dir ${data}`);
    expect(tickets()).toEqual([]);
    // Nobody has decided yet.
    expect(await demo("resume")).toMatchObject({ code: 6, stderr: expect.stringContaining(approvalIn(asked)) });
    expect(await demo("approvals", "approve", approvalIn(asked))).toMatchObject({ code: 0 });
    const went = await demo("resume", programIn(asked));
    expect(went).toMatchObject({ code: 0, stdout: expect.stringContaining('Ticket 4 is open: "Lantern overheats"') });
    expect(tickets()).toEqual(["Lantern overheats"]);
    expect(kept()).toEqual([]);
    expect(await demo("resume")).toMatchObject({ code: 0, stderr: "No program waits.\n" });
    expect(await demo("resume", programIn(asked))).toMatchObject({ code: 2 });
    expect(tickets()).toEqual(["Lantern overheats"]);
  });

  it("should be forgotten with its calls when the data is made anew", async () => {
    const { data, demo, ask, tickets } = place();
    expect(programIn(await ask())).not.toBe("");
    // The program's process is this one, and may give its lease up still.
    const isThere = async (): Promise<boolean> => {
      expect(await demo("--reset", "show ticket 1")).toMatchObject({ code: 0 });
      return existsSync(join(data, "programs"));
    };
    await expect.poll(isThere, { timeout: 60_000, interval: 500 }).toBe(false);
    expect(await demo("resume")).toMatchObject({ code: 0, stderr: "No program waits.\n" });
    expect(tickets()).toEqual([]);
  });

  it("should approve it itself with --yes, and wait in one answer in single mode too", async (context) => {
    leftToCi(context);
    const { demo, tickets } = place();
    expect(await demo("--protocol", "trp-code-js", "--mode", "single", question)).toMatchObject({ code: 6 });
    expect(await demo("resume", "--yes")).toMatchObject({ code: 0, stdout: expect.stringContaining('"ticket_id":4') });
    expect(tickets()).toHaveLength(1);
  });

  it("should do nothing when it was denied, and say so", async (context) => {
    leftToCi(context);
    const { demo, ask, tickets, kept } = place();
    expect(await demo("approvals", "deny", approvalIn(await ask()), "--comment", "no lamp")).toMatchObject({ code: 0 });
    expect(await demo("resume")).toMatchObject({ code: 4, stdout: expect.stringContaining("no lamp") });
    expect(tickets()).toEqual([]);
    expect(kept()).toEqual([]);
  });

  it("should ask anew when the request has expired", async (context) => {
    leftToCi(context);
    const { demo, ask, tickets, expire } = place();
    const asked = await ask();
    expire();
    const again = await demo("resume");
    expect(again).toMatchObject({ code: 6 });
    expect(approvalIn(again)).not.toBe(approvalIn(asked));
    expect(await demo("approvals", "approve", approvalIn(again))).toMatchObject({ code: 0 });
    expect(await demo("resume")).toMatchObject({ code: 0 });
    expect(tickets()).toHaveLength(1);
  });

  it("should not go on with a file that was edited, and not twice when its log is gone", async (context) => {
    leftToCi(context);
    const { demo, ask, tickets, edit, forgetCalls } = place();
    const asked = await ask();
    await demo("approvals", "approve", approvalIn(asked));
    edit((text) => text.replace("Lantern overheats", "Lantern explodes"));
    expect(await demo("resume")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not as it was written"),
    });
    edit((text) => text.slice(0, 50));
    expect(await demo("resume")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not as it was written"),
    });
    expect(tickets()).toEqual([]);
    const other = await ask();
    forgetCalls();
    // The damaged file is not read for another's sake, and the calls have the keys that they had.
    expect(await demo("resume", programIn(other), "--yes")).toMatchObject({ code: 0 });
    expect(tickets()).toHaveLength(1);
  });

  it("should be named when there are several", async (context) => {
    leftToCi(context);
    const { demo, ask } = place();
    const ids = [programIn(await ask()), programIn(await ask())];
    const which = await demo("resume");
    expect(which).toMatchObject({ code: 2, stderr: expect.stringContaining(ids[0] as string) });
    expect(which.stderr).toContain(ids[1]);
    expect(await demo("resume", "nobody")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(ids[1] as string),
    });
    expect(await demo("resume", "../x")).toMatchObject({ code: 2 });
  });

  it("should say in Chinese what to do", async (context) => {
    leftToCi(context);
    const { demo } = place();
    const asked = await demo("--protocol", "trp-code-js", "--lang", "zh", question);
    expect(asked).toMatchObject({ code: 6, stderr: expect.stringContaining("先批准，再继续") });
  });

  it("should do a call once w/ two that go on with it at the same time", async (context) => {
    leftToCi(context);
    const { data, demo, ask, tickets } = place();
    await demo("approvals", "approve", approvalIn(await ask()));
    const goOn = async (): Promise<string> => {
      const session = new Session(
        { folder: data, modules: openModules([await loadModule(demoModule)], data) },
        { ahead: false },
      );
      try {
        const [program] = session.programs.list();
        if (!program) throw new Error("no program");
        const { executor } = await offerOf("trp-code-js", "en", session);
        const [result] = await session.programs.goOn(executor, program, {
          runId: program.runId,
          stepIndex: 0,
          signal: new AbortController().signal,
          emit: () => undefined,
          approve: async () => ({ approved: false }),
        });
        return result?.status ?? "";
      } catch (error) {
        return (error as { code: string }).code;
      } finally {
        await session.dispose();
      }
    };
    const ends = await Promise.all([goOn(), goOn()]);
    expect(ends).toContain("ok");
    expect(["ok", "sandbox/run-live"]).toEqual(expect.arrayContaining(ends));
    expect(tickets()).toHaveLength(1);
  });
});

it.each([
  ["/resume", "resume"],
  ["/resume a1b2c3", "resume"],
  ["resume the work", "none"],
])("should take %j in a chat for %s", (line, command) => {
  expect(commandOf(line, commandNames({}), []).name).toBe(command);
});

it.each([
  [["--resume", "x", "show order 1042"], /leave out the question/],
  [["--resume", "--record", "f"], /--record and --replay/],
])("should refuse %j", async (args, message) => {
  expect(await runDemo(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

describe("a process that is killed", () => {
  it("should leave a program that goes on, and does its call once", async (context) => {
    leftToCi(context);
    await buildDemo();
    const { data, demo, query, tickets, kept } = place();
    const args = ["--protocol", "trp-code-js", "--yes", "--data-dir", data, question];
    const child = startDemo(args, { TRP_EXECUTOR_BASE_SLEEP_MS: "60000" });
    await expect.poll(() => kept().length, { timeout: 60_000 }).toBe(1);
    const started = (): unknown[] => query("router.db", "SELECT 1 FROM operations WHERE state = 'started'");
    await expect.poll(() => started().length, { timeout: 60_000 }).toBe(1);
    child.kill("SIGKILL");
    await child.ended;
    expect(tickets()).toEqual([]);
    await expect.poll(async () => (await demo("resume", "--yes")).code, { timeout: 60_000, interval: 2000 }).toBe(0);
    expect(tickets()).toHaveLength(1);
    expect(kept()).toEqual([]);
  }, 300_000);
});
