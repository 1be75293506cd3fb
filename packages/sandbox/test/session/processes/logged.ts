// Holds a session with a log in a storage, and tells what happens. It runs the programs that it gets as lines of JSON, `null` for the one that
// is pending; or, as `work`, so many programs of its own, and goes on with those that another process did not bring to their end.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Decision, ToolglotError } from "@toolglot/core";
import { createSandbox, type SandboxSession, settleCall } from "../../../src/node/index.ts";
import { openStorage } from "../../open-storage.ts";
import { tool } from "../../support.ts";

const [dir = "", place = "", way = "", programs = "0"] = process.argv.slice(2);
const id = "s";
const effects = `${dir}/effects`;
const storage = await openStorage(place);
const tell = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
const act = (name: string, requiresApproval: boolean) =>
  tool(
    name,
    { what: { type: "string" } },
    ({ what }: { what: string }) => {
      appendFileSync(effects, `${what}\n`);
      return `did ${what}`;
    },
    { annotations: { requiresApproval } },
  );
const approve = async ({ callId }: { callId: string }): Promise<Decision> => {
  tell({ asked: callId });
  return way === "open" ? await new Promise(() => {}) : { approved: true };
};

const tools = [act("effect", false), act("asked", true)];
await using sandbox = createSandbox({ language: "python", tools, pool: { size: 0 } });
const options = { storage, durable: true, key: new Uint8Array(32).fill(7), limits: { leaseMs: 3000 } };

/** As soon as the process before has lost it. */
async function take(): Promise<SandboxSession> {
  for (;;) {
    try {
      return await sandbox.resumeSession(id, options);
    } catch (error) {
      const { code } = error as ToolglotError;
      if (!ToolglotError.isInstance(error) || !["sandbox/session-live", "sandbox/session-unknown"].includes(code))
        throw error;
      if (code === "sandbox/session-unknown") return await sandbox.openSession({ ...options, id });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Brings the pending program to its end; somebody looks into the world where that has to be. */
async function goOn(session: SandboxSession): Promise<void> {
  const runId = session.pending?.runId ?? "";
  const run = await session.resumeRun();
  if (run.status !== "error" || run.error.type !== "InDoubt") return;
  const call = run.toolCalls.find(({ callId }) => callId === run.error.callId);
  const what = String(call?.args.what);
  const done = existsSync(effects) && readFileSync(effects, "utf8").split("\n").includes(what);
  await settleCall(storage, runId, call?.callId ?? "", done ? { value: `did ${what}` } : "released");
}

const session = await take();
tell({ turn: session.turn, pending: session.pending?.runId });
if (way === "work") {
  while (session.pending !== undefined || session.turn < Number(programs)) {
    if (session.pending) await goOn(session);
    else {
      const before = session.turn === 0 ? "" : "*all, ";
      await session.run(`all = [${before}effect("${session.turn}")]\n__result__ = 1`);
    }
  }
  const run = await session.run("__result__ = all");
  tell({ value: run.status === "ok" ? run.value : run });
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const code = JSON.parse(line) as string | null;
    const run = await (code === null ? session.resumeRun({ approve }) : session.run(code, { approve }));
    tell({ value: run.status === "ok" ? run.value : run, turn: run.turn, state: run.state });
  }
}
await session.close();
await storage.close();
