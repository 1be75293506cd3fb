import type { OperationRecord } from "@toolglot/core";
import type { RouterStore } from "../../src/store/index.ts";
import type { Heard, Operation, Told } from "./client.ts";
import { auditOf, outboxFaults } from "./written.ts";

/** What came of a run. */
export interface Verdict {
  /** Operations whose effect happened more than once. */
  duplicates: string[];
  /** Operations that were told to have succeeded and had no effect, or are recorded otherwise. */
  lost: string[];
  /** Told `unknown`, or left so by a crash, and not in doubt in the store; or in doubt and told something else. */
  hidden: string[];
  /** Effects of operations that no record knows as started. */
  unrecorded: string[];
  /** Calls of which two answers can't both be true. */
  contradictions: string[];
  /** Effects of calls that were told that nothing was executed. */
  ghosts: string[];
  /** Partial results with a gap, twice, or not all of them. */
  parts: string[];
  told: Record<Told["status"], number>;
  states: Record<string, number>;
  /** Operations in doubt in the end, by the reasons in their records. */
  doubts: Record<string, number>;
  gaveUp: string[];
  audit: { ok: boolean; rows: number; problem?: string };
  /** What the outbox says of operations, and the records don't. */
  outbox: string[];
  /** Of the operations that went wrong: what was said of them, what the ledger saw, and the audit log. */
  evidence: string[];
}

/** What was told of one operation. */
export interface Case {
  operation: Operation;
  told: Told;
  heard: Heard;
}

/** Pairs of statements about one call of which one is a lie. What is unknown may be found out. */
const contrary: readonly (readonly Told["status"][])[] = [
  ["success", "not-run"],
  ["success", "stopped"],
  ["success", "failed"],
  ["not-run", "stopped"],
  ["not-run", "unknown"],
  ["not-run", "failed"],
];

/** Holds what was told against what happened and what is written down. */
export async function judge(
  open: () => Promise<RouterStore>,
  cases: readonly Case[],
  effects: Record<string, number>,
  ledger: readonly string[],
): Promise<Verdict> {
  const store = await open();
  const all = await store.operations.list({
    states: ["claimed", "started", "done", "failed", "in-doubt"],
    limit: 1_000_000,
  });
  const records = new Map(all.map((record) => [record.key.slice("key_".length), record]));
  const rows = await store.audit.read();
  const [audit, outbox] = [await auditOf(store), await outboxFaults(store, records)];
  await store.close();
  const states: Record<string, number> = {};
  const doubts: Record<string, number> = {};
  for (const { state, reason = "" } of all) {
    states[state] = (states[state] ?? 0) + 1;
    if (state === "in-doubt") doubts[reason] = (doubts[reason] ?? 0) + 1;
  }
  const started = new Set(rows.filter((row) => row.entry.result_status === "STARTED").map((row) => row.entry.call_id));
  const verdict: Verdict = {
    duplicates: Object.keys(effects).filter((op) => (effects[op] as number) > 1),
    lost: [],
    hidden: [],
    unrecorded: Object.keys(effects).filter((op) => !started.has(`call_${op}`)),
    contradictions: [],
    ghosts: [],
    parts: [],
    told: { success: 0, unknown: 0, "not-run": 0, stopped: 0, failed: 0, "gave-up": 0 },
    states,
    doubts,
    gaveUp: [],
    audit,
    outbox,
    evidence: [],
  };
  for (const one of cases) weigh(verdict, one, records.get(one.operation.op), effects[one.operation.op]);
  const { duplicates, lost, hidden, unrecorded, contradictions, ghosts, parts, gaveUp } = verdict;
  const found = [...duplicates, ...lost, ...hidden, ...unrecorded, ...contradictions, ...ghosts, ...parts, ...gaveUp];
  const wrong = new Set(found.map((line) => line.split(":")[0]));
  for (const { operation, heard } of cases) {
    if (wrong.has(operation.op)) verdict.evidence.push(JSON.stringify(operation), ...heard.log);
  }
  verdict.evidence.push(...ledger.filter((line) => line !== "" && wrong.has(JSON.parse(line).op)));
  for (const { at, entry } of rows) {
    if (!wrong.has(entry.call_id.slice("call_".length))) continue;
    const { call_id, session_id, kind, result_status, error_code = "" } = entry;
    verdict.evidence.push(`${at} ${call_id} ${session_id} ${kind} ${result_status} ${error_code}`);
  }
  return verdict;
}

function weigh(
  verdict: Verdict,
  { operation, told, heard }: Case,
  record: OperationRecord | undefined,
  effect: number | undefined,
): void {
  const { op, mode, capId } = operation;
  const { status } = told;
  const state = record?.state;
  verdict.told[status] += 1;
  if (status === "success" && (state !== "done" || effect === undefined)) {
    verdict.lost.push(`${op}: ${state}, ${effect}`);
  }
  // What nobody knew may be found out, and is told from then on. What was released has left no record.
  const isFoundOut = state === undefined ? effect === undefined : heard.statements.at(-1) !== "unknown";
  if (status === "unknown" && state !== "in-doubt" && !isFoundOut)
    verdict.hidden.push(`${op}: told unknown, is ${state}`);
  if (status === "gave-up") verdict.gaveUp.push(`${op}: ${told.last}`);
  // An effect whose caller heard nothing good must stand in the records as what it is.
  // A keyed capability that ended with an exception may be run again with its key: its operation stays open.
  const isOpen = status === "failed" ? state === "claimed" : state === "started" || state === "claimed";
  if (isOpen) verdict.hidden.push(`${op}: left ${state}`);
  const said = new Set(heard.statements);
  for (const pair of contrary) {
    if (pair.every((one) => said.has(one))) verdict.contradictions.push(`${op}: ${heard.statements.join()}`);
  }
  const afterSuccess = heard.statements.indexOf("success");
  if (afterSuccess >= 0 && heard.statements.at(-1) !== "success") {
    verdict.contradictions.push(`${op}: in the end ${heard.statements.at(-1)}`);
  }
  if (said.has("not-run") && effect !== undefined) verdict.ghosts.push(`${op}: ${effect}`);
  if (mode !== "ASYNC") return;
  verdict.parts.push(...heard.faults.map((fault) => `${op}: ${fault}`));
  // Whoever succeeded said all; of what was only asked about, nobody may have.
  if (status !== "success" || capId.includes("probe")) return;
  const texts = [...heard.parts.values()];
  const attempts = new Set(texts.map((text) => text.split(" ")[0]));
  const isWhole = [...attempts].some((n) => ["one", "two", "three"].every((part) => texts.includes(`${n} ${part}`)));
  if (!isWhole) verdict.parts.push(`${op}: ${texts.join()}`);
}
