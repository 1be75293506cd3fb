import type { OperationRecord } from "@toolglot/core";
import { isUnsettled, type RouterStore } from "@toolglot/trp-core/store";
import { type Heard, isAnswered, nameOf } from "./agent.ts";
import type { Database } from "./database.ts";
import { contrary } from "./statements.ts";
import type { World } from "./world.ts";

/** The transactions that claim. */
const claims = ["operations.start", "operations.claim", "operations.takeOver"];

/**
 * Watches every claim: fences rise, nobody's operation is taken while their lease holds, and nothing begins while what it is equal to
 * has an unknown outcome.
 */
export function watchClaims({ database, outside, wrong }: World): void {
  let newest = { timeline: 1, fence: 0 };
  database.observer = async ({ method, operation }, store) => {
    if (!claims.includes(method) || operation === undefined) return undefined;
    const name = nameOf(operation);
    const before = await store.operations.read(operation);
    const now = database.now();
    const equal = await equalOf(store, operation);
    return (result) => {
      const { started = result } = result as { started?: unknown };
      const { status, record: after } = started as { status: string; record?: OperationRecord };
      const isTaken = (status === "claimed" || status === "in-doubt") && after?.key === operation.key;
      if (!isTaken || after.fence === before?.fence) return;
      const { timeline } = database;
      if (timeline === newest.timeline && after.fence <= newest.fence) {
        wrong.push(`fence: ${name} got ${after.fence} after ${newest.fence}`);
      }
      newest = { timeline, fence: after.fence };
      outside.nameOfFence.set(after.fence, name);
      if (status === "claimed" && before === undefined && equal !== undefined && isUnsettled(equal, now)) {
        wrong.push(`equal: ${name} began, and what became of ${nameOf(equal)} is unknown`);
      }
      const isHeld = before?.state === "started" || before?.state === "claimed";
      if (!isHeld || before.leaseUntil <= now) return;
      wrong.push(
        `lease: ${name} was taken from ${before.owner} ${before.leaseUntil - now} ms before its lease was over`,
      );
    };
  };
}

/** The operation with the same arguments under the first key. */
async function equalOf(
  store: RouterStore,
  { scope, key }: { scope: string; key: string },
): Promise<OperationRecord | undefined> {
  const first = key.replace(/\/again$/, "");
  return first === key ? undefined : await store.operations.read({ scope, key: first });
}

/** What must hold once all is quiet, before anybody settles what is in doubt. */
export async function checkQuiet(world: World): Promise<void> {
  const records = await allRecords(world.database);
  const isExcused = excuses(world);
  for (const record of records) {
    const { state, owner } = record;
    if (state === "started" && !isAnswered(record))
      world.wrong.push(`left over: ${nameOf(record)} is started, by ${owner}`);
  }
  for (const { name, receipt } of world.outside.done) {
    if (isExcused(name)) continue;
    const state = records.find((record) => nameOf(record) === name)?.state ?? "unknown";
    if (state === "done" || state === "in-doubt" || state === "started") continue;
    world.wrong.push(`unrecorded effect: ${name} happened (${receipt}), and is ${state}`);
  }
}

/** What must hold in the end. */
export async function checkEnd(world: World): Promise<void> {
  const { database, outside, wrong } = world;
  const isExcused = excuses(world);
  const ids = outside.done.map(({ id }) => id);
  for (const { id, name, kind } of outside.done) {
    if (ids.indexOf(id) !== ids.lastIndexOf(id) && !isExcused(name))
      wrong.push(`duplicate: ${name} (${kind}) happened again`);
  }
  const records = await allRecords(database);
  for (const heard of world.heard()) if (!isExcused(heard.operation.name)) checkHeard(world, heard, records);
  const approvals = await database.look((store) => store.approvals.list({ tenant: "default", limit: 1_000 }));
  for (const { name, kind } of outside.done) {
    if (kind !== "approved" || isExcused(name)) continue;
    const own = approvals.filter(({ operation }) => nameOf(operation) === name);
    if (!own.some(({ status }) => status === "used")) wrong.push(`approval: ${name} happened without one`);
  }
  for (const { id, operation, told } of world.people.decisions.values()) {
    const record = approvals.find((each) => each.id === id);
    if (told === "not-pending" && record?.decidedBy === "boss") {
      wrong.push(`contradiction: who decided about ${operation.name} was told that somebody else had`);
    }
  }
}

/** What was said of an operation, against what happened and what is written down. */
function checkHeard(
  { outside, wrong }: World,
  { operation, said, isOver, last }: Heard,
  records: OperationRecord[],
): void {
  const { op, name, kind } = operation;
  // Under another key, it may have got the outcome of the first one.
  const names = [name, op];
  const receipts = names.flatMap((each) => outside.receiptsOf(each));
  const told = new Set(said.map((each) => each.told));
  const words = `${name} (${kind}) was told ${said.map((each) => each.told).join(", ") || "nothing"}`;
  const mayRunAgain = kind === "keyed" || kind === "idempotent";
  for (const pair of contrary) {
    // What may run again has failed for now, or was stopped for now.
    if (mayRunAgain && pair.includes("success") && (pair.includes("failed") || pair.includes("stopped"))) continue;
    if (pair.every((one) => told.has(one))) wrong.push(`contradiction: ${words}`);
  }
  const values = new Set(said.flatMap(({ receipt }) => (receipt === undefined ? [] : [receipt])));
  if (values.size > 1) wrong.push(`contradiction: ${words}, with the receipts ${[...values].join(" and ")}`);
  for (const value of values)
    if (!receipts.includes(value)) wrong.push(`contradiction: ${words}, with ${value}, which is none`);
  const nothing = told.has("not-run") || told.has("denied");
  if (nothing && outside.receiptsOf(name).length > 0) wrong.push(`ghost: ${words}, and happened`);
  if (last === undefined && !isOver) wrong.push(`no answer: ${words}`);
  const states = records.filter((record) => names.includes(nameOf(record))).map(({ state }) => state);
  if (last === "success" && !states.includes("done"))
    wrong.push(`unrecorded success: ${words}, and is ${states.join()}`);
}

/** Those whose records an asynchronous standby has not got: nobody can promise anything about them. */
function excuses({ database, agents }: World): (name: string) => boolean {
  const lost = new Set(database.lost.flatMap(({ operation }) => (operation ? nameOf(operation) : [])));
  const sessions = new Set(database.lost.flatMap(({ sessionId }) => sessionId ?? []));
  return (name) => {
    if (lost.has(name) || lost.has(name.replace("/again", ""))) return true;
    const own = agents.flatMap(({ heard }) => [...(heard.get(name)?.sessions ?? [])]);
    return own.some((id) => sessions.has(id));
  };
}

function allRecords(database: Database): Promise<OperationRecord[]> {
  return database.look(({ operations }) =>
    operations.list({ states: ["claimed", "started", "done", "failed", "in-doubt", "released"], limit: 100_000 }),
  );
}
