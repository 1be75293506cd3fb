import type { Diagnostic, ParseResult } from "@toolglot/core";
import { LineCounter } from "@toolglot/core/diagnostics";
import { checkParseOptions } from "@toolglot/core/text";
import type { ToolsXmlBlock, ToolsXmlParseOptions } from "../types.ts";
import { readBlock } from "./read-block.ts";
import { readXml } from "./read-xml.ts";

/** The codes that only this reader has. */
export type StrictDiagnosticCode = "toolsxml/not-well-formed" | "toolsxml/not-a-block";

const defaultMaxInputLength = 16 * 1024 * 1024;

/**
 * Reads one `<tools>` document that is well-formed XML, and returns what `parse` does for it: one block with the same calls
 * and comments. What is no well-formed XML is the error `toolsxml/not-well-formed`, whose span is the place and whose message
 * has line and column; what is another document, `toolsxml/not-a-block`. Then the text is a text, and there is no block.
 *
 * Takes `tools`, `maxInputLength`, `strict` and `repairs`; reasoning, fences and prose are no XML, so they are refused. A
 * document type is refused too. Total, but throws `TypeError` when `xml` is no string.
 */
export function parseStrict(xml: string, options: ToolsXmlParseOptions = {}): ParseResult<ToolsXmlBlock> {
  if (typeof xml !== "string") throw new TypeError(`parseStrict() takes a string, not ${typeof xml}`);
  checkParseOptions("parseStrict", options);
  const max = options.maxInputLength ?? defaultMaxInputLength;
  if (xml.length > max) {
    const message = `The text is longer than ${max} units; nothing of it is run.`;
    return refuse(xml, "toolsxml/input-too-long", message, { start: max, end: max });
  }
  const root = readXml(xml);
  if ("message" in root) {
    const { line, column } = new LineCounter(xml).position(root.span.start);
    return refuse(xml, "toolsxml/not-well-formed", `${root.message} (line ${line}, column ${column})`, root.span);
  }
  if (root.name.toLowerCase() !== "tools") {
    const span = { start: root.span.start, end: root.innerSpan.start };
    return refuse(xml, "toolsxml/not-a-block", `The document is <${root.name}>, not <tools>.`, span);
  }
  const { block, diagnostics } = readBlock(root, options, xml);
  const { start, end } = block.span;
  const segments: ParseResult<ToolsXmlBlock>["segments"] = [{ type: "block", block, span: block.span }];
  const first = xml.startsWith("\ufeff") ? 1 : 0;
  if (start > first)
    segments.unshift({ type: "text", text: xml.slice(first, start), span: { start: first, end: start } });
  if (end < xml.length) segments.push({ type: "text", text: xml.slice(end), span: { start: end, end: xml.length } });
  return { segments, blocks: [block], diagnostics };
}

/** Whether a text is a well-formed XML document, and has no document type. Throws `TypeError` when it is no string. */
export function isWellFormed(xml: string): boolean {
  if (typeof xml !== "string") throw new TypeError(`isWellFormed() takes a string, not ${typeof xml}`);
  return !("message" in readXml(xml));
}

function refuse(
  text: string,
  code: StrictDiagnosticCode | "toolsxml/input-too-long",
  message: string,
  span: Diagnostic["span"],
): ParseResult<ToolsXmlBlock> {
  const fault: Diagnostic = { code, severity: "error", affects: "value", message, span, source: "toolsxml" };
  const whole = { start: 0, end: text.length };
  return {
    segments: text === "" ? [] : [{ type: "text", text, span: whole }],
    blocks: [],
    diagnostics: [fault],
  };
}
