import { canonicalJson } from "@toolglot/internal";
import type { Lease } from "../pool.ts";
import { ProgramRun } from "../run/program-run.ts";
import { RunReport } from "../run/run-report.ts";
import type { RunRequest } from "../run/types.ts";
import type { SandboxRun } from "../run-types.ts";
import { divergedError, failedRun, limitErrors, runError } from "./errors.ts";
import { Journal } from "./journal.ts";
import { differences, otherPlace } from "./open-run.ts";
import type { RunOutcome } from "./records.ts";
import { otherOutcome, unfinishedErrors } from "./replay-errors.ts";
import { ReplayedRun } from "./replayed-run.ts";
import { asBegun, headerOf, listCalls } from "./run-durably.ts";
import type { DurableSettings } from "./settings.ts";

/**
 * Runs a program of a session again that has ended, for the memory that it leaves: its calls get their answers from the journal, and none
 * is made. Resolves with its outcome from the journal, and when the program came to another one with why. Without `start` in
 * the request another version of the engine may do so, beside another image.
 */
export async function replayRun(
  settings: DurableSettings,
  request: Omit<RunRequest, "code">,
  acquire: () => Promise<Lease>,
): Promise<SandboxRun> {
  const journal = new Journal(settings);
  const { header, outcome } = (await journal.readRun()) ?? {};
  if (header === undefined || outcome === undefined) {
    throw runError("run-unknown", settings.id, "is not in the journal with its outcome.");
  }
  const calls = await journal.readCalls();
  const begun = asBegun(header);
  const here = headerOf({ ...request, ...begun }, settings.keepMs);
  const different = request.start ? differences(header, here) : otherPlace(header, here);
  if (different !== undefined) {
    return new RunReport({ ...request, ...begun }).failed(divergedError(different, "resume the session where it was"));
  }
  const { session, signal } = request;
  const reseed = header.session?.reseed ?? false;
  const again = { ...request, ...begun, signal, session: session && { ...session, reseed } };
  const run = await new ProgramRun(again).execute(acquire, (program) => new ReplayedRun(header, calls, program));
  if (isSame(run, outcome)) return { ...outcome, toolCalls: listCalls(calls, request.callIdPrefix) };
  // With less time or memory than before it does not come as far.
  const isCut = run.status === "error" && [...unfinishedErrors, ...limitErrors].includes(run.error.type);
  return isCut ? run : failedRun(run, otherOutcome);
}

/** Checks whether a program came to the end that it came to before. */
function isSame(run: { status: string }, outcome: RunOutcome): boolean {
  const end = ({ status, value, error }: { status: string; value?: unknown; error?: { type: string } }): string =>
    canonicalJson([status, value ?? null, error?.type ?? null]);
  return end(run) === end(outcome);
}
