import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { AnyTool, Decision } from "@toolglot/core";
import { tellParent } from "@toolglot/internal/testing/tell-parent";
import { createSandbox, type SandboxLanguage, settleCall } from "../../../src/node/index.ts";
import { openStorage } from "../../open-storage.ts";
import { tool } from "../../support.ts";
import { dyingLog, sleep } from "../support.ts";

// One life of a durable program in a process of its own. It kills itself at a moment, or is killed.

export interface Settings {
  language: SandboxLanguage;
  /** Of the operation log: see `openStorage`. */
  place: string;
  /** What was done to the world: a line for each effect, with its key and what it gave. */
  ledger: string;
  /** Absent: resumed. */
  code?: string;
  diesAt?: number;
  /** `never` says that it was asked, and waits. */
  approval: "given" | "never";
}

const { language, place, ledger, code, diesAt, approval } = JSON.parse(process.argv[2] ?? "") as Settings;
const tell = (kind: string, what: unknown): void => tellParent(`${kind} ${JSON.stringify(what)}`);

const store = await openStorage(place);
const dying = dyingLog(store.operations, diesAt ?? Number.POSITIVE_INFINITY);
void dying.died.then(() => process.kill(process.pid, "SIGKILL"));

const act = (name: string, annotations: AnyTool["annotations"]): AnyTool =>
  tool(
    name,
    { key: { type: "string" }, seen: { type: "string" } },
    async ({ key }: { key: string }) => {
      const gave = Math.random();
      appendFileSync(ledger, `${key} ${gave}\n`);
      await sleep(key.length * 4);
      return gave;
    },
    { annotations: { ...annotations } },
  );

await using sandbox = createSandbox({ language, pool: { size: 0 } });
// Longer than a busy machine takes for a step; each new life waits for the lease of the one before.
const durable = { storage: { operations: dying.log }, id: "life", leaseMs: 1500 };
const options = {
  tools: [act("effect", {}), act("again", { readOnlyHint: true }), act("asked", { requiresApproval: true })],
  approve: async ({ callId }: { callId: string }): Promise<Decision> => {
    tell("asked", callId);
    if (approval === "never") await new Promise(() => {});
    return { approved: true };
  },
  onLog: ({ text }: { text: string }) => tell("log", text),
};
for (;;) {
  const run = await (code === undefined
    ? sandbox.resume(durable, options)
    : sandbox.run(code, { ...options, durable })
  ).catch((error: { code?: string }) => {
    if (error.code !== "sandbox/run-live") throw error;
    return tell("refused", error.code);
  });
  if (run === undefined) break;
  if (run.status === "error" && run.error.type === "InDoubt") {
    // Somebody looks into the world.
    const call = run.toolCalls.find(({ callId }) => callId === run.error.callId);
    const done = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n") : [];
    const line = done.find((each) => each.startsWith(`${String(call?.args.key)} `));
    await settleCall(store, "life", call?.callId ?? "", line ? { value: Number(line.split(" ")[1]) } : "released");
    continue;
  }
  // The machine was too busy for its lease: who has the run's id goes on.
  if (run.status === "error" && run.error.type === "JournalFailure") continue;
  tell("run", run);
  break;
}
await store.close();
