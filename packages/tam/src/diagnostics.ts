import type { Diagnostic } from "@toolglot/core";
import { makeDiagnostic } from "@toolglot/core/text";
import type { DiagnosticChange, DiagnosticText } from "@toolglot/internal";

/** Codes of repairs: what was read as meant, though not as written. Each can be switched off by the `repairs` option. */
export type TamRepairCode =
  | "tam/alternate-delimiters-used"
  | "tam/mixed-delimiters-used"
  | "tam/unclosed-value"
  | "tam/ambiguous-delimiter"
  | "tam/unclosed-block"
  | "tam/equals-separator"
  | "tam/stray-text"
  | "tam/commented-field"
  | "tam/dressed-value"
  | "tam/foreign-closer"
  | "tam/invisible-characters"
  | "tam/duplicate-key"
  | "tam/unknown-type-hint"
  | "tam/uneven-indent";

/** Every code that reading a TAM text may give, besides those of the text layer (`core/…`). */
export type TamDiagnosticCode =
  | TamRepairCode
  | "tam/unopened-block"
  | "tam/missing-command"
  | "tam/unassigned-field"
  | "tam/invalid-retry"
  | "tam/invalid-on-error"
  | "tam/invalid-hint-value"
  | "tam/unknown-tool"
  | "tam/unknown-parameter"
  | "tam/ambiguous-parameter"
  | "tam/step-gap"
  | "tam/input-too-long";

type Code<Full extends string> = Full extends `tam/${infer Short}` ? Short : never;

const otherDelimiters: DiagnosticText = [
  "warning",
  "structure",
  "Values stand between other delimiters than »»» and «««.",
  "Write key:»»»value«««.",
];

/** Texts of each code: severity, what it affects, the message, and a hint where one helps. */
const table: Record<Exclude<Code<TamDiagnosticCode>, "input-too-long">, DiagnosticText> = {
  "alternate-delimiters-used": otherDelimiters,
  "mixed-delimiters-used": otherDelimiters,
  "unclosed-value": [
    "warning",
    "value",
    "The value has no closer; it ends at the next field or the block's end.",
    "End every value with «««.",
  ],
  "ambiguous-delimiter": [
    "warning",
    "value",
    "This may end a value, or be part of one.",
    "Balance openers and closers in values.",
  ],
  "unclosed-block": ["warning", "structure", "The block has no end marker.", "End the block with <|[END_TOOL]|>."],
  "equals-separator": ["warning", "structure", "A key is followed by = instead of a colon.", "Write key:»»»value«««."],
  "stray-text": ["warning", "none", "Text between fields was skipped.", "Begin comments with #."],
  "commented-field": [
    "warning",
    "value",
    "Signs stand before the key, or around the field: it may be commented out.",
    "Leave out what is not to run; comments are lines that begin with #.",
  ],
  "foreign-closer": [
    "warning",
    "value",
    "The value ends with tags or marks that close a call in another format; they were kept.",
    "Write it without them.",
  ],
  "dressed-value": [
    "warning",
    "value",
    "Quotes, emphasis or an invisible character stand at the edges of the value; they were kept.",
    "Write the value alone between »»» and «««.",
  ],
  "invisible-characters": [
    "warning",
    "none",
    "Invisible characters at the edges of the value were taken off.",
    "Leave out zero-width characters.",
  ],
  "duplicate-key": ["warning", "structure", ""],
  "unknown-type-hint": [
    "warning",
    "structure",
    "The type hint is unknown; the value is read as text.",
    "Write text, json, base64, number or boolean.",
  ],
  "uneven-indent": ["warning", "value", "Lines of the value lost different indentation.", "Do not indent fields."],
  "unopened-block": [
    "error",
    "structure",
    "A call is lost: it has no start marker on a line of its own.",
    "Begin the block with <|[REQUEST_TOOL]|>.",
  ],
  "missing-command": ["error", "structure", "There is no command.", "Write command:»»»name«««."],
  // These say what they found.
  "unassigned-field": ["error", "value", "", "End its key with the number of its command."],
  "invalid-retry": ["error", "none", ""],
  "invalid-on-error": ["error", "none", ""],
  "invalid-hint-value": ["error", "none", ""],
  "unknown-tool": ["error", "none", ""],
  "unknown-parameter": ["error", "none", ""],
  "ambiguous-parameter": ["error", "none", ""],
  "step-gap": ["info", "none", "Step numbers have a gap."],
};

/** Makes the diagnostic of a code, given without its prefix. */
export function diagnostic(
  code: keyof typeof table,
  start: number,
  end: number,
  change?: DiagnosticChange,
): Diagnostic {
  return makeDiagnostic("tam", `tam/${code}`, table[code], start, end, change);
}
