import type { Span } from "./span.ts";

/** A call as a model asked for it. */
export interface ToolCall {
  /** Unique in its run. */
  id: string;
  name: string;
  /** An object by contract; whatever the model wrote, when it wrote something else. */
  input: unknown;
  /** Where it stands in the model's text, for protocols that are text. */
  span?: Span;
  /** Id of the protocol that read it: `attp`, `native`. */
  protocol: string;
  /** Of the plan that the call is a step of, when it has one: for logs and traces. */
  requestId?: string;
}

/** How a call ended. Every call ends in exactly one of these. */
export type ToolStatus = "ok" | "error" | "interrupted" | "denied" | "pending" | "in-doubt";

/** What went wrong, in words made for the model. Never a host stack, path or secret. */
export interface ToolErrorInfo {
  /** Class name of the error, as `ToolError`, `Timeout`, `InvalidInput`. */
  type: string;
  message: string;
  /** Line in the model's code, starting at 1. */
  line?: number;
  /** Column in that line, starting at 1. */
  column?: number;
  sourceLine?: string;
  hint?: string;
  /** Every fault of the input, when the input did not fit. */
  issues?: InputIssue[];
}

/** One place where an input does not fit its schema. */
export interface InputIssue {
  /** As `items[2].price`; empty for the input as a whole. */
  path: string;
  expected: string;
  got: string;
  message: string;
}

/** A line a program printed. */
export interface LogEntry {
  stream: "stdout" | "stderr";
  text: string;
}

/** The one outcome of a call. */
export interface ToolResult {
  callId: string;
  /** Name of the tool, when the result is that of a single call. */
  name?: string;
  status: ToolStatus;
  content: ContentBlock[];
  /** The value as data, when there is one. */
  data?: unknown;
  error?: ToolErrorInfo;
  /** What a program printed, for code. */
  logs?: LogEntry[];
  /** Facts for the host: warnings, times, conversions. Not shown to the model. */
  metadata?: Record<string, unknown>;
}

/** One piece of a tool's result, or of a message. Binary data is base64. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; data?: string; url?: string }
  | { type: "audio"; mediaType: string; data?: string; url?: string }
  | { type: "resource"; uri: string; mediaType?: string; title?: string; text?: string; data?: string };
