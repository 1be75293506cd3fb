import { defined, untilAborted } from "@toolglot/internal";
import type { Lease } from "../pool.ts";
import { ProgramRun } from "../run/program-run.ts";
import { RunReport } from "../run/run-report.ts";
import type { ProgramTool, RunRequest } from "../run/types.ts";
import type { SandboxRun } from "../run-types.ts";
import type { SandboxToolCall } from "../types.ts";
import { mayRepeat } from "./durable-calls.ts";
import { DurableRun } from "./durable-run.ts";
import { abortedError, divergedError, inDoubtError, runError } from "./errors.ts";
import { Journal } from "./journal.ts";
import { differences, type FoundRun, openRun } from "./open-run.ts";
import { journalVersion, type KeptCall, type KeptCalls, type RunHeader } from "./records.ts";
import type { DurableSettings } from "./settings.ts";
import type { SandboxRunParked } from "./types.ts";

/** Parts of a durable run; `code` is absent when it comes from the journal. */
export type DurableRequest = Omit<RunRequest, "code"> & { code: string | undefined };

/** Starts a durable run, resumes it, or returns its outcome again. Rejects as `Sandbox.run` does. */
export async function runDurably(
  settings: DurableSettings,
  request: DurableRequest,
  acquire: () => Promise<Lease>,
): Promise<SandboxRun | SandboxRunParked> {
  const journal = new Journal(settings);
  const { signal } = request;
  let report = new RunReport({ ...request, code: request.code ?? "" });
  let code: string;
  let here: RunHeader;
  let found: FoundRun;
  try {
    code = request.code ?? (await untilAborted(readSource(journal, request), signal));
    report = new RunReport({ ...request, code });
    if (report.sourceError) return report.failed(report.sourceError);
    here = headerOf({ ...request, code }, settings.keepMs);
    found = await openOrAbort(journal, here, signal);
  } catch (error) {
    if (signal.aborted) return report.failed(abortedError);
    throw error;
  }
  const { calls } = found;
  if (found.state === "ended") return { ...found.outcome, toolCalls: listCalls(calls, request.callIdPrefix) };
  const { header, run, leases } = found;
  const different = differences(header, here);
  const doubt = findDoubt(calls, request.tools);
  if (different === undefined && doubt === undefined) {
    const opened = { journal, claim: run.claim, leases, header, calls };
    const program = new ProgramRun({ ...request, ...asBegun(header) });
    return await program.execute(acquire, (durable) => new DurableRun(opened, durable, acquire));
  }
  await leases.giveUp();
  for (const call of listCalls(calls, request.callIdPrefix)) report.addCall(call);
  if (different !== undefined) return report.failed(divergedError(different, "resume the run where it began"));
  const { index } = doubt as KeptCall;
  const error = inDoubtError(`${request.callIdPrefix}:${index + 1}`, doubt as KeptCall);
  const call = report.toolCalls.find(({ callId }) => callId === error.callId);
  if (call) call.error = { type: error.type, message: error.message };
  return report.failed(error);
}

async function readSource(journal: Journal, { engine }: DurableRequest): Promise<string> {
  const header = await journal.readHeader();
  const { id } = journal.settings;
  if (header === undefined) throw runError("run-unknown", id, "is not in the journal.");
  const { language } = header;
  if (language !== engine.language) {
    const what = `is ${language}: resume it in a sandbox of that language.`;
    throw runError("run-conflict", id, what, { language });
  }
  return header.source;
}

/** As {@link openRun}, but rejects at once when the signal is aborted: a run that is opened after that is given up. */
async function openOrAbort(journal: Journal, here: RunHeader, signal: AbortSignal): Promise<FoundRun> {
  const opening = openRun(journal, here, signal);
  try {
    return await untilAborted(opening, signal);
  } catch (error) {
    opening.then(
      async (late) => {
        if (late.state === "open") await late.leases.giveUp();
      },
      () => {},
    );
    throw error;
  }
}

/** Returns what a program needs to run as it did first. */
export function asBegun(header: RunHeader): Pick<RunRequest, "code" | "seed" | "imports" | "style" | "files"> {
  const { source: code, seed, imports, style = "attp", files } = header;
  return { code, seed, imports, style, files };
}

export function headerOf(request: RunRequest, keepMs: number): RunHeader {
  const { code, engine, seed, imports, style, tools, start, files } = request;
  return {
    version: journalVersion,
    language: engine.language,
    engine: engine.label,
    source: code,
    seed,
    clock: Date.now(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    keepMs,
    imports,
    ...(style === "attp" ? {} : { style }),
    ...(start && { session: start }),
    ...(files && files.length > 0 && { files }),
    tools: Object.fromEntries(tools.map((tool) => [tool.tool.name, signature(tool)])),
  };
}

/** Returns a tool's signature as a program sees it: `pay(amount, note="")`. */
function signature({ names }: ProgramTool): string {
  const params = names.params.map(({ name, identifier, required, default: fallback }) => {
    const as = name === identifier ? name : `${identifier}:${name}`;
    return required ? as : `${as}=${JSON.stringify(fallback) ?? ""}`;
  });
  if (names.rest !== undefined) params.push("…");
  return `${names.identifier}(${params.join(", ")})`;
}

/** Returns the first call that may have happened and must not happen twice. */
function findDoubt(calls: KeptCalls, tools: readonly ProgramTool[]): KeptCall | undefined {
  const repeatable = new Set(tools.filter(mayRepeat).map(({ tool }) => tool.name));
  return inOrder(calls).find(
    ({ answer, started, inDoubt, name }) => !answer && (inDoubt || (started && !repeatable.has(name ?? ""))),
  );
}

/** Returns the calls of a journal, as a run reports them. */
export function listCalls(calls: KeptCalls, callIdPrefix: string): SandboxToolCall[] {
  return inOrder(calls).flatMap(({ index, name, args, answer }) => {
    if (!name || !args) return [];
    const call: SandboxToolCall = {
      callId: `${callIdPrefix}:${index + 1}`,
      name,
      args,
      ok: false,
      ms: 0,
      replayed: true,
    };
    if (answer === undefined) return [call];
    const { ok, ms, usage } = answer;
    const error = answer.ok ? undefined : { type: answer.type, message: answer.message };
    return [{ ...call, ok, ms, ...defined({ usage, error }) }];
  });
}

function inOrder(calls: KeptCalls): KeptCall[] {
  return [...calls.values()].sort((a, b) => a.index - b.index);
}
