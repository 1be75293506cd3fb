import { type Message, ToolglotError } from "@toolglot/core";
import type { RequestEvent } from "../events.ts";
import type { Recording, RecordingEntry, RecordingHead } from "./types.ts";

/** A request as it is stored: only the messages that the request before did not have. */
type StoredRequest = Omit<RequestEvent, "messages"> & { keep: number; messages: Message[] };

/** Writes a recording's lines one by one. Requests grow with the conversation, so each is stored as what is new in it. */
export class RecordingWriter {
  #previous: string[] = [];

  /** One line of JSON, without a line end. */
  line(entry: RecordingHead | RecordingEntry): string {
    if (entry.type !== "event" || entry.event.type !== "request") return JSON.stringify(entry);
    const messages = entry.event.messages.map((message) => JSON.stringify(message));
    let keep = 0;
    while (keep < messages.length && messages[keep] === this.#previous[keep]) keep += 1;
    this.#previous = messages;
    const event: StoredRequest = { ...entry.event, keep, messages: entry.event.messages.slice(keep) };
    return JSON.stringify({ ...entry, event });
  }
}

/** A recording as JSON Lines: the head first, then one entry a line, each line ended by LF. */
export function stringifyRecording(recording: Recording): string {
  const writer = new RecordingWriter();
  return [recording.head, ...recording.entries].map((entry) => `${writer.line(entry)}\n`).join("");
}

/**
 * Reads JSON Lines made by {@link recordRun} or {@link stringifyRecording}. A recording that was cut short (a crash) can
 * be read: its last, incomplete line is left out. Throws `ToolglotError` `recording-invalid`, with `data.line`.
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
  if (head.version !== 1) throw invalid(`Recordings of version ${String(head.version)} are not known here.`, 1);
  return { head: head as RecordingHead, entries: restoreRequests(values.slice(1) as RecordingEntry[]) };
}

function restoreRequests(entries: readonly RecordingEntry[]): RecordingEntry[] {
  let previous: Message[] = [];
  return entries.map((entry) => {
    if (entry.type !== "event" || entry.event.type !== "request") return entry;
    const { keep, ...event } = entry.event as unknown as StoredRequest;
    previous = [...previous.slice(0, keep), ...event.messages];
    return { ...entry, event: { ...event, messages: previous } };
  });
}

function invalid(message: string, line: number, cause?: unknown): ToolglotError {
  return new ToolglotError("recording-invalid", message, { cause, data: { line } });
}
