import type { Diagnostic } from "@toolglot/core";
import { makeDiagnostic } from "@toolglot/core/text";
import type { DiagnosticChange, DiagnosticText } from "@toolglot/internal";

/** A repair: a warning while it is allowed, else an error. */
export type ToolsXmlRepairCode =
  | "toolsxml/truncated"
  | "toolsxml/unclosed-tag"
  | "toolsxml/unclosed-cdata"
  | "toolsxml/doubtful-close"
  | "toolsxml/foreign-closer"
  | "toolsxml/stray-text"
  | "toolsxml/stray-tag"
  | "toolsxml/duplicate-attribute"
  | "toolsxml/bare-body"
  | "toolsxml/curly-quotes"
  | "toolsxml/invisible-characters"
  | "toolsxml/json-envelope";

/** Every code of this package. */
export type ToolsXmlDiagnosticCode =
  | ToolsXmlRepairCode
  | "toolsxml/dressed-value"
  | "toolsxml/malformed-tag"
  | "toolsxml/unknown-tag"
  | "toolsxml/unknown-attribute"
  | "toolsxml/unknown-property"
  | "toolsxml/ignored-attributes"
  | "toolsxml/missing-attribute"
  | "toolsxml/invalid-attribute"
  | "toolsxml/missing-find"
  | "toolsxml/missing-replace"
  | "toolsxml/empty-body"
  | "toolsxml/invalid-key"
  | "toolsxml/invalid-json"
  | "toolsxml/invalid-value"
  | "toolsxml/unexpected-body"
  | "toolsxml/unknown-escape"
  | "toolsxml/entities-decoded"
  | "toolsxml/literal-entities"
  | "toolsxml/missing-root"
  | "toolsxml/input-too-long";

const E = "error";
const W = "warning";
const I = "info";

/** Texts of each code: severity, what it affects, the message, and a hint where one helps. */
const table: Record<ToolsXmlDiagnosticCode, DiagnosticText> = {
  "toolsxml/truncated": [E, "value", "The text ends inside the block.", "Write the whole block, up to </tools>."],
  "toolsxml/unclosed-tag": [W, "structure", "The tag is not closed."],
  "toolsxml/unclosed-cdata": [W, "value", "CDATA is not closed.", "Close it with ]]>."],
  "toolsxml/doubtful-close": [
    W,
    "value",
    "It is not clear which closing tag ends this body.",
    "Put text that holds its own closing tag into <![CDATA[…]]>.",
  ],
  "toolsxml/foreign-closer": [
    W,
    "value",
    "The text ends with tags or marks that close a call in another format.",
    "Write it without them. If they belong to the text, part the last one over two sections of CDATA.",
  ],
  "toolsxml/stray-text": [
    W,
    "structure",
    "Text between tags was skipped.",
    "Inside <tools>, write tags and comments only.",
  ],
  "toolsxml/stray-tag": [W, "value", "A tag without its partner was skipped."],
  "toolsxml/duplicate-attribute": [W, "value", "The attribute is given twice; the first stands."],
  "toolsxml/bare-body": [W, "structure", "The body was taken as the tool's one parameter."],
  "toolsxml/curly-quotes": [W, "structure", "The quotes are not plain ones.", 'Write " around values.'],
  "toolsxml/invisible-characters": [
    W,
    "none",
    "Characters that nobody sees were taken off the ends.",
    "If they belong to the text, put it into <![CDATA[…]]>.",
  ],
  "toolsxml/dressed-value": [
    W,
    "value",
    "The value stands in quotes or emphasis, or has white space at an end.",
    "Write the value alone. If they belong to it, put it into <![CDATA[…]]>.",
  ],
  "toolsxml/malformed-tag": [
    E,
    "value",
    "The tag can't be read.",
    'Write attributes as name="value", and a text with quotes or tags in it as a child element.',
  ],
  "toolsxml/unknown-tag": [E, "structure", "No tool has this name."],
  "toolsxml/unknown-attribute": [W, "none", "The attribute is not known; it is not used."],
  "toolsxml/unknown-property": [W, "none", "The tool does not declare this parameter."],
  "toolsxml/ignored-attributes": [I, "none", "<tools> has no attributes; they are not used."],
  "toolsxml/missing-attribute": [E, "structure", "An attribute is missing."],
  "toolsxml/invalid-attribute": [E, "value", "The attribute's value can't be used."],
  "toolsxml/missing-find": [E, "structure", "A <replace> has no <find> before it."],
  "toolsxml/missing-replace": [E, "structure", "A <find> has no <replace> after it."],
  "toolsxml/empty-body": [E, "value", "The element is empty."],
  "toolsxml/invalid-key": [E, "value", "No such control character.", "Write a letter or one of [ \\ ] ^ _."],
  "toolsxml/invalid-json": [E, "value", "The body is not a JSON object."],
  "toolsxml/invalid-value": [E, "value", "The value does not fit the parameter."],
  "toolsxml/unexpected-body": [W, "value", "The element's content is not used."],
  "toolsxml/unknown-escape": [I, "none", "An unknown escape was kept as it stands.", "Write a backslash as \\\\."],
  "toolsxml/entities-decoded": [I, "none", "Entities were decoded: the body has no bare & or <."],
  "toolsxml/literal-entities": [I, "none", "Entities were kept: the body has a bare & or <."],
  "toolsxml/json-envelope": [W, "structure", "The message is not one valid JSON envelope; it was read as meant."],
  "toolsxml/missing-root": [
    E,
    "structure",
    "This is outside <tools>: it is not run.",
    "Put all calls into one <tools> … </tools>.",
  ],
  "toolsxml/input-too-long": [E, "value", "The text is too long; nothing of it is run."],
};

/** Makes the diagnostic of a code. */
export function diagnostic(
  code: ToolsXmlDiagnosticCode,
  start: number,
  end: number,
  change?: DiagnosticChange,
): Diagnostic<ToolsXmlDiagnosticCode> {
  return makeDiagnostic("toolsxml", code, table[code], start, end, change);
}
