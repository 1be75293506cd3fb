import type { OperationRecord } from "@toolglot/core";
import type { Heard } from "./agent.ts";
import type { About, Database } from "./database.ts";
import { contrary, type Told } from "./statements.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { World } from "./world.ts";

/** Watches every claim: fences rise, and nobody's operation is taken while their lease holds. */
export function watchClaims(database: Database, time: VirtualTime, wrong: string[]): void {
  let newest = { timeline: 1, fence: 0 };
  database.observer = async ({ method, operation }: About, store) => {
    const isClaim = method === "operations.start" || method === "operations.claim" || method === "operations.takeOver";
    if (!isClaim || operation === undefined) return undefined;
    const before = await store.operations.read(operation);
    return (result) => {
      const { started = result } = result as { started?: unknown };
      const { status, record: after } = started as { status: string; record?: OperationRecord };
      if (after === undefined || after.fence === before?.fence) return;
      if (status !== "claimed" && status !== "in-doubt") return;
      // The doubt is about an equal operation, which was not touched.
      if (after.key !== operation.key) return;
      const { timeline } = database;
      if (timeline === newest.timeline && after.fence <= newest.fence) {
        wrong.push(`fence: ${operation.key} got ${after.fence} after ${newest.fence}`);
      }
      newest = { timeline, fence: after.fence };
      const isHeld = before !== undefined && (before.state === "started" || before.state === "claimed");
      if (!isHeld || before.leaseUntil <= database.now()) return;
      const left = before.leaseUntil - database.now();
      wrong.push(`lease: ${operation.key} was taken from ${before.owner} ${left} ms before its lease was over`);
      time.note(`lease of ${operation.key} broken`);
    };
  };
}

/** What must hold once all is quiet, before anybody settles what is in doubt. */
export async function checkQuiet(world: World): Promise<void> {
  const records = await allRecords(world.database);
  for (const { key, state, owner, data } of records) {
    if (state !== "started" && state !== "claimed") continue;
    // Its caller was told that an attempt has failed, and may try again.
    if ((data as { answered?: unknown } | undefined)?.answered !== undefined) continue;
    if (state === "started") world.wrong.push(`left over: ${key} is started, by ${owner}`);
  }
  const isExcused = excuses(world);
  for (const { op, receipt } of world.outside.done) {
    const own = records.filter(({ key }) => key.split("/")[1] === op);
    if (isExcused(op) || own.some(({ state }) => state === "done" || state === "in-doubt" || state === "started")) continue;
    world.wrong.push(`unrecorded effect: ${op} happened (${receipt}), and is ${own.map(({ state }) => state).join() || "unknown"}`);
  }
}

/** What must hold in the end. */
export async function checkEnd(world: World): Promise<void> {
  const { database, outside, wrong } = world;
  const records = await allRecords(database);
  const isExcused = excuses(world);
  for (const heard of world.heard()) {
    const { operation, said, last } = heard;
    const { op, kind } = operation;
    if (isExcused(op)) continue;
    const receipts = outside.receiptsOf(op);
    if (receipts.length > 1) wrong.push(`duplicate: ${op} (${kind}) happened ${receipts.length} times`);
    const told = new Set(said.map((each) => each.told));
    for (const pair of contrary) {
      if (pair.every((one) => told.has(one))) wrong.push(`contradiction: ${op} (${kind}) was told ${words(heard)}`);
    }
    const values = new Set(said.flatMap(({ receipt }) => (receipt === undefined ? [] : [receipt])));
    if (values.size > 1) wrong.push(`contradiction: ${op} was told the receipts ${[...values].join(" and ")}`);
    for (const receipt of values) if (!receipts.includes(receipt)) wrong.push(`contradiction: ${op} has no receipt ${receipt}`);
    const nothing = (["not-run", "denied"] as const).find((each) => told.has(each));
    if (nothing !== undefined && receipts.length > 0) wrong.push(`ghost: ${op} (${kind}) was told ${nothing}, and happened`);
    if (last === undefined) wrong.push(`no answer: ${op} (${kind}) was told ${words(heard)}`);
    const states = records.filter(({ key }) => key.split("/")[1] === op).map(({ state }) => state);
    if (last === "success" && !states.includes("done")) wrong.push(`unrecorded success: ${op} is ${states.join()}`);
  }
  const approved = await database.look(({ approvals }) => approvals.list({ tenant: "default", limit: 1_000 }));
  for (const { op, kind } of outside.done) {
    if (kind !== "approved" || isExcused(op)) continue;
    const own = approved.filter(({ operation: { key } }) => key.split("/")[1] === op);
    if (!own.some(({ status }) => status === "used")) wrong.push(`approval: ${op} happened without one`);
  }
  for (const { id, operation, told } of world.people.decisions.values()) {
    const record = approved.find((each) => each.id === id);
    if (told === "not-pending" && record?.decidedBy === "boss") {
      wrong.push(`contradiction: who decided about ${operation.op} was told that it was decided by somebody else`);
    }
  }
}

/** Those whose records an asynchronous standby has not got: nobody can promise anything about them. */
function excuses({ database, agents }: World): (op: string) => boolean {
  const keys = new Set(database.lost.flatMap(({ operation }) => operation?.key.split("/")[1] ?? []));
  const sessions = new Set(database.lost.flatMap(({ sessionId }) => sessionId ?? []));
  return (op) => {
    if (keys.has(op)) return true;
    const own = agents.flatMap(({ heard }) => [...(heard.get(op)?.sessions ?? [])]);
    return own.some((id) => sessions.has(id));
  };
}

function allRecords(database: Database): Promise<OperationRecord[]> {
  return database.look(({ operations }) =>
    operations.list({ states: ["claimed", "started", "done", "failed", "in-doubt", "released"], limit: 100_000 }),
  );
}

function words({ said }: Heard): string {
  const told: Told[] = said.map((each) => each.told);
  return told.length === 0 ? "nothing" : told.join(", ");
}
