import type { Diagnostic } from "@toolglot/core";
import { makeDiagnostic } from "@toolglot/core/text";
import type { DiagnosticChange, DiagnosticText } from "@toolglot/internal";

/** Codes of repairs: what was read as meant, though not as written. Each can be switched off by the `repairs` option. */
export type AttpRepairCode =
  | "attp/inner-quotes"
  | "attp/raw-escapes"
  | "attp/basic-string-code"
  | "attp/loose-string"
  | "attp/missing-header"
  | "attp/odd-delimiters"
  | "attp/loose-syntax"
  | "attp/table-name"
  | "attp/late-thought"
  | "attp/nested-fence"
  | "attp/indented"
  | "attp/dedented"
  | "attp/invisible-characters"
  | "attp/json-document"
  | "attp/missing-status"
  | "attp/unclosed-fence"
  | "attp/stray-text";

/** Every code that reading an ATTP text may give, besides those of the text layer (`core/…`). */
export type AttpDiagnosticCode =
  | AttpRepairCode
  | "attp/truncated"
  | "attp/syntax"
  | "attp/duplicate-key"
  | "attp/invalid-status"
  | "attp/invalid-type"
  | "attp/missing-code"
  | "attp/missing-message"
  | "attp/missing-thought"
  | "attp/missing-target"
  | "attp/missing-tool-call"
  | "attp/status-synonym"
  | "attp/dressed-value"
  | "attp/foreign-closer"
  | "attp/unused-code"
  | "attp/unused-message"
  | "attp/unknown-key"
  | "attp/prose-outside-document"
  | "attp/unread-document"
  | "attp/input-too-long";

type Short<Code> = Code extends `attp/${infer Name}` ? Name : never;

/** A code without its prefix. The text layer reports what is too long. */
export type ShortCode = Exclude<Short<AttpDiagnosticCode>, "input-too-long">;

/** Texts of each repair, as a warning: what it affects, the message, and a hint where one helps. */
const repairTexts: Readonly<Record<Short<AttpRepairCode>, readonly [DiagnosticText[1], string, string?]>> = {
  "inner-quotes": [
    "value",
    "Quotes inside the string would end it early; it was read up to its last closing quotes.",
    "Use the other kind of triple quotes inside the code.",
  ],
  "raw-escapes": [
    "value",
    "The string has backslashes that TOML does not know; its text was taken as it stands.",
    "Write code in '''…''', where backslashes are plain characters.",
  ],
  "basic-string-code": [
    "none",
    'Escapes such as \\n in """…""" code were decoded by TOML; the text as written is in rawCode.',
    "Write code in '''…''', where backslashes are plain characters.",
  ],
  "loose-string": [
    "value",
    "A one-line string holds raw line breaks or quotes; it was read up to its last quote.",
    'Use """…""" for text with line breaks or quotes.',
  ],
  "missing-header": [
    "structure",
    "The keys of the call stand outside [tool_call]; they were taken into it.",
    "Write [tool_call] before status.",
  ],
  "odd-delimiters": [
    "structure",
    "Typographic characters stand where TOML wants ASCII delimiters.",
    "Use \" ' = [ ] and plain spaces.",
  ],
  "loose-syntax": [
    "structure",
    "This is not TOML, but was read as meant.",
    'Write key = "value", true, false, and comments with #.',
  ],
  "table-name": [
    "structure",
    "The call's table is misnamed or repeated; it was read as one [tool_call], later keys win.",
    "Write [tool_call] once.",
  ],
  "late-thought": [
    "structure",
    "thought stands after a table header, so that TOML puts it inside; it was taken as the document's.",
    "Write thought first.",
  ],
  "nested-fence": [
    "value",
    "The code is wrapped in backticks; they were taken off.",
    "Write the code alone between '''.",
  ],
  indented: ["none", "The document's fence is indented; that indentation was taken off."],
  dedented: ["none", "The code is indented as a whole; that indentation was taken off."],
  "invisible-characters": [
    "none",
    "Invisible characters at the edges of the code were taken off.",
    "Leave out zero-width characters.",
  ],
  "json-document": ["structure", "The document is written as JSON.", "Write TOML: thought, then [tool_call]."],
  "missing-status": [
    "structure",
    "There is no status; it was taken from what the call holds.",
    'Write status = "success" or status = "fail".',
  ],
  "unclosed-fence": ["none", "The document's fence is not closed."],
  "stray-text": [
    "structure",
    "Text stands behind the code's closing quotes; it was left out.",
    "End the code with ''' alone on its line, and the document with it.",
  ],
};

/** The same by their whole codes, as options name them. */
export const repairs: Readonly<Record<string, DiagnosticText>> = Object.fromEntries(
  Object.entries(repairTexts).map(([code, text]) => [`attp/${code}`, ["warning", ...text]]),
);

const faults: Readonly<Record<Exclude<ShortCode, Short<AttpRepairCode>>, DiagnosticText>> = {
  truncated: ["error", "value", "The text ends inside the document; it is not run."],
  syntax: ["error", "value", "This is not TOML, and no repair explains it."],
  "duplicate-key": ["error", "value", "The key is given twice; the first stands."],
  "invalid-status": [
    "error",
    "structure",
    'status is neither "success" nor "fail".',
    'Write status = "success" or status = "fail".',
  ],
  "invalid-type": ["error", "value", "The value has to be a string."],
  "missing-code": ["error", "structure", "A success needs code, and there is none."],
  "missing-message": ["error", "structure", "A fail needs a message, and there is none."],
  "missing-thought": ["warning", "none", "There is no thought."],
  "missing-target": ["warning", "none", "There is no target."],
  "missing-tool-call": ["error", "structure", "The document holds no call.", "Write [tool_call] with status."],
  "status-synonym": ["warning", "structure", 'status was read as "fail".', 'Write status = "fail".'],
  "foreign-closer": [
    "warning",
    "value",
    "The code ends with tags or marks that close a call in another format; they were kept.",
    "Write it without them.",
  ],
  "dressed-value": [
    "warning",
    "value",
    "Quotes, emphasis or characters that nobody sees stand at the edges of the value; they were kept.",
    "Write the value alone between its quotes.",
  ],
  "unused-code": ["warning", "none", "code next to a fail is not run."],
  "unused-message": ["warning", "none", "message next to a success is not used."],
  "unknown-key": ["info", "none", "The protocol does not know this key; it is kept in extra."],
  "prose-outside-document": ["info", "none", "Text stands outside the document."],
  "unread-document": [
    "warning",
    "none",
    "A document stands here that was not read: the first one is in a fence, and this one is not.",
    "Send one document per answer.",
  ],
};

/** Makes the diagnostic of a code, given without its prefix. */
export function diagnostic(code: ShortCode, start: number, end: number, change?: DiagnosticChange): Diagnostic {
  const whole = `attp/${code}` as const;
  return makeDiagnostic("attp", whole, repairs[whole] ?? faults[code as keyof typeof faults], start, end, change);
}
