import { type OperationClaim, type OperationRecord, ToolglotError } from "@toolglot/core";
import { expiredError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Journal } from "./journal.ts";
import { journalVersion, type KeptCalls, type RunHeader, type RunOutcome } from "./records.ts";

/** Between two looks at a lease that another process holds. */
const LOOK_EVERY_MS = 50;

/** A run as it was found. `claimedAt`: when its lease began, by this process's clock, or earlier. */
export type FoundRun =
  | { state: "ended"; outcome: RunOutcome; calls: KeptCalls }
  | { state: "open"; claim: OperationClaim; claimedAt: number; header: RunHeader; calls: KeptCalls };

/**
 * Claims a run, new or not, and waits until the leases of a process that is gone have ended. Rejects with a
 * `ToolglotError`, `sandbox/run-live`, `sandbox/run-conflict`, `sandbox/run-expired` or `sandbox/journal-unreadable`, and with what `signal` was aborted with.
 */
export async function openRun(journal: Journal, fresh: RunHeader, signal: AbortSignal): Promise<FoundRun> {
  const print = await fingerprint(JSON.stringify([fresh.language, fresh.source]));
  // For its keepMs, which the claim takes over.
  await journal.readHeader();
  const found = await claimRun(journal, print, signal);
  if (found.state === "ended") {
    return { state: "ended", outcome: found.outcome, calls: await journal.readCalls() };
  }
  const { claim, claimedAt, record } = found;
  try {
    const header = journal.headerOf(record);
    if (header === undefined) {
      if (!(await journal.begin(claim, fresh))) throw liveError(journal, record);
      return { state: "open", claim, claimedAt, header: fresh, calls: new Map() };
    }
    if (header.version !== journalVersion) return { state: "open", claim, claimedAt, header, calls: new Map() };
    // What is forgotten is forgotten by the log's clock.
    const age = Math.max(Date.now() - header.clock, record.claimedAt - (record.startedAt ?? record.claimedAt));
    if (age > journal.keepMs) throw expiredError(journal.settings.id);
    // Leases are measured by the log's clock, which need not be this process's.
    const ahead = record.claimedAt - Date.now();
    const free = await readFreeCalls(journal, claim, ahead, signal);
    return { state: "open", claim, claimedAt: Math.max(claimedAt, free.renewedAt), header, calls: free.calls };
  } catch (error) {
    await journal.giveUp(claim);
    throw error;
  }
}

type ClaimedRun =
  | { state: "ended"; outcome: RunOutcome }
  | { state: "open"; claim: OperationClaim; claimedAt: number; record: OperationRecord };

async function claimRun(journal: Journal, print: string, signal: AbortSignal): Promise<ClaimedRun> {
  const { id, leaseMs } = journal.settings;
  const patience = performance.now() + leaseMs + LOOK_EVERY_MS;
  let holder: OperationRecord | undefined;
  for (;;) {
    signal.throwIfAborted();
    const claimedAt = Date.now();
    const result = await journal.claimRun(print);
    const { record } = result;
    switch (result.status) {
      case "claimed":
        return { state: "open", claim: result.claim, claimedAt, record };
      case "replay":
        return { state: "ended", outcome: journal.outcomeOf(record) };
      case "expired":
        throw expiredError(id);
      case "busy": {
        holder ??= record;
        // Renewed, or taken by another: somebody lives.
        const isLive = record.fence !== holder.fence || record.leaseUntil > holder.leaseUntil;
        if (isLive || performance.now() > patience) throw liveError(journal, record);
        await sleep(LOOK_EVERY_MS, signal);
        break;
      }
      default:
        throw new ToolglotError(
          "sandbox/run-conflict",
          `The id ${JSON.stringify(id)} belongs to another program: choose another id, or resume() that one.`,
          { data: { id } },
        );
    }
  }
}

/** The calls, as soon as no lease of the process that made them is left. */
async function readFreeCalls(
  journal: Journal,
  claim: OperationClaim,
  ahead: number,
  signal: AbortSignal,
): Promise<{ calls: KeptCalls; renewedAt: number }> {
  const { leaseMs, log } = journal.settings;
  let renewedAt = 0;
  const renew = async (): Promise<void> => {
    const asked = Date.now();
    try {
      if (await log.renew(claim, leaseMs)) renewedAt = Math.max(renewedAt, asked);
    } catch {
      // Whoever goes on with the run finds out.
    }
  };
  // A long journal takes its time.
  const timer = setInterval(() => void renew(), Math.max(1, leaseMs / 3));
  try {
    const patience = performance.now() + leaseMs + LOOK_EVERY_MS;
    for (;;) {
      const calls = await journal.readCalls();
      const now = Date.now() + ahead;
      const held = [...calls.values()].find((call) => !call.answer && !call.inDoubt && call.leaseUntil > now);
      if (held === undefined) return { calls, renewedAt };
      if (performance.now() > patience) throw liveError(journal, held);
      await sleep(LOOK_EVERY_MS, signal);
    }
  } finally {
    clearInterval(timer);
  }
}

function liveError(journal: Journal, { leaseUntil }: { leaseUntil: number }): ToolglotError {
  const { id } = journal.settings;
  const until = new Date(leaseUntil).toISOString();
  const message = `The run ${JSON.stringify(id)} is going on elsewhere; its lease ends at ${until} unless it is renewed.`;
  return new ToolglotError("sandbox/run-live", message, { data: { id, until: leaseUntil } });
}

/** Rejects with what the signal was aborted with. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** Why a journal can't be gone on with here; undefined when it can. */
export function differences(header: RunHeader, here: RunHeader): string | undefined {
  if (header.version !== journalVersion) return `its journal has version ${header.version}, not ${journalVersion}`;
  for (const [what, was, is] of [
    ["engine", header.engine, here.engine],
    ["time zone", header.timeZone, here.timeZone],
  ] as const) {
    if (was !== is) return `the program began with the ${what} ${was}, and here it is ${is}`;
  }
  for (const [name, signature] of Object.entries(header.tools)) {
    const now = Object.hasOwn(here.tools, name) ? here.tools[name] : undefined;
    if (now === undefined) return `the tool ${name} is missing`;
    if (now !== signature) return `the tool ${name} was ${signature}, and is ${now}`;
  }
  return undefined;
}
