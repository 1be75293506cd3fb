import { ToolglotError } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { RunSnapshot } from "../result.ts";
import type { Settings } from "../settings.ts";
import { checkDecisions } from "./decisions.ts";
import { lineText, sessionBusy, sessionInvalid } from "./lines.ts";
import { type ReadLog, type Restored, readLog } from "./restore.ts";
import type { Resumed } from "./session-part.ts";
import type { ResumeOptions } from "./types.ts";

/** Takes over a run that was saved. Resolves to undefined where it is to begin. Rejects as `Agent.resume` does. */
export async function takeOver(
  settings: Settings,
  saved: RunSnapshot | string,
  options: ResumeOptions,
): Promise<Resumed | undefined> {
  const { sessions, protocol, mode } = settings;
  if (typeof saved === "string" && sessions === undefined) {
    throw new TypeError("resume: a run id needs the option storage of createAgent; else pass the run's snapshot.");
  }
  const given = typeof saved === "string" ? undefined : readSnapshot(saved);
  const runId = given?.restored.head.runId ?? (saved as string);
  const texts = await sessions?.read(runId);
  if (options.begin !== undefined && texts === undefined) return undefined;
  const kept = texts && readLog(texts);
  const log = kept ?? given;
  if (log === undefined) {
    throw new ToolglotError("agent/session-unknown", `There is no session of the run ${JSON.stringify(runId)}.`, {
      data: { runId },
    });
  }
  const { restored } = log;
  if (restored.ended) {
    const data = { runId, ...restored.ended };
    throw new ToolglotError("agent/session-ended", `The run ${runId} has ended.`, { data });
  }
  if (given && kept && given.lines.length !== kept.lines.length) throw sessionBusy(runId);
  const { head } = restored;
  if (head.protocol !== protocol.version || head.mode !== mode) {
    const message = `The run ${runId} was begun with ${head.protocol} in the mode ${head.mode}, not with ${protocol.version} in the mode ${mode}.`;
    throw new ToolglotError("agent/session-mismatch", message, { data: { protocol: head.protocol, mode: head.mode } });
  }
  checkIds(
    "decisions",
    options.decisions,
    restored.pending.map(({ callId }) => callId),
  );
  checkDecisions(options, restored.pending);
  checkIds("settle", options.settle, doubtful(restored));
  const owner = settings.runtime.newOwner();
  // From this line on, what the process before writes is refused.
  const claim = lineText({ type: "owner" }, log.lines.length, owner);
  const lines = [...log.lines, claim];
  const from = kept ? log.lines.length : 0;
  await sessions?.append(runId, lines.slice(from), from);
  return { runId, restored, lines, owner, options };
}

function readSnapshot(saved: RunSnapshot): ReadLog {
  if (!isObject(saved) || saved.version !== 1 || !Array.isArray(saved.lines)) {
    throw sessionInvalid("is missing: this is no snapshot of version 1", 1);
  }
  return readLog(saved.lines.map(String));
}

/** Returns the calls that were begun, and have no end. */
function doubtful({ open }: Restored): string[] {
  return open ? [...open.started].filter((id) => !open.ended.has(id)) : [];
}

function checkIds(what: string, given: Readonly<Record<string, unknown>> | undefined, known: readonly string[]): void {
  const odd = Object.keys(given ?? {}).find((id) => !known.includes(id));
  if (odd === undefined) return;
  const hint = known.length === 0 ? "there are none" : `they are ${known.join(", ")}`;
  const kind = what === "settle" ? "was under way" : "waits for a decision";
  throw new TypeError(`resume: ${what} has ${JSON.stringify(odd)}, which is no call that ${kind}; ${hint}.`);
}
