import { ToolglotError } from "@toolglot/core";
import { isCount, isObject, parseJson } from "@toolglot/internal";
import type { SessionEntry } from "./types.ts";

/** A written line: `n` counts the lines, from 0; `by` names the process that wrote it. */
export type SessionLine = SessionEntry & { n: number; by: string };

/** Reads the next line of a log, of which `n` came before. Throws `ToolglotError` `agent/session-invalid`, with `data.line`, for one that was damaged. */
export function readLine(text: string, n: number): SessionLine {
  const line = parseJson(text);
  if (!isObject(line) || typeof line.type !== "string" || typeof line.by !== "string" || !isCount(line.n)) {
    throw sessionInvalid("can't be read", n + 1);
  }
  if (line.n !== n) throw sessionInvalid("does not follow the one before it", n + 1);
  return line as unknown as SessionLine;
}

/** Returns the error of a log that is not as it was written. */
export function sessionInvalid(what: string, line: number): ToolglotError {
  return new ToolglotError("agent/session-invalid", `Line ${line} of the session ${what}.`, { data: { line } });
}

/** Returns the error of a run that another process has claimed. */
export function sessionBusy(runId: string): ToolglotError {
  return new ToolglotError("agent/session-busy", `Another process goes on with the run ${runId}.`, { data: { runId } });
}

/** Returns a line's text. */
export function lineText(entry: SessionEntry, n: number, by: string): string {
  return JSON.stringify({ n, by, ...entry });
}
