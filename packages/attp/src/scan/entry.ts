import type { BlockEnd, Fence, Source } from "@toolglot/core/text";
import type { ShortCode } from "../diagnostics.ts";
import type { CodeLanguage } from "../repair/code.ts";
import type { AttpDocument } from "../types.ts";
import type { Field } from "./patterns.ts";

/** How a value is written. `other`: numbers, arrays and what else TOML knows, left to the TOML parser. */
export type Form = "multi-basic" | "multi-literal" | "basic" | "literal" | "bare" | "backticks" | "other";

/** One `key = value` of a document, as the scan found it. Offsets are those of the whole text. */
export interface Entry {
  key: string;
  field: Field | undefined;
  form: Form;
  /** The line the key stands on. */
  lineStart: number;
  keyStart: number;
  keyEnd: number;
  /** The value with its delimiters. */
  valueStart: number;
  valueEnd: number;
  /** The value without them. */
  bodyStart: number;
  bodyEnd: number;
  /** Number of the table it stands in; 0 before the first header. */
  table: number;
  /** It stands in the `tool_call` table. */
  inCall: boolean;
  /** The text ended before its string did. */
  cut: boolean;
  /** It begins or ends elsewhere than TOML has it. */
  mended: boolean;
  /** Quotes that would have ended the string early. */
  innerQuotes: number | undefined;
  /** A backslash stands in it. */
  escapes: boolean;
  /** The body of a value that stands on one line. */
  text: string;
}

/** A table header. */
export interface Header {
  name: string;
  start: number;
  end: number;
  table: number;
  isCall: boolean;
}

/** A repair the scan had to make to continue. */
export interface Note {
  code: ShortCode;
  start: number;
  end: number;
  message?: string | undefined;
}

/** How far a draft was at some place, to go back to. */
export interface Mark {
  entries: number;
  headers: number;
  notes: number;
  table: number;
  inCall: boolean;
}

/** What the scan of one document found. */
export interface Scan {
  source: Source;
  start: number;
  end: number;
  entries: Entry[];
  headers: Header[];
  notes: Note[];
  fence: Fence | undefined;
  closedFence: boolean;
  /** White space that the fence's indentation put before every line. */
  indent: number;
  /** The text ended inside the document: because of its length, or inside a string. */
  truncated: boolean;
  /** Something that makes the code's end uncertain, with what to say about it. */
  doubt: { start: number; end: number; message: string } | undefined;
}

/** What became of a value on one line. `brackets`: it may continue. `loose`: its quotes do not end it, a later line may. */
export type LineValue =
  | { kind: "closed" | "brackets"; notes: Note[] }
  | { kind: "loose"; notes: Note[]; quote: RegExp };

/** What a document's reader needs from its surroundings. */
export interface ReaderOptions {
  start: number;
  fence: Fence | undefined;
  indent: number;
  language: CodeLanguage;
  /** There is a listener for deltas. */
  hasListener: boolean;
  allows(code: Note["code"]): boolean;
  /** Emits text of a field. */
  emit(field: Field, text: string): void;
  /** Announces status and target: the call's table is final. */
  announce(entries: readonly Entry[], source: Source): void;
  /** Finishes a document. `streams`: what was emitted of each field while it came in. */
  finish(scan: Scan, streams: readonly [Field, { sent: number }][]): ReadDocument;
}

/** A document with its findings. */
export type ReadDocument = Required<Pick<BlockEnd<AttpDocument>, "block" | "diagnostics">>;
