import { execFileSync } from "node:child_process";
import type { OperationState } from "@toolglot/core";
import { type Cast, gather, type Stage } from "./cast.ts";
import { capabilities, quiet } from "./chaos.ts";
import { ChaosClient, type Told } from "./client.ts";
import type { Variant } from "./naive.ts";
import { auditOf } from "./written.ts";

/** Settings of a soak. */
export interface SoakOptions {
  variant: Variant;
  minutes: number;
  routers?: number;
  callers?: number;
  /** How often a router is killed or stopped. Milliseconds. */
  every?: number;
  /** Ends as soon as an effect has happened twice. */
  untilDuplicate?: boolean;
  /** Called every ten seconds. */
  onProgress?: (line: string) => void;
}

/** What came of a soak. */
export interface SoakReport {
  actions: number;
  seconds: number;
  /** Actions whose effect happened more than once. */
  duplicates: string[];
  /** Effects that no record knows, or that one knows as never begun. */
  unattributed: string[];
  /** Answers that the records or the effects don't bear out. */
  untrue: string[];
  /** Actions whose callers heard nothing for two minutes. */
  gaveUp: number;
  /** Operations in doubt, by the reason in their records. */
  doubts: Record<string, number>;
  /** Of the router that nobody kills, in MB. */
  memory: { begin: number; end: number };
  audit: { ok: boolean; rows: number; problem?: string };
  unrest: Record<string, number>;
}

const lease = 2_000;
/** Longer than a router is stopped. Milliseconds. */
const silence = 5_000;

/** Callers that have one effect after the other done, for minutes, while everything breaks again and again. */
export async function soak(stage: Stage, options: SoakOptions): Promise<SoakReport> {
  const { variant, minutes, routers = 4, callers = 32, every = 3_000, untilDuplicate = false, onProgress } = options;
  const cast = await gather(stage, { variant, routers, lease, every, spared: 1 });
  const told = new Map<string, Told["status"]>();
  const began = performance.now();
  const secondsNow = (): number => (performance.now() - began) / 1000;
  let isOver = false;
  const watch = setInterval(async () => {
    if (secondsNow() > minutes * 60) isOver = true;
    if (untilDuplicate && repeated(await cast.effects()).length > 0) isOver = true;
  }, 500);
  const progress = setInterval(() => {
    const rate = Math.round(told.size / secondsNow());
    onProgress?.(`${Math.round(secondsNow())} s: ${told.size} actions, ${rate}/s, ${memoryOf(cast)} MB`);
  }, 10_000);
  try {
    // What a router takes for its first calls, it takes once.
    let begin = 0;
    let count = 0;
    await Promise.all(
      Array.from({ length: callers }, async () => {
        const client = new ChaosClient(cast, 0.1, silence);
        while (!isOver) {
          const number = count++;
          const idx = number % capabilities.length;
          const operation = { op: `op${number}`, idx, capId: capabilities[idx] as string };
          const { status } = await client.run(operation, 120_000);
          told.set(operation.op, status);
          client.heard.delete(operation.op);
          if (told.size === callers * 10) begin = memoryOf(cast);
        }
      }),
    );
    const seconds = secondsNow();
    const end = memoryOf(cast);
    const unrest = await cast.calm();
    await quiet(stage);
    const effects = await cast.effects();
    const judged = await held(stage, told, effects);
    const memory = { begin: begin === 0 ? end : begin, end };
    return { actions: told.size, seconds, duplicates: repeated(effects), ...judged, memory, unrest };
  } finally {
    clearInterval(watch);
    clearInterval(progress);
    await cast.end();
  }
}

/** The report in one line. */
export function soakLine({
  actions,
  seconds,
  duplicates,
  unattributed,
  untrue,
  gaveUp,
  doubts,
  memory,
}: SoakReport): string {
  const reasons = Object.entries(doubts).sort((one, other) => other[1] - one[1]);
  const inDoubt = reasons.reduce((sum, [, count]) => sum + count, 0);
  const why = reasons.length === 0 ? "" : ` (${reasons.map(([reason, count]) => `${count} × ${reason}`).join("; ")})`;
  return [
    `${actions.toLocaleString("en")} actions, ${Math.round(actions / seconds)}/s`,
    `${duplicates.length} duplicates, ${unattributed.length} unattributed`,
    ...(untrue.length > 0 ? [`${untrue.length} untrue answers`] : []),
    ...(gaveUp > 0 ? [`${gaveUp} without an answer`] : []),
    `${inDoubt} doubts${why}`,
    `memory ${memory.begin} MB → ${memory.end} MB`,
  ].join(", ");
}

const repeated = (effects: Record<string, number>): string[] =>
  Object.keys(effects).filter((op) => (effects[op] as number) > 1);

/** Megabytes of the router that nobody kills. */
function memoryOf({ routers }: Cast): number {
  const kilobytes = execFileSync("ps", ["-o", "rss=", "-p", String(routers[0]?.child.pid)], { encoding: "utf8" });
  return Math.round(Number(kilobytes) / 1024);
}

/** What the record and the effects must be after an answer. */
const bears: Partial<Record<Told["status"], (state: OperationState | undefined, happened: boolean) => boolean>> = {
  success: (state, happened) => state === "done" && happened,
  unknown: (state) => state === "in-doubt",
  // A keyed capability that ended with an exception may be run again with its key: its operation stays open.
  failed: (state, happened) => state === "started" || (state === "failed" && !happened),
};

/** Holds what was told and what happened against what is written down. */
async function held(
  { open, store: name }: Stage,
  told: Map<string, Told["status"]>,
  effects: Record<string, number>,
): Promise<Pick<SoakReport, "unattributed" | "untrue" | "gaveUp" | "doubts" | "audit">> {
  const store = await open(name);
  const states = new Map<string, OperationState>();
  const doubts: Record<string, number> = {};
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await store.operations.scan(after, 1_000);
    for (const { key, state, reason = "" } of page.records) {
      states.set(key.slice("key_".length), state);
      const why = reason.replace(/router_\S+/, "a router");
      if (state === "in-doubt") doubts[why] = (doubts[why] ?? 0) + 1;
    }
    after = page.last;
  }
  const audit = await auditOf(store);
  await store.close();
  const began = new Set<OperationState | undefined>(["started", "done", "failed", "in-doubt"]);
  const untrue: string[] = [];
  for (const [op, status] of told) {
    const state = states.get(op);
    if (status === "gave-up") continue;
    if (!bears[status]?.(state, effects[op] !== undefined))
      untrue.push(`${op}: told ${status}, is ${state}, happened ${effects[op] ?? 0} times`);
  }
  const unattributed = Object.keys(effects).filter((op) => !began.has(states.get(op)));
  const gaveUp = [...told.values()].filter((status) => status === "gave-up").length;
  return { unattributed, untrue, gaveUp, doubts, audit };
}
