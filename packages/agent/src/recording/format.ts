import { ToolglotError } from "@toolglot/core";
import type { Recording, RecordingEntry, RecordingHead } from "./types.ts";

/** Returns one line of a recording, without a line end. */
export function lineOf(entry: RecordingHead | RecordingEntry): string {
  return JSON.stringify(entry);
}

/** Returns a recording as JSON Lines: the head first, then one entry a line, each line ended by LF. */
export function stringifyRecording(recording: Recording): string {
  return [recording.head, ...recording.entries].map((entry) => `${lineOf(entry)}\n`).join("");
}

/**
 * Reads JSON Lines made by {@link recordRun} or {@link stringifyRecording}. A recording that was cut short (a crash) can
 * be read: its last, incomplete line is left out. Throws `ToolglotError` `agent/recording-invalid`, with `data.line`.
 */
export function parseRecording(text: string): Recording {
  const lines = text.split(/\r?\n/);
  const values = lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (cause) {
      if (index === lines.length - 1 && index > 0) return [];
      throw invalid(`Line ${index + 1} is no JSON.`, index + 1, cause);
    }
  });
  const head = values[0] as Partial<RecordingHead> | null | undefined;
  if (head?.type !== "head") throw invalid("The first line is not the head of a recording.", 1);
  if (head.version !== 6) {
    throw invalid(
      `Recordings of version ${String(head.version)} are not known here, only of version 6: record the run anew, or replay it with the release that recorded it.`,
      1,
    );
  }
  return { head: head as RecordingHead, entries: values.slice(1) as RecordingEntry[] };
}

function invalid(message: string, line: number, cause?: unknown): ToolglotError {
  return new ToolglotError("agent/recording-invalid", message, { cause, data: { line } });
}
