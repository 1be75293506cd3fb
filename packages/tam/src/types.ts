import type { BlockBase, Diagnostic, ParseOptions, Span, ToolErrorInfo } from "@toolglot/core";

/** What a parameter's text is to be read as. Without a hint, the tool's schema decides. */
export type TamTypeHint = "text" | "json" | "base64" | "number" | "boolean";

/** A line that starts with `#` between fields, less the `#` and outer white space. */
export interface TamComment {
  text: string;
  /** The whole line, from the `#`. */
  span: Span;
}

/** One `command` with what belongs to it. Names of parameters are normalised, or those that the tool declares. */
export interface TamStep {
  /** The number after `command_`; 1 when there is none. */
  index: number;
  /** The tool's name as the block has it, or as declared when it is meant without doubt. */
  tool: string;
  /** The step's own parameters as text, without layout and the field line's indentation; under a `json` hint, what a JSON string holds. */
  params: Record<string, string>;
  /** The same parameters exactly as they stand between their delimiters. */
  raw: Record<string, string>;
  /** `uri_` fields: parameters given as references, by parameter. */
  uris: Record<string, string>;
  typeHints: Record<string, TamTypeHint>;
  /** Default `stop`. */
  onError: "stop" | "continue";
  /** Extra attempts after a failure, 0 to 10. Default 0. */
  retry: number;
  /** Faults of this step: it fails without being run, and obeys `onError`. */
  errors: ToolErrorInfo[];
  /** From the first to the last field of the step. */
  span: Span;
}

/** One TAM block. Fields may come in any order; steps are sorted by number. */
export interface TamBlock extends BlockBase {
  requestId?: string;
  /** The `comment` field. */
  comment?: string;
  comments: TamComment[];
  /** `common_` fields, by parameter: every step has them unless it has its own. */
  common: Record<string, string>;
  /** The same exactly as they stand between their delimiters. */
  commonRaw: Record<string, string>;
  steps: TamStep[];
  /** Findings about this block, in text order. */
  diagnostics: Diagnostic[];
  /** Codes of the block's warnings without their prefix, each once, in text order: `mixed_delimiters_used`. */
  warnings: string[];
}

/**
 * Events of the push parser. A `param-delta` belongs to a field: the `field`th of its block, counted from 0. Deltas of
 * one field, joined, are its value (of one that is JSON, in one delta); of a parameter that is given twice the last field counts. `step` is absent for
 * `common_` fields. `call` counts the steps in the order in which their commands come. It is absent for `common_` fields and steps
 * without a command, for a field that repeats a parameter or a command, and behind a type hint other than `text`.
 */
export type TamEvent =
  | { phase: "text"; type: "text-delta"; text: string }
  | { phase: "reasoning"; type: "reasoning-delta"; text: string }
  | { phase: "block-start"; type: "block-start"; start: number }
  /** `text` is the step's tool. */
  | { phase: "delta"; type: "step-start"; step: number; text: string; call?: number; tool?: string }
  | { phase: "delta"; type: "param-delta"; field: number; step?: number; call?: number; param: string; text: string }
  | { phase: "delta"; type: "comment"; text: string; span: Span }
  | { phase: "block-end"; type: "block-end"; block: TamBlock }
  | { phase: "diagnostic"; type: "diagnostic"; diagnostic: Diagnostic };

/** Options of the TAM parser. With `tools`, names are bound to declared ones and unknown ones are reported. */
export type TamParseOptions = ParseOptions;

/** Options of {@link createParser}. */
export interface TamParserOptions extends TamParseOptions {
  onEvent?: (event: TamEvent) => void;
}
