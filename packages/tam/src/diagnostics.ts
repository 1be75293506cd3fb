import type { Affects, Diagnostic, Severity } from "@toolglot/core";

/** Codes of repairs: what was read as meant, though not as written. Each can be switched off by the `repairs` option. */
export type TamRepairCode =
  | "tam/alternate_delimiters_used"
  | "tam/mixed_delimiters_used"
  | "tam/unclosed_value"
  | "tam/ambiguous_delimiter"
  | "tam/unclosed_block"
  | "tam/equals_separator"
  | "tam/stray_text"
  | "tam/duplicate_key"
  | "tam/unknown_type_hint"
  | "tam/uneven_indent";

/** Every code that reading a TAM text may give, besides those of the text layer (`core/…`). */
export type TamDiagnosticCode =
  | TamRepairCode
  | "tam/unopened_block"
  | "tam/missing_command"
  | "tam/unassigned_field"
  | "tam/invalid_retry"
  | "tam/invalid_on_error"
  | "tam/invalid_hint_value"
  | "tam/unknown_tool"
  | "tam/unknown_parameter"
  | "tam/ambiguous_parameter"
  | "tam/step_gap"
  | "tam/input-too-long";

type Code<Full extends string> = Full extends `tam/${infer Short}` ? Short : never;

/** What each code says: severity, what it affects, the message, and a hint where one helps. */
const table: Record<Exclude<Code<TamDiagnosticCode>, "input-too-long">, [Severity, Affects, string, string?]> = {
  alternate_delimiters_used: [
    "warning",
    "structure",
    "Values stand between other delimiters than »»» and «««.",
    "Write key:»»»value«««.",
  ],
  mixed_delimiters_used: [
    "warning",
    "structure",
    "Values stand between other delimiters than »»» and «««.",
    "Write key:»»»value«««.",
  ],
  unclosed_value: [
    "warning",
    "value",
    "The value has no closer; it ends at the next field or the block's end.",
    "End every value with «««.",
  ],
  ambiguous_delimiter: [
    "warning",
    "value",
    "This may end a value, or be part of one.",
    "Balance openers and closers in values.",
  ],
  unclosed_block: ["warning", "structure", "The block has no end marker.", "End the block with <|[END_TOOL]|>."],
  equals_separator: ["warning", "structure", "A key is followed by = instead of a colon.", "Write key:»»»value«««."],
  stray_text: ["warning", "none", "Text between fields was skipped.", "Begin comments with #."],
  duplicate_key: ["warning", "structure", ""],
  unknown_type_hint: [
    "warning",
    "structure",
    "The type hint is unknown; the value is read as text.",
    "Write text, json, base64, number or boolean.",
  ],
  uneven_indent: ["warning", "value", "Lines of the value lost different indentation.", "Do not indent fields."],
  unopened_block: [
    "error",
    "structure",
    "A call is lost: it has no start marker on a line of its own.",
    "Begin the block with <|[REQUEST_TOOL]|>.",
  ],
  missing_command: ["error", "structure", "There is no command.", "Write command:»»»name«««."],
  // These say what they found.
  unassigned_field: ["error", "value", "", "End its key with the number of its command."],
  invalid_retry: ["error", "none", ""],
  invalid_on_error: ["error", "none", ""],
  invalid_hint_value: ["error", "none", ""],
  unknown_tool: ["error", "none", ""],
  unknown_parameter: ["error", "none", ""],
  ambiguous_parameter: ["error", "none", ""],
  step_gap: ["info", "none", "Step numbers have a gap."],
};

/** Makes the diagnostic of a code, given without its prefix. */
export function diagnostic(
  code: keyof typeof table,
  start: number,
  end: number,
  change: { message?: string; severity?: Severity; affects?: Affects } = {},
): Diagnostic {
  const [severity, affects, message, hint] = table[code];
  const made: Diagnostic = {
    code: `tam/${code}`,
    severity,
    affects,
    message,
    ...change,
    span: { start, end: Math.max(start, end) },
    source: "tam",
  };
  if (hint) made.hint = hint;
  return made;
}
