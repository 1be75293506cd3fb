import type { OperationRecord, ToolglotError } from "@toolglot/core";
import { clockSince, sleep } from "@toolglot/internal";
import { expiredError, runError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Claimed, Journal } from "./journal.ts";
import { Leases } from "./leases.ts";
import { journalVersion, type KeptCalls, type RunHeader, type RunOutcome } from "./records.ts";

/** How often to ask whether another process still holds a lease. */
const pollEveryMs = 50;

/** A run as it was found. */
export type FoundRun =
  | { state: "ended"; outcome: RunOutcome; calls: KeptCalls }
  | { state: "open"; run: Claimed; leases: Leases; header: RunHeader; calls: KeptCalls };

/**
 * Claims a run, new or not, and waits until the leases of a process that is gone have ended. Rejects with a
 * `ToolglotError`, `sandbox/run-live`, `sandbox/run-conflict`, `sandbox/run-expired` or `sandbox/journal-unreadable`, and with what `signal` was aborted with.
 */
export async function openRun(journal: Journal, fresh: RunHeader, signal: AbortSignal): Promise<FoundRun> {
  const print = await fingerprint(JSON.stringify([fresh.language, fresh.source]));
  // For its keepMs, which the claim takes over.
  await journal.readHeader();
  const found = await claimRun(journal, print, signal);
  if (found.state === "ended") return { ...found, calls: await journal.readCalls() };
  const { run } = found;
  const { claim, record, asked } = run;
  // From here on: a long journal takes its time.
  const leases = new Leases(journal, run);
  try {
    const header = journal.headerOf(record);
    let calls: KeptCalls = new Map();
    if (header === undefined) {
      if (!(await journal.begin(claim, fresh))) throw liveError(journal, record);
    } else if (header.version === journalVersion) {
      // What is forgotten is forgotten by the log's clock.
      const age = Math.max(Date.now() - header.clock, record.claimedAt - (record.startedAt ?? record.claimedAt));
      if (age > journal.keepMs) throw expiredError(journal.settings.id);
      calls = await readFreeCalls(journal, clockSince(record.claimedAt, asked), signal);
    }
    return { state: "open", run, leases, header: header ?? fresh, calls };
  } catch (error) {
    await leases.giveUp();
    throw error;
  }
}

type ClaimedRun = { state: "ended"; outcome: RunOutcome } | { state: "open"; run: Claimed };

async function claimRun(journal: Journal, print: string, signal: AbortSignal): Promise<ClaimedRun> {
  const { id, leaseMs } = journal.settings;
  const deadline = performance.now() + leaseMs + pollEveryMs;
  let holder: OperationRecord | undefined;
  for (;;) {
    signal.throwIfAborted();
    const result = await journal.claimRun(print);
    const { record } = result;
    switch (result.status) {
      case "claimed":
        return { state: "open", run: result };
      case "replay":
        return { state: "ended", outcome: journal.outcomeOf(record) };
      case "expired":
        throw expiredError(id);
      case "busy": {
        holder ??= record;
        // Renewed, or taken by another: its process is alive.
        const isLive = record.fence !== holder.fence || record.leaseUntil > holder.leaseUntil;
        if (isLive || performance.now() > deadline) throw liveError(journal, record);
        await sleep(pollEveryMs, signal);
        break;
      }
      default:
        throw runError("run-conflict", id, "is of another program: choose another id, or resume() that one.");
    }
  }
}

/**
 * Resolves with the calls, as soon as no lease of the process that made them is left. `now`: the clock of the log, which leases are
 * measured by.
 */
async function readFreeCalls(journal: Journal, now: () => number, signal: AbortSignal): Promise<KeptCalls> {
  const deadline = performance.now() + journal.settings.leaseMs + pollEveryMs;
  for (;;) {
    const calls = await journal.readCalls();
    const held = [...calls.values()].find((call) => !call.answer && !call.inDoubt && call.leaseUntil > now());
    if (held === undefined) return calls;
    if (performance.now() > deadline) throw liveError(journal, held);
    await sleep(pollEveryMs, signal);
    signal.throwIfAborted();
  }
}

function liveError(journal: Journal, { leaseUntil }: { leaseUntil: number }): ToolglotError {
  const until = new Date(leaseUntil).toISOString();
  const what = `is going on elsewhere; its lease ends at ${until} unless it is renewed.`;
  return runError("run-live", journal.settings.id, what, { until: leaseUntil });
}

/** Returns the reason why a run can't be resumed from its journal here; undefined when it can. */
export function differences(header: RunHeader, here: RunHeader): string | undefined {
  if (header.version !== journalVersion) return `its journal has version ${header.version}, not ${journalVersion}`;
  if (header.session?.image !== here.session?.image) {
    const { id, turn } = header.session ?? {};
    return id === undefined
      ? "the program is of no session"
      : `the program goes on from turn ${turn} of the session ${id}: resumeSession() and resumeRun() go on with it`;
  }
  if (header.engine !== here.engine) {
    return `the program began with the engine ${header.engine}, and here it is ${here.engine}`;
  }
  return otherPlace(header, here);
}

/** Returns what of the time zone and the tools is not as when the program began; undefined when nothing is. */
export function otherPlace(header: RunHeader, here: RunHeader): string | undefined {
  if (header.timeZone !== here.timeZone) {
    return `the program began with the time zone ${header.timeZone}, and here it is ${here.timeZone}`;
  }
  for (const [name, signature] of Object.entries(header.tools)) {
    const now = Object.hasOwn(here.tools, name) ? here.tools[name] : undefined;
    if (now === undefined) return `the tool ${name} is missing`;
    if (now !== signature) return `the tool ${name} was ${signature}, and is ${now}`;
  }
  return undefined;
}
