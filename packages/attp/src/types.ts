import type { BlockBase, Diagnostic, JsonValue, ParseOptions, Span } from "@toolglot/core";

/** What a document asks for. `message` may stand beside a success, and `code` beside a fail: `status` decides. */
export type AttpToolCall =
  | { status: "success"; target?: string; code: string; rawCode?: string; message?: string }
  | { status: "fail"; message: string; target?: string; code?: string; rawCode?: string };

/** One ATTP document: a thought, and a program to run or a refusal. */
export interface AttpDocument extends BlockBase {
  thought?: string;
  /** Absent when the document is invalid. Text has `\n` line ends. */
  toolCall?: AttpToolCall;
  /** Keys the specification does not know, kept as they are; those of the table under `tool_call`. */
  extra: Record<string, JsonValue>;
  /** The code as it was written, without its delimiters. */
  codeSpan?: Span;
}

/** What the push parser reports. Deltas of a field, joined, are its final value. */
export type AttpEvent =
  | { phase: "text"; type: "text-delta"; text: string }
  | { phase: "reasoning"; type: "reasoning-delta"; text: string }
  | { phase: "block-start"; type: "document-start"; start: number }
  | { phase: "delta"; type: "thought-delta" | "target" | "status" | "code-delta" | "message-delta"; text: string }
  | { phase: "block-end"; type: "document-end"; block: AttpDocument }
  | { phase: "diagnostic"; type: "diagnostic"; diagnostic: Diagnostic };

/** Options of the ATTP parser. */
export interface AttpParseOptions extends ParseOptions {
  /** What the code is written in; decides which nested fences are unwrapped. Default `python`. */
  language?: "python" | "javascript";
}

/** Options of {@link createParser}. */
export interface AttpParserOptions extends AttpParseOptions {
  onEvent?: (event: AttpEvent) => void;
}
