import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperationRecord } from "@toolglot/core";
import { verifyRows } from "@toolglot/trp-core/store";
import { openSqliteStore } from "@toolglot/trp-sqlite";
import type { bundleProcesses } from "./bundle.ts";
import { ChaosClient, type Told } from "./client.ts";
import { end, type Started, start } from "./process.ts";
import type { Variant } from "./processes/naive.ts";

/** Settings of one run. */
export interface ChaosOptions {
  variant: Variant;
  operations: number;
  routers?: number;
  clients?: number;
  /** Milliseconds. */
  lease?: number;
  /** How often a router is killed or stopped, in milliseconds. */
  every?: number;
  /** Kinds of effects, by their numbers: keyed, probe, opaque. Default all. */
  kinds?: number[];
}

/** What came of it. */
export interface ChaosReport {
  kills: number;
  stops: number;
  /** Operations whose effect happened more than once. */
  duplicates: string[];
  /** Operations that were told to have succeeded and had no effect, or are recorded otherwise. */
  lost: string[];
  /** Told `unknown`, or left so by a crash, and not in doubt in the store; or in doubt and told something else. */
  hidden: string[];
  /** Effects of operations that no record knows as started. */
  unrecorded: string[];
  told: Record<Told["status"], number>;
  states: Record<string, number>;
  gaveUp: string[];
  audit: { ok: boolean; rows: number };
  /** Of the operations that went wrong: what the ledger saw of them, and the audit log. */
  evidence: string[];
}

const capabilities = ["cap.chaos.keyed.v1", "cap.chaos.probe.v1", "cap.chaos.opaque.v1"];
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Routers as processes, clients that send twice, somebody who kills and stops, and a ledger that tells. */
export async function chaos(
  scripts: Awaited<ReturnType<typeof bundleProcesses>>,
  { variant, operations, routers: size = 4, clients = 16, lease = 400, every = 60, kinds = [0, 1, 2] }: ChaosOptions,
): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-chaos-"));
  const file = join(folder, "router.db");
  const ledger = await start(scripts.path("ledger"), join(folder, "effects.jsonl"));
  const argument = JSON.stringify({ file, port: 0, ledger: ledger.port, lease, variant });
  const routers: Started[] = [];
  // One after the other the first time: a start under load is tested elsewhere.
  for (let index = 0; index < size; index++) routers.push(await start(scripts.path("router"), argument));
  const any = (): number => (routers[Math.floor(Math.random() * routers.length)] as Started).port;
  let over = false;
  const nemesis = unrest(
    routers,
    () => start(scripts.path("router"), argument),
    every,
    lease,
    () => over,
  );
  const told = new Map<string, Told>();
  try {
    let next = 0;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const client = new ChaosClient({ any }, 0.3);
        for (let index = next++; index < operations; index = next++) {
          const idx = kinds[index % kinds.length] as number;
          const operation = { op: `op${index}`, idx, capId: capabilities[idx] as string };
          // Sometimes two agents mean the same operation.
          const also = Math.random() < 0.1 ? new ChaosClient({ any }, 0).run(operation, 60_000) : undefined;
          told.set(operation.op, await client.run(operation, 60_000));
          await also;
        }
      }),
    );
    over = true;
    const { kills, stops } = await nemesis;
    // Those that are left find what the others left behind.
    await pause(lease * 4);
    const effects = (await (await fetch(`http://127.0.0.1:${ledger.port}/counts`)).json()) as Record<string, number>;
    await Promise.all(routers.map(end));
    const report = await judge(file, told, effects);
    const wrong = new Set([...report.duplicates, ...report.lost, ...report.hidden].map((line) => line.split(":")[0]));
    const seen = readFileSync(join(folder, "effects.jsonl"), "utf8").split("\n");
    const evidence = seen.filter((line) => line !== "" && wrong.has(JSON.parse(line).op));
    return { ...report, kills, stops, evidence: [...evidence, ...report.evidence] };
  } finally {
    over = true;
    await nemesis.catch(() => undefined);
    await Promise.all([...routers, ledger].map(end));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills routers, which come back, and stops them for longer than a lease. */
async function unrest(
  routers: Started[],
  another: () => Promise<Started>,
  every: number,
  lease: number,
  isOver: () => boolean,
): Promise<{ kills: number; stops: number }> {
  let kills = 0;
  let stops = 0;
  const waking: Promise<void>[] = [];
  const busy = new Set<number>();
  while (!isOver()) {
    await pause(every);
    const index = Math.floor(Math.random() * routers.length);
    // One at least stays up, or nobody could tell what the others do.
    if (busy.has(index) || busy.size >= routers.length - 1) continue;
    busy.add(index);
    const victim = routers[index] as Started;
    if (Math.random() < 0.5) {
      kills += 1;
      waking.push(
        end(victim).then(async () => {
          routers[index] = await another();
          busy.delete(index);
        }),
      );
    } else {
      stops += 1;
      victim.child.kill("SIGSTOP");
      waking.push(
        pause(lease * 2.25).then(() => {
          victim.child.kill("SIGCONT");
          busy.delete(index);
        }),
      );
    }
  }
  await Promise.all(waking);
  return { kills, stops };
}

/** Holds what was told against what happened and what is written down. */
async function judge(
  file: string,
  told: Map<string, Told>,
  effects: Record<string, number>,
): Promise<Omit<ChaosReport, "kills" | "stops">> {
  const store = await openSqliteStore({ file });
  const records = new Map<string, OperationRecord>();
  const states: Record<string, number> = {};
  const all = await store.operations.list({
    states: ["claimed", "started", "done", "failed", "in-doubt"],
    limit: 1_000_000,
  });
  for (const record of all) {
    records.set(record.key.slice("key_".length), record);
    states[record.state] = (states[record.state] ?? 0) + 1;
  }
  const rows = await store.audit.read();
  const started = new Set(rows.filter((row) => row.entry.result_status === "STARTED").map((row) => row.entry.call_id));
  const report: Omit<ChaosReport, "kills" | "stops"> = {
    duplicates: Object.keys(effects).filter((op) => (effects[op] as number) > 1),
    lost: [],
    hidden: [],
    unrecorded: Object.keys(effects).filter((op) => !started.has(`call_${op}`)),
    told: { success: 0, unknown: 0, failed: 0, "gave-up": 0 },
    states,
    gaveUp: [],
    audit: { ok: verifyRows(rows).ok, rows: rows.length },
    evidence: [],
  };
  for (const [op, { status, ...rest }] of told) {
    report.told[status] += 1;
    const state = records.get(op)?.state;
    if (status === "success" && (state !== "done" || effects[op] === undefined))
      report.lost.push(`${op}: ${state}, ${effects[op]}`);
    if (status === "unknown" && state !== "in-doubt") report.hidden.push(`${op}: told unknown, is ${state}`);
    if (status === "gave-up") report.gaveUp.push(`${op}: ${JSON.stringify(rest)}`);
    // An effect whose caller heard nothing good must stand in the records as what it is.
    if (state === "started" || state === "claimed") report.hidden.push(`${op}: left ${state}`);
  }
  const wrong = new Set([...report.duplicates, ...report.lost, ...report.hidden].map((line) => line.split(":")[0]));
  for (const { at, entry } of rows) {
    if (!wrong.has(entry.call_id.slice("call_".length))) continue;
    report.evidence.push(`${at} ${entry.call_id} ${entry.kind} ${entry.result_status} ${entry.error_code ?? ""}`);
  }
  await store.close();
  return report;
}
