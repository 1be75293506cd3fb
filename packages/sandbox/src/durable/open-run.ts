import { type OperationClaim, type OperationRecord, ToolglotError } from "@toolglot/core";
import { expiredError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Journal } from "./journal.ts";
import { journalVersion, type KeptCalls, type RunHeader, type RunOutcome } from "./records.ts";

/** Between two looks at a lease that another process holds. */
const LOOK_EVERY_MS = 50;

/** A run as it was found. */
export type FoundRun =
  | { state: "ended"; outcome: RunOutcome; calls: KeptCalls }
  | { state: "open"; claim: OperationClaim; header: RunHeader; calls: KeptCalls };

/** The header of a run that was begun; undefined when there is none. Rejects with what the log rejects with. */
export async function readHeader(journal: Journal): Promise<RunHeader | undefined> {
  return (await journal.readRun())?.data as RunHeader | undefined;
}

/**
 * Claims a run, new or not, and waits until the leases of a process that is gone have ended. Rejects with a
 * `ToolglotError`, `run-live`, `run-conflict` or `run-expired`, and with what `signal` was aborted with.
 */
export async function openRun(journal: Journal, fresh: RunHeader, signal: AbortSignal): Promise<FoundRun> {
  const print = await fingerprint(JSON.stringify([fresh.language, fresh.source]));
  const found = await claimRun(journal, print, signal);
  if (found.state === "ended") {
    return { state: "ended", outcome: found.outcome, calls: await journal.readCalls() };
  }
  const { claim, record } = found;
  try {
    if (record.data === undefined) {
      if (!(await journal.begin(claim, fresh))) throw liveError(journal, record);
      return { state: "open", claim, header: fresh, calls: new Map() };
    }
    const header = record.data as unknown as RunHeader;
    const { id, keepMs } = journal.settings;
    if (header.clock + keepMs < Date.now()) throw expiredError(id);
    // Leases are measured by the log's clock, which need not be this process's.
    const ahead = record.claimedAt - Date.now();
    return { state: "open", claim, header, calls: await readFreeCalls(journal, claim, ahead, signal) };
  } catch (error) {
    await giveUp(journal, claim);
    throw error;
  }
}

/** Ends the lease at once. */
export async function giveUp(journal: Journal, claim: OperationClaim): Promise<void> {
  try {
    await journal.settings.log.renew(claim, 1);
  } catch {
    // Then it ends by itself.
  }
}

type ClaimedRun =
  | { state: "ended"; outcome: RunOutcome }
  | { state: "open"; claim: OperationClaim; record: OperationRecord };

async function claimRun(journal: Journal, print: string, signal: AbortSignal): Promise<ClaimedRun> {
  const { id, leaseMs } = journal.settings;
  const patience = performance.now() + leaseMs + LOOK_EVERY_MS;
  let holder: OperationRecord | undefined;
  for (;;) {
    signal.throwIfAborted();
    const result = await journal.claimRun(print);
    const { record } = result;
    switch (result.status) {
      case "claimed":
        return { state: "open", claim: result.claim, record };
      case "replay":
        return { state: "ended", outcome: record.outcome as unknown as RunOutcome };
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
          "run-conflict",
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
): Promise<KeptCalls> {
  const { leaseMs, log } = journal.settings;
  const patience = performance.now() + leaseMs + LOOK_EVERY_MS;
  for (;;) {
    const calls = await journal.readCalls();
    const now = Date.now() + ahead;
    const held = [...calls.values()].find((call) => !call.answer && !call.inDoubt && call.leaseUntil > now);
    if (held === undefined) return calls;
    if (performance.now() > patience) throw liveError(journal, held);
    await sleep(LOOK_EVERY_MS, signal);
    await log.renew(claim, leaseMs);
  }
}

function liveError(journal: Journal, { leaseUntil }: { leaseUntil: number }): ToolglotError {
  const { id } = journal.settings;
  const until = new Date(leaseUntil).toISOString();
  const message = `The run ${JSON.stringify(id)} is going on elsewhere; its lease ends at ${until} unless it is renewed.`;
  return new ToolglotError("run-live", message, { data: { id, until: leaseUntil } });
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
