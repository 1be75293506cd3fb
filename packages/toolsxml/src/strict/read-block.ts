import type { Diagnostic } from "@toolglot/core";
import { allowsRepair, boundFindings } from "@toolglot/core/text";
import { isDressed } from "@toolglot/internal";
import { EditReader } from "../calls/edit.ts";
import { readRead } from "../calls/read.ts";
import { readElement } from "../calls/read-element.ts";
import { attributesOf, checkTag, Findings } from "../calls/report.ts";
import type { Element } from "../calls/types.ts";
import { type BodyText, exactText } from "../scan/body-text.ts";
import { Names } from "../scan/grammar.ts";
import type { ToolsXmlBlock, ToolsXmlCall, ToolsXmlParseOptions } from "../types.ts";
import type { XmlElement, XmlNode } from "./read-xml.ts";

/** The findings about a well-formed block, and the way into an element that holds elements. */
class StrictFindings extends Findings {
  /** Reads a body in which all CDATA is closed. */
  override bodyText(body: BodyText, element: Pick<Element, "bodyStart" | "raw">): string {
    return super.bodyText({ ...body, unclosed: false }, element);
  }

  /** Returns the elements in an element. Comments between them are kept, text is reported. */
  elementsOf({ children }: XmlElement): XmlElement[] {
    return children.filter((child): child is XmlElement => {
      const { start, end } = child.span;
      if (child.type === "comment") this.comment(child.raw.trim(), start, end);
      else if (child.type === "instruction" || (child.type !== "element" && child.raw.trim() !== ""))
        this.repair("toolsxml/stray-text", start, end, besideTag(child) ? { affects: "value" } : undefined);
      if (child.type === "element") checkTag(asElement(child).tag, this);
      return child.type === "element";
    });
  }
}

/** Whether a text shares a line with a tag. */
const besideTag = (node: XmlNode): boolean => node.type === "text" && /^[^\n]*\S|\S[^\n]*$/.test(node.raw);

/** Reads the `<tools>` element of a well-formed document. */
export function readBlock(
  root: XmlElement,
  options: ToolsXmlParseOptions,
  source: string,
): { block: ToolsXmlBlock; diagnostics: Diagnostic[] } {
  const to = new StrictFindings((code) => allowsRepair(options, code));
  if (root.attributes.length > 0) to.report("toolsxml/ignored-attributes", root.span.start, root.innerSpan.start);
  const names = new Names(options.tools);
  const calls: ToolsXmlCall[] = [];
  let seen = 0;
  let indent = "";
  for (const element of to.elementsOf(root)) {
    const before = to.errors;
    const { start } = element.span;
    const line = source.slice(seen, start).lastIndexOf("\n");
    // No line is searched twice.
    if (line >= 0 || seen === 0) indent = /^[ \t]*/.exec(source.slice(seen + line + 1, start))?.[0] ?? "";
    seen = start;
    const call = readCall(element, names, to, indent);
    if (call && to.errors === before) calls.push(call);
  }
  const { status, comments, diagnostics } = to;
  comments.sort((a, b) => a.span.start - b.span.start);
  diagnostics.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  return { block: { status, calls, comments, span: root.span }, diagnostics: boundFindings(diagnostics) };
}

function readCall(xml: XmlElement, names: Names, to: StrictFindings, indent: string): ToolsXmlCall | undefined {
  const element = { ...asElement(xml), indent };
  const { name } = element.tag;
  if (name === "edit") return readEdit(xml, to);
  if (name === "read") return readRead(element, to);
  if (!names.isCall(name)) unknownTag(xml, names.known, to);
  return readElement(element, names.tools, to);
}

function readEdit(xml: XmlElement, to: StrictFindings): ToolsXmlCall {
  const { tag, end } = asElement(xml);
  attributesOf(tag, [], to);
  const edit = new EditReader(tag, to);
  for (const file of to.elementsOf(xml)) {
    const { tag: fileTag } = asElement(file);
    if (edit.open(fileTag) === undefined) {
      unknownTag(file, edit.takes, to);
      continue;
    }
    for (const child of to.elementsOf(file)) {
      const body = asElement(child);
      if (edit.open(body.tag) === undefined) unknownTag(child, edit.takes, to);
      else edit.take(body, to.bodyText(exactText(body.raw), body));
    }
    edit.closeInner("file", file.span.end);
  }
  const call = edit.close(end, false);
  call.span.end = end;
  return call;
}

function unknownTag({ name, span, innerSpan }: XmlElement, known: readonly string[], to: StrictFindings): void {
  to.report("toolsxml/unknown-tag", span.start, innerSpan.start, {
    message: `<${name}> has no place here.`,
    hint: `Known: ${known.map((one) => `<${one}>`).join(" ")}.`,
  });
}

/** Returns an element as the readers of calls take it: they read its body as text, and expect attributes as XML decodes them. */
function asElement({ name, attributes, written, inner, span, innerSpan }: XmlElement): Element {
  const { start } = span;
  const end = innerSpan.start;
  return {
    tag: {
      name: name.toLowerCase(),
      rawName: name,
      closes: false,
      selfClosing: end === span.end,
      attributes: attributes.map((one, at) => ({
        name: one.name.toLowerCase(),
        rawName: one.name,
        value: one.value,
        dressed: isDressed(written[at] as string),
        start,
        end,
      })),
      start,
      end,
      fault: undefined,
    },
    indent: "",
    raw: inner,
    bodyStart: end,
    end: span.end,
  };
}
