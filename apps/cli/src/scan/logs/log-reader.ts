import type { TextProtocol } from "@toolglot/core/text";

/** What scanning needs of a tool: its name, and its parameters where its log has them. */
export interface LogTool {
  name: string;
  /** A JSON Schema. */
  inputSchema?: Record<string, unknown> | undefined;
}

/** One thing in a record of a log. `path` is its JSON Pointer in the record. */
export type LogItem =
  /** `input`: the arguments, or their JSON text as the model wrote it. Without an id nobody knows which result is the call's. */
  | { type: "call"; id?: string | undefined; name: string; input: unknown; path: string }
  | { type: "result"; id: string }
  /** What the model said. */
  | { type: "text"; text: string; path: string }
  /** Somebody else speaks. */
  | { type: "turn" }
  | { type: "tools"; tools: LogTool[] };

/** What a reader makes of a record: a line, or a part of a document. */
export interface LogEntry {
  items: LogItem[];
  /** The model from here on. */
  model?: string | undefined;
  /** Milliseconds since the epoch. */
  time?: number | undefined;
  /** Which of several conversations of a file that run side by side. */
  conversation?: string | undefined;
  /** Records with the same one are one answer of the model. Without it, what comes without a break is. */
  answer?: string | undefined;
  /** Records with the same one, behind one another, are one that was written anew. What stands at the same place in them is told once. */
  record?: string | undefined;
  /** It is said again with each request, behind what was answered. */
  isHistory?: boolean;
  /** The record is an answer by itself. */
  isAnswer?: boolean;
  /** The protocol of the texts from here on: its blocks are read, so they did not leak. `none`: native calls. */
  protocol?: TextProtocol | "none" | undefined;
}

/** Reads the records of one program's logs, and tells by their content whether they are that. */
export interface LogReader {
  /** What people call the format. */
  name: string;
  /** Returns what is in a record; undefined when it is not of this format. A record that says nothing about calls has no items. */
  read(record: Record<string, unknown>): LogEntry | undefined;
}
