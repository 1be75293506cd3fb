import { ToolglotError } from "@toolglot/core";
import { isCount, isObject, parseJson } from "@toolglot/internal";
import type { SessionEntry } from "./types.ts";

/** A written line: `n` counts the lines that count, from 0; `by` names the process that wrote it. */
export type SessionLine = SessionEntry & { n: number; by: string };

/** Line types that claim a run for a process. */
const claims: ReadonlySet<string> = new Set(["head", "owner", "torn"]);

/**
 * Reads a log line by line, and finds which lines count: those that follow one another in number, of the process that has claimed the run
 * last. A line that another process wrote too late has no effect, and is left out.
 */
export class LineReader {
  /** How many lines count. */
  count = 0;
  owner: string | undefined;
  /** Number of a line that can't be read, from 1, when no line follows it. */
  torn: number | undefined;
  /** The run has ended. */
  isEnded = false;
  #row = 0;

  /** Returns the line when it counts. Throws `ToolglotError` `agent/session-invalid`, with `data.line`, for a log that was damaged. */
  read(text: string): SessionLine | undefined {
    this.#row += 1;
    if (text.trim() === "") return undefined;
    const line = parseJson(text);
    if (!isObject(line) || typeof line.type !== "string" || typeof line.by !== "string" || !isCount(line.n)) {
      if (this.torn !== undefined) throw this.#damaged("can't be read");
      this.torn = this.#row;
      return undefined;
    }
    // Of a run whose head was cut off nothing had happened: another one begins behind it.
    const follows = this.count === 0 ? "head" : "torn";
    if (this.torn !== undefined && line.type !== follows) throw sessionInvalid("can't be read", this.torn);
    const isClaim = claims.has(line.type);
    const isLate = line.n < this.count || (!isClaim && line.by !== this.owner);
    if (isLate) return undefined;
    if (line.n > this.count) throw this.#damaged("follows on lines that are missing");
    this.torn = undefined;
    this.count += 1;
    this.owner = line.by;
    this.isEnded = line.type === "end";
    return line as unknown as SessionLine;
  }

  #damaged(what: string): ToolglotError {
    return sessionInvalid(what, this.#row);
  }
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
