import type { Diagnostic } from "@toolglot/core";
import { makeDiagnostic } from "@toolglot/core/text";
import type { DiagnosticChange, DiagnosticText } from "@toolglot/internal";

/** Codes of repairs: what was read as meant, though not as written. Each can be switched off by the `repairs` option. */
export type DialectRepairCode =
  | "dialects/json-repaired"
  | "dialects/python-literal"
  | "dialects/coerced"
  | "dialects/unclosed"
  | "dialects/stray-closer"
  | "dialects/stripped-tokens"
  | "dialects/look-alike"
  | "dialects/unquoted-value"
  | "dialects/positional-argument"
  | "dialects/inexact-number"
  | "dialects/duplicate-key";

/** Every code that reading a dialect may give, besides those of the text layer (`core/…`). */
export type DialectDiagnosticCode =
  | DialectRepairCode
  | "dialects/truncated"
  | "dialects/invalid-json"
  | "dialects/invalid-arguments"
  | "dialects/missing-name"
  | "dialects/not-a-literal"
  | "dialects/doubtful-close"
  | "dialects/input-too-long"
  | "dialects/doubtful-open"
  | "dialects/type-mismatch"
  | "dialects/unknown-tool"
  | "dialects/call-in-reasoning"
  | "dialects/foreign-call"
  | "dialects/mixed-dialects"
  | "dialects/text-after-call"
  | "dialects/unwrapped";

type Code<Full extends string> = Full extends `dialects/${infer Short}` ? Short : never;
/** A code without its prefix. */
export type ShortCode = Exclude<Code<DialectDiagnosticCode>, "input-too-long">;

/** Texts of repairs: severity, what they affect, the message, and a hint where one helps. */
const repairs: Record<Code<DialectRepairCode>, DiagnosticText> = {
  "json-repaired": ["warning", "structure", "The JSON was repaired.", "Write valid JSON."],
  "python-literal": ["warning", "none", "A value is written as Python writes it.", "Write values as JSON."],
  coerced: ["warning", "value", "A value was read as the type that the tool declares."],
  unclosed: ["warning", "structure", "A closing mark is missing.", "Close every call."],
  "stray-closer": ["warning", "structure", "A closing mark closes nothing.", "Close every call once."],
  "stripped-tokens": ["warning", "structure", "The call lacks its marks; it was found by the tool's name."],
  "look-alike": ["warning", "structure", "A mark is written with other characters."],
  "unquoted-value": [
    "warning",
    "value",
    "A string stands without its delimiters.",
    "Write strings between their delimiters.",
  ],
  "positional-argument": [
    "warning",
    "value",
    "An argument has no name; it was taken for the next parameter.",
    "Name every argument.",
  ],
  "inexact-number": ["warning", "value", "A number can't be kept exactly; it is its text."],
  "duplicate-key": ["warning", "value", "A key stands twice; the last one counts.", "Write every key once."],
};

const table: Record<ShortCode, DiagnosticText> = {
  ...repairs,
  truncated: [
    "error",
    "value",
    "The text ends within this call; nothing of it is run.",
    "Write the whole call again, shorter.",
  ],
  "invalid-json": ["error", "value", "The arguments can't be read.", "Write the arguments as valid JSON."],
  "invalid-arguments": ["error", "value", "The arguments are no object.", "Write the arguments by their names."],
  "missing-name": ["error", "structure", "The call has no name.", "Name the tool."],
  "not-a-literal": [
    "error",
    "value",
    "An argument is no literal: names, calls and operators are not evaluated.",
    "Write each argument as name=value, with a literal value.",
  ],
  "doubtful-close": [
    "error",
    "value",
    "A value holds what closes the call, so it is not clear where it ends; nothing of it is run.",
    "Leave the format's own closing marks out of values.",
  ],
  "doubtful-open": [
    "warning",
    "value",
    "A value holds what opens another argument: its own closing mark may be missing.",
    "Close every argument.",
  ],
  "type-mismatch": ["warning", "value", "A value does not fit the type that the tool declares; it is its text."],
  "unknown-tool": ["warning", "structure", "There is no such tool."],
  "call-in-reasoning": [
    "warning",
    "structure",
    "A call stands in the reasoning; it is not run.",
    "Write the call after the reasoning.",
  ],
  "foreign-call": ["warning", "structure", "This is a call in another format, which is not read here."],
  "mixed-dialects": ["warning", "none", "The message holds calls in two dialects."],
  "text-after-call": ["info", "none", "Text follows the calls."],
  unwrapped: ["info", "none", "The call stands without its wrapper."],
};

/** Makes the diagnostic of a code. */
export function diagnostic(code: ShortCode, start: number, end: number, change?: DiagnosticChange): Diagnostic {
  return makeDiagnostic("dialects", `dialects/${code}`, table[code], start, end, change);
}

/** Which codes are repairs, for the check of options. */
export const repairCodes: Readonly<Record<string, 1>> = /* @__PURE__ */ Object.fromEntries(
  Object.keys(repairs).map((code) => [`dialects/${code}`, 1]),
);

/** Whether a code, without its prefix, is one of a repair. */
export const isRepair = (code: ShortCode): boolean => code in repairs;
